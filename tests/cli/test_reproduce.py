"""cardhouse reproduce: published settings, run again."""

import csv
import json
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from program import PROGRAM, ProgramTest

ROW = ["entry", "name", "source", "published", "measured", "rule", "verdict", "note"]
VERDICTS = {"agrees", "differs", "not readable", "not decided"}


class Reproduce(ProgramTest):
    def check_bad(self, words, *parts):
        before = self.files()
        code, output, errors = self.call("reproduce", *words)
        self.assertEqual(code, 2, errors)
        self.assertEqual(output, "")
        for part in parts:
            self.assertIn(part, errors)
        self.assertEqual(self.files(), before)

    def test_the_list_names_every_entry_with_its_source(self):
        code, output, errors = self.call("reproduce", "--list")
        self.assertEqual((code, errors), (0, ""))
        for name in ("thesis-6.2", "thesis-table-7.2", "anitescu-2006-table-10.1", "anitescu-hart-table-1",
                     "slides-2003-ellipse"):
            self.assertIn(name, output)
        self.assertIn("Kaufman 2009, Fig. 6.2", output)

    def test_an_entry_gives_a_table_rows_numbers_and_figures(self):
        code, output, errors = self.call("reproduce", "anitescu-2006-table-10.1", "thesis-6.8", "--short",
                                         "--out", "reproduced", "--json", "rows.json")
        self.assertEqual(code, 0, errors)
        rows = self.read_json("rows.json")
        self.assertEqual({row["entry"] for row in rows}, {"anitescu-2006-table-10.1", "thesis-6.8"})
        for row in rows:
            self.assertEqual(list(row), ROW)
            self.assertIn(row["verdict"], VERDICTS)
            self.assertTrue(row["rule"])
            for part in (row["name"], row["rule"], row["verdict"]):
                self.assertIn(part, output)
        self.assertAlmostEqual(rows[0]["published"], 5.6314784e-2)
        self.assertIsInstance(rows[0]["measured"], float)
        self.assertIn("[1/2] anitescu-2006-table-10.1", errors)
        with open(self.folder / "reproduced/anitescu-2006-table-10.1/differences.csv", encoding="utf-8") as file:
            lines = list(csv.reader(file))
        self.assertEqual(lines[0], ["h", "published", "measured"])
        self.assertEqual(float(lines[1][0]), 0.1)
        for figure in (self.folder / "reproduced").rglob("*.svg"):
            xml.etree.ElementTree.fromstring(figure.read_text())  # fails when it is no XML
        self.assertTrue((self.folder / "reproduced/thesis-6.8/iterations.svg").exists())

    def test_entries_are_told_in_their_order_however_many_run_at_a_time(self):
        # The first takes longest; none has rows that a clock decides.
        names = ("thesis-4.2", "anitescu-hart-pyramid", "thesis-6.8", "anitescu-2006-table-10.1")
        told = []
        for threads in ("1", "3"):
            code, output, errors = self.call("reproduce", *names, "--short", "--threads", threads, "--json", "rows.json")
            self.assertEqual(code, 0, errors)
            places = [output.index(f"{name}:") for name in names]
            self.assertEqual(places, sorted(places))
            told.append((output, self.read_json("rows.json")))
        self.assertEqual(told[0], told[1])

    def test_rows_on_standard_output_are_alone_there(self):
        code, output, errors = self.call("reproduce", "anitescu-hart-pyramid", "--short", "--json", "-")
        self.assertEqual(code, 0, errors)
        self.assertEqual(len(json.loads(output, parse_constant=self.fail)), 3)
        self.assertIn("verdict", errors)

    def test_without_places_nothing_is_written(self):
        code, output, errors = self.call("reproduce", "anitescu-hart-pyramid", "--short")
        self.assertEqual(code, 0, errors)
        self.assertIn("3 rows: 2 agree, 0 differ, 1 not readable, 0 not decided", output)
        self.assertEqual(self.files(), [])

    def test_bad_input_is_refused_before_any_work(self):
        self.write("file", "")
        self.check_bad((), "--all", "--list")
        self.check_bad(("thesis-6.22",), "thesis-6.22", "did you mean 'thesis-6.2'")
        self.check_bad(("thesis-6.2", "nothing-like-it"), "nothing-like-it", "--list")
        self.check_bad(("thesis-6.2", "thesis-6.2"), "is given twice")
        self.check_bad(("thesis-6.2", "--all"), "--all")
        self.check_bad(("thesis-6.2", "--list"), "--list")
        self.check_bad(("thesis-6.2", "--short", "--long"), "--short")
        self.check_bad(("thesis-6.2", "--threads", "0"), "--threads")
        self.check_bad(("thesis-6.2", "--out", "file"), "not a folder")
        self.check_bad(("thesis-6.2", "--json", "nowhere/rows.json"), "no folder")

    def test_an_interrupt_keeps_what_was_found(self):
        process = subprocess.Popen(
            [PROGRAM, "reproduce", "anitescu-hart-pyramid", "thesis-7.5", "--out", "reproduced", "--json", "rows.json"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_for(self.folder / "reproduced/anitescu-hart-pyramid/pyramid.csv", process)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted", errors)
        self.assertIn("anitescu-hart-pyramid", output)
        self.assertEqual({row["entry"] for row in self.read_json("rows.json")}, {"anitescu-hart-pyramid"})


if __name__ == "__main__":
    unittest.main()
