"""cardhouse solve: contact problems from files of other projects."""

import json
import unittest

from program import ProgramTest

KEYS = ["file", "contacts", "dofs", "dimension", "solver", "methods", "status", "conflicting_rows", "iterations",
        "seconds", "residual", "natural_map", "natural_map_q"]

# A particle of mass 1 with one contact in space that presses at 1 m/s and slides at 1 m/s: it sticks at mu = 2 and
# slides on at mu = 0.5.
LOCAL = """3
1
0
3
3
3	3
1.0 0.0 0.0
0.0 1.0 0.0
0.0 0.0 1.0
-1.0 1.0 0.0
{mu}
"""

# A particle in the plane between two walls that both come nearer at 1 m/s.
SQUEEZED = """2
2
0
4
4
4	4
1.0 0.0 -1.0 0.0
0.0 1.0 0.0 0.0
-1.0 0.0 1.0 0.0
0.0 0.0 0.0 1.0
-1.0 0.2 -1.0 0.1
0.3 0.3
"""

# Two planar bodies (a mass on each axis and an inertia) with one contact between them; the second one is twice as heavy.
GLOBAL = """2
1
2
6
6
1
CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016
triplet: 6-by-6, nzmax: 6 nnz: 6
    0 0 : 1
    1 1 : 1
    2 2 : 0.1
    3 3 : 2
    4 4 : 2
    5 5 : 0.2
0
6
2
6	2
 0 1 0 0 -1 0
 1 0 0 -1 0 0
0 -1 0 0 0 0
0 0
0.5
"""


class Solve(ProgramTest):
    def solve(self, *words, expect=0):
        """Solves with the summary in a file; returns the summary and what was printed."""
        code, output, errors = self.call("solve", *words, "--summary", "summary.json")
        self.assertEqual(code, expect, errors)
        self.assertEqual(errors, "")
        summary = self.read_json("summary.json")
        self.assertEqual(list(summary), KEYS)
        return summary, output

    def check_bad(self, words, *parts):
        before = self.files()
        code, output, errors = self.call("solve", *words)
        self.assertEqual(code, 2, errors)
        self.assertEqual(output, "")
        for part in parts:
            self.assertIn(part, errors)
        self.assertEqual(self.files(), before)

    def test_a_local_problem_is_solved_and_told(self):
        for mu in (2.0, 0.5, 0.0):
            with self.subTest(mu=mu):
                self.write("one.dat", LOCAL.format(mu=mu))
                summary, output = self.solve("one.dat")
                self.assertEqual(summary["file"], "one.dat")
                self.assertEqual((summary["contacts"], summary["dimension"], summary["dofs"]), (1, 3, None))
                self.assertEqual(summary["status"], "converged")
                self.assertLessEqual(summary["natural_map"], 1e-8)
                self.assertLessEqual(summary["natural_map_q"], 1e-8)
                # Mass and impulse are 1 here, so that both measures are of one size.
                self.assertLessEqual(summary["residual"], 1e-7)
                self.assertGreaterEqual(summary["seconds"], 0.0)
                for word in (summary["status"], "iterations", "seconds", "residual", "approach speed", "cone excess",
                             "natural map", "1 contacts in space"):
                    self.assertIn(word, output)

    def test_a_global_problem_is_solved(self):
        self.write("gfc2d.dat", GLOBAL)
        summary, output = self.solve("gfc2d.dat")
        self.assertEqual((summary["contacts"], summary["dimension"], summary["dofs"]), (1, 2, 6))
        self.assertEqual(summary["status"], "converged")
        self.assertLessEqual(summary["natural_map"], 1e-8)
        self.assertTrue(summary["methods"])
        self.assertIn("in the plane, 6 degrees of freedom", output)

    def test_a_summary_on_standard_output_is_all_that_is_there(self):
        self.write("one.dat", LOCAL.format(mu=0.5))
        code, output, errors = self.call("solve", "one.dat", "--summary", "-")
        self.assertEqual(code, 0)
        self.assertEqual(list(json.loads(output, parse_constant=self.fail)), KEYS)
        self.assertIn("natural map", errors)
        self.assertEqual(self.files(), ["one.dat"])

    def test_not_converging_is_no_error(self):
        self.write("one.dat", LOCAL.format(mu="nan"))
        summary, _ = self.solve("one.dat")
        self.assertNotEqual(summary["status"], "converged")
        self.assertIsNone(summary["natural_map"])  # it could not be computed
        self.assertIsNone(summary["residual"])

    def test_rows_that_contradict_each_other_are_named_whatever_the_scale(self):
        # Impulses that grow without end would make the natural-map error as small as one likes.
        self.write("squeezed.dat", SQUEEZED)
        for solver in ("auto", "newton", "admm", "interior-point"):
            with self.subTest(solver=solver):
                summary, output = self.solve("squeezed.dat", "--solver", solver)
                self.assertEqual(summary["status"], "infeasible")
                self.assertEqual(summary["conflicting_rows"], [0, 2])
                self.assertIn("in conflict", output)
                self.assertIn("0, 1", output)

    def test_options_reach_the_solver(self):
        self.write("gfc2d.dat", GLOBAL)
        summary, _ = self.solve("gfc2d.dat", "--max-iterations", "1", "--tolerance", "1e-3", "--max-seconds", "10",
                                "--solver", "staggered-projections")
        self.assertEqual(summary["iterations"], 1)
        self.assertEqual((summary["solver"], summary["methods"]), ("staggered-projections", ["staggered-projections"]))

    def test_a_solver_says_what_it_cannot_do(self):
        self.write("one.dat", LOCAL.format(mu=0.5))
        summary, output = self.solve("one.dat", "--solver", "convex-relaxation")
        self.assertEqual(summary["status"], "iteration_limit")
        self.assertIn("relaxed", output)

    def test_options_of_a_solvers_own_follow_its_name(self):
        self.write("one.dat", LOCAL.format(mu=0.5))
        summary, _ = self.solve("one.dat", "--solver", "staggered-projections:form=parallel:anderson=0")
        self.assertEqual((summary["status"], summary["methods"]), ("converged", ["staggered-projections"]))
        for wrong, words in (("newton:function=x", "one of: alart-curnier"), ("newton:depth=3", "it has: function"),
                             ("admm:x=1", "it has none"), ("newton:function", "NAME:option=value"),
                             ("staggered-projections:anderson=99", "from 0 to 30")):
            self.check_bad(("one.dat", "--solver", wrong), words)

    def test_bad_files_are_refused(self):
        self.check_bad(("nowhere.dat",), "nowhere.dat", "no such file")
        self.check_bad((".",), "folder")
        self.check_bad((self.write("bad.dat", "hello"),), "bad.dat", "neither an HDF5 file")
        self.check_bad((self.write("bad.dat", LOCAL.format(mu="-0.5")),), "bad.dat", "coefficient of friction of -0.5")
        self.check_bad((self.write("bad.dat", LOCAL[: len(LOCAL) // 2]),), "bad.dat", "cut short")
        self.check_bad((self.write("bad.hdf5", "\u0089HDF"),), "bad.hdf5")

    def test_bad_arguments_are_refused(self):
        self.write("one.dat", LOCAL.format(mu=0.5))
        self.check_bad((), "FILE")
        self.check_bad(("one.dat", "--solver", "magic"), "magic", "staggered-projections")
        for option in ("--tolerance", "--max-seconds", "--max-iterations"):
            self.check_bad(("one.dat", option, "0"), option)
            self.check_bad(("one.dat", option, "-1"), option)
        self.check_bad(("one.dat", "--summary", "nowhere/s.json"), "--summary", "no folder")
        self.check_bad(("one.dat", "--summary", "one.dat"), "--summary", "overwrite")

    def test_help_explains_the_tolerance(self):
        code, output, _ = self.call("solve", "--help")
        self.assertEqual(code, 0)
        self.assertIn("natural-map", output)


if __name__ == "__main__":
    unittest.main()
