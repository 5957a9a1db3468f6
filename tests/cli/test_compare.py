"""cardhouse compare: solvers side by side, on scenes and on problem files."""

import csv
import json
import unittest
import xml.etree.ElementTree

from program import ProgramTest
from test_solve import GLOBAL, LOCAL

ROW = ["problem", "solver", "status", "iterations", "seconds", "residual", "natural_map", "seconds_to", "stands"]
TWO = "interior-point,staggered-projections"


class Compare(ProgramTest):
    def compare(self, *words, expect=0):
        """The rows and what was printed."""
        code, output, errors = self.call("compare", *words, "--json", "rows.json")
        self.assertEqual(code, expect, errors)
        rows = self.read_json("rows.json")
        for row in rows:
            self.assertEqual(list(row)[: len(ROW)], ROW)
            self.assertEqual(list(row["seconds_to"]), ["1e-4", "1e-6", "1e-8"])
        return rows, output, errors

    def check_bad(self, words, *parts):
        before = self.files()
        code, output, errors = self.call("compare", *words, "--json", "rows.json", "--out", "pictures")
        self.assertEqual(code, 2, errors)
        self.assertEqual(output, "")
        for part in parts:
            self.assertIn(part, errors)
        self.assertEqual(self.files(), before)

    def picture_words(self, path):
        """The texts of a picture; fails when it is no XML."""
        root = xml.etree.ElementTree.fromstring((self.folder / path).read_text())
        return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]

    def test_files_are_solved_by_every_solver(self):
        self.write("gfc2d.dat", GLOBAL)
        self.write("one.dat", LOCAL.format(mu=0.5))
        rows, output, errors = self.compare("gfc2d.dat", "one.dat")
        solvers = list(dict.fromkeys(row["solver"] for row in rows))
        self.assertIn("auto", solvers)
        self.assertEqual([(row["problem"], row["solver"]) for row in rows],
                         [(problem, solver) for problem in ("gfc2d.dat", "one.dat") for solver in solvers])
        self.assertEqual(len(errors.splitlines()), len(rows))  # a line of progress each
        for row in rows:
            with self.subTest(problem=row["problem"], solver=row["solver"]):
                self.assertIsNone(row["stands"])
                self.assertIn(row["solver"], output)
                if row["status"] == "unsupported":
                    self.assertTrue(row["reason"])
                    self.assertIn(row["reason"], output)
                    self.assertIsNone(row["natural_map"])
                    self.assertEqual(set(row["seconds_to"].values()), {None})
                elif row["status"] == "converged":
                    self.assertLessEqual(row["natural_map"], 1e-8)
                    self.assertTrue(all(seconds >= 0 for seconds in row["seconds_to"].values()))
                    self.assertEqual(row["seconds_to"]["1e-8"], row["seconds"])
        for problem in ("gfc2d.dat", "one.dat"):
            self.assertIn("converged", {row["status"] for row in rows if row["problem"] == problem})

    def test_a_coarse_tolerance_still_measures_the_strict_ones(self):
        self.write("gfc2d.dat", GLOBAL)
        rows, _, _ = self.compare("gfc2d.dat", "--tolerance", "1e-2", "--solvers", "interior-point", "--repeat", "3")
        self.assertLessEqual(rows[0]["natural_map"], 1e-2)
        self.assertIsNotNone(rows[0]["seconds_to"]["1e-8"])

    def test_what_is_not_reached_is_null(self):
        self.write("one.dat", LOCAL.format(mu="nan"))
        rows, _, _ = self.compare("one.dat", "--solvers", "interior-point")
        self.assertEqual((rows[0]["status"], rows[0]["natural_map"], rows[0]["residual"]), ("failed", None, None))
        self.assertEqual(set(rows[0]["seconds_to"].values()), {None})

    def test_several_files_give_performance_profiles(self):
        self.write("gfc2d.dat", GLOBAL)
        for i, mu in enumerate((0.2, 0.5, 2.0)):
            self.write(f"{i}.dat", LOCAL.format(mu=mu))
        _, output, _ = self.compare("gfc2d.dat", "0.dat", "1.dat", "2.dat", "--out", "deep/pictures", "--solvers", TWO)
        self.assertIn("files solved to", output)
        for tolerance in ("1e-4", "1e-6", "1e-8"):
            words = self.picture_words(f"deep/pictures/profile-{tolerance}.svg")
            self.assertIn(f"Performance profile: 4 problems to {tolerance}", words)
            self.assertIn("interior-point", words)
            table = list(csv.DictReader((self.folder / f"deep/pictures/profile-{tolerance}.csv").read_text().splitlines()))
            self.assertEqual(float(table[0]["tau"]), 1.0)
            self.assertEqual(float(table[-1]["interior-point"]), 1.0)
            self.assertEqual(float(table[-1]["staggered-projections"]), 1.0)

    def test_a_scene_gives_residuals_step_by_step(self):
        rows, output, _ = self.compare("card_house", "levels=1", "--duration", "0.02", "--solvers", TWO, "--out", "pictures")
        self.assertEqual([row["problem"] for row in rows], ["card_house levels=1"] * 2)
        for row in rows:
            self.assertEqual((row["status"], row["steps"], row["uncertified_steps"]), ("converged", 20, 0))
            self.assertLessEqual(row["residual"], 1e-8)
            self.assertEqual((row["natural_map"], set(row["seconds_to"].values())), (None, {None}))
            self.assertIn("uncertified", output)
        name = "pictures/card_house_levels_1-residuals"
        table = list(csv.DictReader((self.folder / f"{name}.csv").read_text().splitlines()))
        self.assertEqual(len(table), 20)
        self.assertEqual(list(table[0]), ["step", "time", "interior-point", "staggered-projections"])
        for row in rows:
            self.assertEqual(max(float(line[row["solver"]]) for line in table), row["residual"])
        self.assertIn("tolerance 1e-8", self.picture_words(f"{name}.svg"))
        self.assertEqual(self.files(), ["pictures", f"{name}.csv", f"{name}.svg", "rows.json"])

    def test_a_scene_is_said_to_stand_or_fall(self):
        # By the rule of the file: a block that slides at 1 m/s is 5 cm away in the end, one at rest stays.
        block = {"name": "block", "density": 700, "position": [0, 0, 0.05],
                 "shapes": [{"type": "box", "half_extents": [0.1, 0.1, 0.05]}]}
        for name, speed in (("rests", 0.0), ("slides", 1.0)):
            scene = {"duration": 0.05, "materials": [{"name": "ice", "mu": 0}], "stands": {"max_displacement": 0.001},
                     "bodies": [{"name": "floor", "mobility": "fixed", "shapes": [{"type": "half_space"}]},
                                {**block, "linear_velocity": [speed, 0, 0]}]}
            self.write(f"{name}.json", json.dumps(scene))
        rows, output, _ = self.compare("rests.json", "slides.json", "--solvers", "interior-point")
        self.assertEqual([row["stands"] for row in rows], [True, False])
        self.assertIn("stands", output)
        self.assertIn("fell", output)

    def test_scenes_and_files_may_be_mixed(self):
        self.write("gfc2d.dat", GLOBAL)
        self.write("house.scene", json.dumps(self.scene("card_house", "levels=1")))
        rows, _, _ = self.compare("gfc2d.dat", "./house.scene", "box_stack", "count=1", "--duration", "0.002",
                                  "--solvers", "interior-point")
        self.assertEqual([row["problem"] for row in rows], ["gfc2d.dat", "./house.scene", "box_stack count=1"])
        self.assertEqual([row["steps"] for row in rows], [None, 2, 2])

    def test_a_run_that_takes_too_long_is_cut(self):
        rows, _, _ = self.compare("card_house", "levels=4", "--duration", "1000", "--max-seconds", "0.3",
                                  "--solvers", "interior-point")
        self.assertEqual((rows[0]["status"], rows[0]["stands"]), ("time_limit", None))
        self.assertLess(rows[0]["steps"], 1000000)

    def test_stages_of_auto_are_counted(self):
        self.write("gfc2d.dat", GLOBAL)
        rows, output, _ = self.compare("gfc2d.dat", "card_house", "levels=1", "--duration", "0.02", "--stages",
                                       "--solvers", "auto,interior-point")
        self.assertIn("stage of auto", output)
        for row in rows:
            if row["solver"] != "auto":
                self.assertIsNone(row["stages"])
                continue
            solves = row["steps"] or 1
            self.assertEqual(sum(stage["ends"] for stage in row["stages"]), solves)
            for stage in row["stages"]:
                self.assertEqual(list(stage), ["name", "runs", "ends", "seconds"])
                self.assertLessEqual(stage["ends"], stage["runs"])
        self.assertEqual([row["stages"][0]["name"] for row in rows if row["solver"] == "auto"], ["sweeps", "sweeps"])
        rows, output, _ = self.compare("gfc2d.dat", "--solvers", "auto")
        self.assertIsNone(rows[0]["stages"])
        self.assertNotIn("stage of", output)

    def test_rows_on_standard_output_are_alone_there(self):
        self.write("gfc2d.dat", GLOBAL)
        code, output, errors = self.call("compare", "gfc2d.dat", "--json", "-", "--solvers", "interior-point")
        self.assertEqual(code, 0)
        self.assertEqual(len(json.loads(output, parse_constant=self.fail)), 1)
        self.assertIn("natural map", errors)

    def test_bad_input_is_refused_before_any_work(self):
        self.write("gfc2d.dat", GLOBAL)
        self.check_bad((), "scenes or problem files")
        self.check_bad(("gfc2d.dat", "--solvers", "magic"), "magic", "interior-point")
        self.check_bad(("gfc2d.dat", "--solvers", "auto,,auto"), "must be one of")
        self.check_bad(("gfc2d.dat", "--solvers", "auto,auto"), "auto is given twice")
        self.check_bad(("gfc2d.dat", "gfc2d.dat"), "is given twice")
        self.check_bad(("gfc2d.dat", "levels=3"), "levels=3", "scene")
        self.check_bad(("gfc2d.dat", "card_hous"), "card_hous", "card_house")
        self.check_bad(("gfc2d.dat", "card_house", "levels=0"), "levels")
        self.check_bad(("gfc2d.dat", "--duration", "1"), "--duration", "scenes")
        self.write("bad.dat", LOCAL[: len(LOCAL) // 2])
        self.check_bad(("gfc2d.dat", "bad.dat"), "bad.dat", "cut short")
        for option in ("--tolerance", "--repeat", "--max-seconds"):
            self.check_bad(("gfc2d.dat", option, "0"), option)
        code, _, errors = self.call("compare", "gfc2d.dat", "--json", "gfc2d.dat")
        self.assertEqual(code, 2)
        self.assertIn("overwrite", errors)
        code, _, errors = self.call("compare", "gfc2d.dat", "--out", "gfc2d.dat")
        self.assertEqual(code, 2)
        self.assertIn("not a folder", errors)


if __name__ == "__main__":
    unittest.main()
