"""cardhouse run --dump-problem: the contact problems of steps, as files."""

import json
import unittest

import h5py
import numpy

from program import ProgramTest


def datasets(path):
    """Every dataset of an HDF5 file, by its name."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def two_stacks():
    """Two boxes far apart on one floor, and one high above: two islands and a body without contacts."""
    box = {"shapes": [{"type": "box", "half_extents": [0.1, 0.1, 0.1]}], "density": 1000}
    bodies = [{"name": "floor", "mobility": "fixed", "shapes": [{"type": "half_space"}]}]
    for name, position in (("left", [-1, 0, 0.1]), ("high", [0, 0, 5]), ("right", [1, 0, 0.1])):
        bodies.append({"name": name, "position": position, **box})
    return {"name": "two stacks", "duration": 0.02, "settings": {"step": 0.001}, "bodies": bodies}


class Dump(ProgramTest):
    def run_with(self, *words, expect=0):
        code, output, errors = self.call("run", *words, "--out", "result")
        self.assertEqual(code, expect, errors)
        return output

    def check_bad(self, words, *parts):
        code, output, errors = self.call("run", *words)
        self.assertEqual(code, 2, errors)
        self.assertEqual(output, "")
        for part in parts:
            self.assertIn(part, errors)
        self.assertEqual(self.files(), [])

    def test_a_step_is_written_as_fclib_and_solved_from_there(self):
        output = self.run_with("card_house", "levels=2", "--duration", "0.01", "--dump-problem", "3", "problems")
        self.assertIn("problems/card_house-step-000003.hdf5", output)
        file = self.folder / "problems/card_house-step-000003.hdf5"
        data = datasets(file)
        # What FCLIB and Siconos look for in a global problem.
        for name in ("spacedim", "vectors/f", "vectors/w", "vectors/mu", "M/x", "H/x"):
            self.assertIn(f"fclib_global/{name}", data)
        contacts = len(data["fclib_global/vectors/mu"])
        self.assertEqual(len(data["fclib_global/vectors/w"]), 3 * contacts)
        self.assertEqual(data["fclib_global/M/m"][0], 7 * 6)
        self.assertEqual(len(data["guesses/1/r"]), 3 * contacts)
        self.assertTrue(numpy.any(data["guesses/1/r"] != 0))  # the impulses of step 2
        code, _, errors = self.call("solve", file, "--summary", "solved.json")
        self.assertEqual(code, 0, errors)
        solved = self.read_json("solved.json")
        self.assertEqual((solved["status"], solved["contacts"], solved["dofs"]), ("converged", contacts, 42))

    def test_a_step_of_several_islands_is_one_problem(self):
        self.write("two.json", json.dumps(two_stacks()))
        self.run_with("two.json", "--dump-problem", "5", "problems")
        data = datasets(self.folder / "problems/two_stacks-step-000005.hdf5")
        self.assertEqual(len(data["fclib_global/vectors/mu"]), 8)
        self.assertEqual(data["fclib_global/M/m"][0], 12)  # the body without contacts has no part in it
        # Each box's weight rests on its own four contacts.
        mass, weight = data["fclib_global/M/x"][0], 9.81 * 1e-3
        normal = data["guesses/1/r"].reshape(8, 3)[:, 0]
        for half in (normal[:4], normal[4:]):
            self.assertAlmostEqual(half.sum() / (mass * weight), 1.0, places=6)

    def test_the_same_run_writes_the_same_numbers_and_dumping_changes_no_bits(self):
        words = ("card_house", "levels=2", "--duration", "0.02")
        self.run_with(*words, "--dump-problem", "worst", "first", "--dump-problem", "7", "first")
        dumped = self.read_json("result/summary.json")
        self.run_with(*words, "--dump-problem", "worst", "second", "--dump-problem", "7", "second")
        self.run_with(*words)
        self.assertEqual(self.read_json("result/summary.json")["state_hash"], dumped["state_hash"])
        first = sorted((self.folder / "first").iterdir())
        second = sorted((self.folder / "second").iterdir())
        self.assertEqual([file.name for file in first], [file.name for file in second])
        self.assertIn("card_house-step-000007.hdf5", [file.name for file in first])
        for one, other in zip(first, second):
            left, right = datasets(one), datasets(other)
            self.assertEqual(list(left), list(right))
            for name in left:
                self.assertEqual(numpy.asarray(left[name]).tobytes(), numpy.asarray(right[name]).tobytes(), name)

    def test_the_worst_step_is_the_one_with_the_largest_residual(self):
        words = ("card_house", "levels=1", "mu=0.1", "--duration", "0.02", "--step", "0.005", "--solver", "projected-gauss-seidel")
        self.run_with(*words, "--dump-problem", "worst", "problems")
        summary = self.read_json("result/summary.json")
        self.assertGreater(summary["uncertified_steps"], 0)
        self.assertEqual([file.name for file in (self.folder / "problems").iterdir()],
                         [f"card_house-step-{summary['worst_uncertified']['step']:06}.hdf5"])

    def test_every_uncertified_step_is_written(self):
        self.run_with("incline", "ratio=1.3", "--duration", "0.02", "--solver", "convex-relaxation",
                      "--dump-problem", "uncertified", "deep/problems")
        summary = self.read_json("result/summary.json")
        self.assertGreater(summary["uncertified_steps"], 1)
        self.assertEqual(len(list((self.folder / "deep/problems").iterdir())), summary["uncertified_steps"])

    def test_without_an_uncertified_step_nothing_is_written(self):
        output = self.run_with("box_stack", "count=2", "--duration", "0.01", "--dump-problem", "uncertified", "problems")
        self.assertIn("none for 'uncertified'", output)
        self.assertFalse((self.folder / "problems").exists())

    def test_a_step_without_contacts_has_no_problem(self):
        scene = two_stacks()
        scene["bodies"] = [body for body in scene["bodies"] if body["name"] in ("floor", "high")]
        self.write("falling.json", json.dumps(scene))
        for which in ("3", "worst"):
            self.assertIn(f"none for '{which}'", self.run_with("falling.json", "--dump-problem", which, "problems"))

    def test_strict_keeps_the_step_that_it_stopped_at(self):
        self.run_with("sliding_block", "--duration", "0.1", "--solver", "convex-relaxation", "--strict",
                      "--dump-problem", "worst", "problems", expect=3)
        self.assertEqual(len(list((self.folder / "problems").iterdir())), 1)

    def test_parameters_may_follow_the_option(self):
        self.run_with("card_house", "--dump-problem", "1", "problems", "levels=1", "--duration", "0.002")
        self.assertEqual(self.read_json("result/summary.json")["parameters"]["levels"], "1")

    def test_steps_of_a_continuation_keep_their_numbers(self):
        self.run_with("box_stack", "count=2", "--duration", "0.01", "--dump-problem", "8", "whole")
        self.call("run", "--from", "result/recording.h5@5", "--out", "more", "--dump-problem", "8", "rest")
        one, other = (datasets(self.folder / folder / "box_stack-step-000008.hdf5") for folder in ("whole", "rest"))
        for name in one:
            self.assertEqual(numpy.asarray(one[name]).tobytes(), numpy.asarray(other[name]).tobytes(), name)
        code, _, errors = self.call("run", "--from", "result/recording.h5@5", "--out", "more", "--dump-problem", "5", "rest")
        self.assertEqual(code, 2)
        self.assertIn("6 … 10", errors)

    def test_what_cannot_be_dumped_is_refused_before_anything_is_written(self):
        for which in ("0", "-3", "best", "1.5"):
            self.check_bad(("card_house", "--dump-problem", which, "problems"), "--dump-problem", "worst or uncertified")
        self.check_bad(("card_house", "--dump-problem", "", "problems"), "--dump-problem", "must not be empty")
        self.check_bad(("card_house", "--duration", "0.01", "--dump-problem", "11", "problems"), "1 … 10")
        self.check_bad(("card_house", "--dump-problem", "worst"), "--dump-problem")
        self.check_bad(("card_house", "--dump-problem", "worst", "/dev/null/problems"), "--dump-problem", "not a folder")
        self.check_bad(("card_house", "--dump-problem", "worst", "--quiet"), "--dump-problem", "missing before --quiet")


if __name__ == "__main__":
    unittest.main()
