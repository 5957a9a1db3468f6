"""./run: what it hands to the program, and what it prints. The program and the tools that build it are stand-ins."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

ENVIRONMENT = """
build_packages=()
install_node() { :; }
build() { :; }
"""

# Notes the arguments of `run`, of which there is a recording; `report` does what a test says.
PROGRAM = """#!/bin/sh
command=$1
shift
if [ "$command" = run ]; then
  printf '%s\\n' "$*" > run_arguments
  touch recording.h5
  printf '  recording       recording.h5\\n'
else
  REPORT
fi
"""


class RunScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copy(ROOT / "run", self.folder / "run")
        self.write("tools/build_environment.sh", ENVIRONMENT)
        self.write("tools/install_packages.sh", "#!/bin/sh\n")

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def call(self, *words, report="echo recording.html"):
        """Returns the arguments that the program got, standard output and standard error."""
        self.write("build/release/cardhouse", PROGRAM.replace("REPORT", report))
        result = subprocess.run([self.folder / "run", *words], cwd=self.folder, capture_output=True, text=True,
                                timeout=60, check=False, env=os.environ)
        self.assertEqual(result.returncode, 0, result.stderr)
        return (self.folder / "run_arguments").read_text().strip(), result.stdout, result.stderr

    def test_options_without_a_scene_are_for_the_card_house(self):
        for words in ((), ("--duration", "1"), ("--strict",), ("--duration=1", "--quiet"), ("--fps",),
                      ("--dump-problem", "worst", "problems"), ("--step", "0.002", "--out", "results")):
            with self.subTest(words=words):
                self.assertEqual(self.call(*words)[0], " ".join(("card_house", "levels=4", *words)))

    def test_what_the_arguments_say_goes_before(self):
        for words in (("arch",), ("arch", "voussoirs=7", "--duration", "1"), ("--duration", "1", "arch"),
                      ("--strict", "my.json"), ("--dump-problem", "worst", "problems", "arch"), ("--help",), ("-h",),
                      ("--from", "recording.h5@3"), ("--duration", "1", "--from=recording.h5@3")):
            with self.subTest(words=words):
                self.assertEqual(self.call(*words)[0], " ".join(words))

    def test_the_report_is_told_and_its_warnings_stand_apart(self):
        _, output, errors = self.call(report="echo 'a warning' >&2; echo recording.html")
        self.assertEqual(output.splitlines()[-1], "  report          recording.html")
        self.assertNotIn("warning", output)
        self.assertIn("a warning", errors)

    def test_without_a_report_it_says_why(self):
        _, output, _ = self.call(report="echo 'no page' >&2; exit 2")
        self.assertEqual(output.splitlines()[-1], "  report          none: no page")


if __name__ == "__main__":
    unittest.main()
