"""cardhouse diagnose: what makes a contact problem easy or hard."""

import json
import unittest

from program import ProgramTest
from test_solve import GLOBAL, LOCAL

KEYS = ["problem", "contacts", "rows", "dofs", "rank", "asymmetry", "definiteness", "eigenvalues", "condition",
        "subspace_angle", "painleve", "pointed", "sweeps", "meaning"]


def local_problem(w, mu):
    """One contact in space with this W, given by its rows."""
    columns = "\n".join(" ".join(str(w[row][column]) for row in range(3)) for column in range(3))
    return f"3\n1\n0\n3\n3\n3\t3\n{columns}\n-1.0 1.0 0.0\n{mu}\n"


class Diagnose(ProgramTest):
    def diagnose(self, *words):
        code, output, errors = self.call("diagnose", *words, "--json", "diagnosis.json")
        self.assertEqual(code, 0, errors)
        diagnosis = self.read_json("diagnosis.json")
        self.assertEqual(list(diagnosis), KEYS)
        return diagnosis, output

    def check_bad(self, words, *parts):
        before = self.files()
        code, output, errors = self.call("diagnose", *words, "--json", "diagnosis.json")
        self.assertEqual(code, 2, errors)
        self.assertEqual(output, "")
        for part in parts:
            self.assertIn(part, errors)
        self.assertEqual(self.files(), before)

    def test_a_particle_is_as_easy_as_can_be(self):
        self.write("one.dat", LOCAL.format(mu=0.5))
        found, output = self.diagnose("one.dat")
        self.assertEqual((found["rank"], found["rows"], found["dofs"]), (3, 3, None))
        self.assertEqual((found["definiteness"], found["asymmetry"], found["pointed"]), ("definite", 0.0, True))
        self.assertAlmostEqual(found["condition"], 1.0, places=9)
        self.assertEqual(found["painleve"], {"largest": 0.0, "contact": 0, "contacts": []})
        for word in ("rank of W", "symmetric", "positive definite", "conditioning", "90°", "Painlevé", "pointed"):
            self.assertIn(word, output)

    def test_what_sweeps_do_is_tried(self):
        self.write("one.dat", LOCAL.format(mu=0.5))
        found, output = self.diagnose("one.dat")
        self.assertEqual(found["sweeps"]["converged"], True)
        self.assertLessEqual(found["sweeps"]["count"], 2)
        self.assertLessEqual(found["sweeps"]["natural_map"], 1e-8)
        self.assertIn("First-order methods are quick here.", output)

    def test_bodies_are_diagnosed(self):
        self.write("gfc2d.dat", GLOBAL)
        found, output = self.diagnose("gfc2d.dat")
        self.assertEqual((found["contacts"], found["rows"], found["dofs"], found["rank"]), (1, 2, 6, 2))
        self.assertIn("6 degrees of freedom", output)

    def test_a_given_matrix_may_be_of_any_kind(self):
        for name, w, rank, definiteness in (
            ("singular", [[1, 1, 0], [1, 1, 0], [0, 0, 1]], 2, "semidefinite"),
            ("rounded", [[1, 0, 0], [0, 1, 0], [0, 0, -1e-7]], 2, "semidefinite_but_for_rounding"),
            ("indefinite", [[1, 0, 0], [0, 1, 0], [0, 0, -0.5]], 2, "indefinite"),
        ):
            with self.subTest(name):
                self.write("w.dat", local_problem(w, 0.5))
                found, _ = self.diagnose("w.dat")
                self.assertEqual((found["rank"], found["definiteness"]), (rank, definiteness))

    def test_a_matrix_that_is_not_symmetric_is_told(self):
        self.write("w.dat", local_problem([[1, 0.002, 0], [0, 1, 0], [0, 0, 1]], 0.5))
        found, output = self.diagnose("w.dat")
        self.assertAlmostEqual(found["asymmetry"], 0.002 * 2**0.5 / 3**0.5, places=6)
        self.assertIn("not symmetric", output)

    def test_a_contact_at_which_friction_jams_is_named(self):
        self.write("w.dat", local_problem([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], 2.0))
        found, output = self.diagnose("w.dat")
        self.assertAlmostEqual(found["painleve"]["largest"], 1.8)
        self.assertEqual(found["painleve"]["contacts"], [0])
        self.assertIn("1 or above at 1 contact (0)", output)

    def test_a_step_of_a_scene_is_that_of_its_dump(self):
        found, output = self.diagnose("card_house@4", "levels=2")
        self.assertIn("card_house@4 levels=2", output)
        self.assertGreater(found["rows"], found["rank"])
        self.assertEqual(found["dofs"], 42)
        code, _, errors = self.call("run", "card_house", "levels=2", "--duration", "0.01", "--out", "result",
                                    "--dump-problem", "4", ".")
        self.assertEqual(code, 0, errors)
        for words in (("card_house-step-000004.hdf5",), ("result/recording.h5@4",)):
            with self.subTest(words):
                again, _ = self.diagnose(*words)
                self.assertEqual({key: again[key] for key in KEYS[1:]}, {key: found[key] for key in KEYS[1:]})

    def test_a_step_in_which_nothing_touches_has_nothing_to_solve(self):
        scene = self.scene("box_stack", "count=1")
        for body in scene["bodies"]:
            if body.get("mobility", "dynamic") == "dynamic":
                body["position"] = [0, 0, 9]
        self.write("falling.json", json.dumps(scene))
        found, output = self.diagnose("falling.json@2")
        self.assertEqual(found["rows"], 0)
        self.assertIn("nothing to solve", output)

    def test_large_problems_are_told_to_be_so(self):
        found, output = self.diagnose("card_house@1", "levels=16")
        self.assertGreater(found["rows"], 1500)
        self.assertIsNone(found["rank"])
        self.assertIsNone(found["pointed"])
        self.assertIsNotNone(found["painleve"]["largest"])
        self.assertIn("up to 1500 rows", output)

    def test_bad_input_is_refused(self):
        self.write("one.dat", LOCAL.format(mu=0.5))
        self.check_bad((), "problem file or SCENE@STEP")
        self.check_bad(("nowhere.dat",), "nowhere.dat")
        self.check_bad(("card_hous@3",), "card_hous", "card_house")
        self.check_bad(("card_house",), "which step", "card_house@100")
        for step in ("0", "-1", "x", "1.5"):
            self.check_bad((f"card_house@{step}",), f"card_house@{step}", "SCENE@STEP")
        self.check_bad(("card_house@3", "levels=0"), "levels")
        self.check_bad(("one.dat", "mu=1"), "parameters")
        self.check_bad(("one.dat", "--solver", "auto"), "--solver")
        self.check_bad(("card_house@3", "--solver", "magic"), "magic")
        self.write("nan.dat", LOCAL.format(mu="nan"))
        self.check_bad(("nan.dat",), "nan.dat", "not finite")
        code, _, errors = self.call("diagnose", "one.dat", "--json", "one.dat")
        self.assertEqual(code, 2)
        self.assertIn("overwrite", errors)


if __name__ == "__main__":
    unittest.main()
