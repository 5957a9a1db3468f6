"""The plan of the house, and the tool that checks it."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_rooms  # noqa: E402  (the path must come first)

TABLE = """
cardhouse_room(base USES TBB::tbb)
cardhouse_room(math MAY_INCLUDE base)
cardhouse_room(laws MAY_INCLUDE math)
cardhouse_room(model MAY_INCLUDE laws
               USES fmt::fmt)
"""


class Rooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name)
        self.write("CMakeLists.txt", TABLE)

    def write(self, path, text):
        file = self.source / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def violations(self):
        return check_rooms.check_tree(self.source)

    def test_this_house_keeps_to_its_plan(self):
        self.assertEqual(check_rooms.check_tree(ROOT / "src" / "cardhouse"), [])

    def test_a_room_may_include_what_its_rooms_may_include(self):
        self.write("model/body.cpp", '#include "cardhouse/base/error.h"\n#include "cardhouse/model/body.h"\n')
        self.assertEqual(self.violations(), [])

    def test_a_violation_is_named_with_file_and_line(self):
        self.write("laws/law.h", '#pragma once\n\n#include "cardhouse/model/body.h"\n')
        (violation,) = self.violations()
        self.assertIn("laws/law.h:3: laws may not include model", violation)

    def test_the_command_line_may_include_everything(self):
        self.write("cli/main.cpp", '#include "cardhouse/model/body.h"\n#include <CLI/CLI.hpp>\n')
        self.assertEqual(self.violations(), [])

    def test_an_include_by_another_path_is_found(self):
        self.write("laws/law.h", '#include "../model/body.h"\n')
        self.assertIn("write the include as", self.violations()[0])

    def test_libraries_stay_behind_their_files(self):
        for path, target, name in (
            ("model/body.cpp", "hdf5.h", "HDF5"),
            ("model/body.cpp", "nlohmann/json.hpp", "nlohmann_json"),
            ("model/body.cpp", "libqhullcpp/Qhull.h", "Qhull"),
            ("model/body.cpp", "tbb/parallel_for.h", "TBB"),
            ("model/body.cpp", "CLI/CLI.hpp", "CLI11"),
        ):
            self.write(path, f"#include <{target}>\n")
            self.assertIn(f"{name} may be included only in", "\n".join(self.violations()), target)

    def test_libraries_are_welcome_in_their_files(self):
        self.write("io/hdf5_file.cpp", "#include <hdf5.h>\n")
        self.write("base/parallel.cpp", "#include <tbb/task_arena.h>\n")
        self.write("geometry/hull.cpp", "#include <libqhullcpp/Qhull.h>\n")
        self.assertEqual(self.violations(), [])

    def test_rooms_that_may_include_each_other_are_found(self):
        self.write("CMakeLists.txt", "cardhouse_room(a MAY_INCLUDE b)\ncardhouse_room(b MAY_INCLUDE a)\n")
        self.assertIn("the rooms a and b may include each other", self.violations())

    def test_a_misspelt_room_in_the_table_is_found(self):
        self.write("CMakeLists.txt", "cardhouse_room(a MAY_INCLUDE bse)\n")
        self.assertIn("room a names bse, which is not a room", self.violations())


if __name__ == "__main__":
    unittest.main()
