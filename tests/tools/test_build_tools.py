"""The tools that look at the code and at its build."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_tidy  # noqa: E402  (the path must come first)
import house  # noqa: E402
import measure_build  # noqa: E402
import skipped_tests  # noqa: E402

SOURCE = """namespace cardhouse {

double twice(double x) {
  return 2.0 * x;
}

int Long::name(int first,
               int second) const {
  if (first > second) {
    return 1;
  }
  return 2;
}

struct Plain {
  int one() const { return 1; }
};

}  // namespace cardhouse
"""

LOG = """# ninja log v5
0\t1500\t1\tmath/a.cpp.o\tabc
100\t4100\t1\tUnity/unity_0_cxx.cxx.o\tabd
100\t4100\t1\t/work/Unity/unity_0_cxx.cxx.o\tabd
"""


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class House(InAFolder):
    def test_functions_are_measured_from_their_opening_brace(self):
        file = self.folder / "sample.cpp"
        file.write_text(SOURCE)
        self.assertEqual([(first, lines) for first, lines, _ in house.functions(file)], [(3, 3), (7, 6)])
        self.assertEqual(house.one_line_functions(file), 1)

    def test_a_quantile_is_one_of_the_values(self):
        self.assertEqual(house.quantile([3, 1, 2, 10], 0.5), 3)
        self.assertEqual(house.quantile([], 0.9), 0)

    def test_attributes_and_default_arguments_do_not_hide_a_function(self):
        for head in ("[[noreturn]] void fail(int x) {", "void read(const Keys& keys = {}, int n) {"):
            self.assertTrue(house.opens_function(head), head)
        for head in ("const auto visit = [&](int x) {", "constexpr Row table[] = {", "if (x) {"):
            self.assertFalse(house.opens_function(head), head)

    def test_this_house_has_no_cycles_and_short_functions(self):
        with contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch("sys.argv", ["house.py", "--check"]):
            self.assertEqual(house.main(), 0)


class MeasureBuild(InAFolder):
    def test_the_slowest_command_comes_first_and_counts_once(self):
        (self.folder / ".ninja_log").write_text(LOG)
        rows = measure_build.read_log(self.folder)
        self.assertEqual(rows, [(4.0, "Unity/unity_0_cxx.cxx.o"), (1.5, "math/a.cpp.o")])


class CheckTidy(InAFolder):
    def test_a_batch_stands_for_its_files(self):
        batch = self.folder / "Unity" / "unity_0_cxx.cxx"
        batch.parent.mkdir()
        batch.write_text('/* generated */\n#include "/a/one.cpp"\n\n#include "/a/two.cpp"\n')
        self.assertEqual(check_tidy.sources({"file": str(batch)}), [pathlib.Path("/a/one.cpp"), pathlib.Path("/a/two.cpp")])
        self.assertEqual(check_tidy.sources({"file": "/a/one.cpp"}), [pathlib.Path("/a/one.cpp")])

    def test_headers_are_reached_through_headers(self):
        reached = check_tidy.reached_files([ROOT / "src" / "cardhouse" / "contact" / "residual.cpp"])
        self.assertIn(ROOT / "src" / "cardhouse" / "math" / "types.h", reached)


class SkippedTests(unittest.TestCase):
    def test_both_kinds_of_tests_are_counted(self):
        log = '/a/b_test.cpp:74: Skipped\n"/x/../shared/problems/a.dat" is not there\n\nRan 9 tests\n\nOK (skipped=2)\n'
        self.assertEqual(
            skipped_tests.summary([log]),
            "3 tests were skipped\n  1 without data beside the checkout (../shared)\n  2 without what a Python test needs",
        )
        self.assertEqual(skipped_tests.summary(["OK\n"]), "0 tests were skipped")


if __name__ == "__main__":
    unittest.main()
