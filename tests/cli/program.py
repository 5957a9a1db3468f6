"""Running the program that was built, in a folder of its own."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ.get("CARDHOUSE", str(pathlib.Path(__file__).resolve().parents[2] / "build/release/cardhouse"))


def planar_meets_spatial(distance):
    """A scene in which a planar disk flies at 1 m/s towards a spatial ball; both have a radius of 0.1 m."""
    return {
        "name": "meeting",
        "duration": 2,
        "gravity": [0, 0, 0],
        "bodies": [
            {"name": "disk", "kind": "planar", "density": 1, "linear_velocity": [1, 0, 0],
             "shapes": [{"type": "disk", "radius": 0.1}]},
            {"name": "ball", "density": 1, "position": [distance, 0, 0], "shapes": [{"type": "sphere", "radius": 0.1}]},
        ],
        "stands": {"bodies": ["ball"]},
    }


class ProgramTest(unittest.TestCase):
    """Each test works in a new, empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *words, preparation=None):
        """Runs the program to its end; returns exit code, standard output and standard error."""
        result = subprocess.run(
            [PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=250, check=False,
            preexec_fn=preparation
        )
        return result.returncode, result.stdout, result.stderr

    def run_scene(self, *words, out="result", expect=0):
        """Runs a scene quietly into a folder; returns its summary."""
        code, output, errors = self.call("run", *words, "--out", out, "--quiet")
        self.assertEqual(code, expect, errors)
        self.assertEqual(output, "")
        return self.read_json(f"{out}/summary.json")

    def interrupt_run(self, *words, by=(signal.SIGINT,), recording="result/recording.h5"):
        """Starts a run, sends it signals when it is under way; returns exit code and standard error."""
        process = subprocess.Popen(
            [PROGRAM, "run", *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(process.kill)  # of no effect unless the test failed
        self.wait_for(self.folder / recording, process)
        time.sleep(0.5)
        for each in by:
            process.send_signal(each)
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors

    def wait_for(self, file, process):
        deadline = time.monotonic() + 60
        while not file.exists():
            self.assertIsNone(process.poll(), "the run ended by itself")
            self.assertLess(time.monotonic(), deadline, f"{file} did not appear")
            time.sleep(0.02)

    def read_json(self, path):
        return json.loads((self.folder / path).read_text(), parse_constant=self.fail)

    def write(self, path, text):
        (self.folder / path).write_text(text)
        return path

    def scene(self, *words):
        """A scene of the library as an object that a test can spoil."""
        code, output, errors = self.call("scene", *words)
        self.assertEqual(code, 0, errors)
        return json.loads(output)

    def change_recorded_scene(self, recording, old, new):
        """Its text, which stands in the file as it is; no longer and no shorter."""
        self.assertEqual(len(old), len(new))
        file = self.folder / recording
        data = file.read_bytes()
        self.assertEqual(data.count(old.encode()), 1)
        file.write_bytes(data.replace(old.encode(), new.encode()))

    def files(self):
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*"))
