"""The pages of the project, and the tool that checks them."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_docs  # noqa: E402  (the path must come first)

LONG = "word " * 81  # 404 characters, 400 are allowed


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def violations(self):
        return check_docs.check_tree(self.root)

    def test_this_project_keeps_to_the_rules(self):
        self.assertEqual(check_docs.check_tree(ROOT), [])

    def test_a_long_paragraph_is_named_with_file_and_line(self):
        self.write("docs/page.md", "# Title\n\nShort.\n\n" + "\n".join(["word " * 20] * 5) + "\n")
        (violation,) = self.violations()
        self.assertRegex(violation, r"docs/page\.md:5: a paragraph of \d+ characters")

    def test_list_items_and_cells_are_counted_one_by_one(self):
        half = "word " * 50
        self.write("README.md", f"- {half}\n- {half}\n  1. {half}\n\n| {half} | {half} |\n|---|---|\n| `a|b` | {half} |\n")
        self.assertEqual(self.violations(), [])

    def test_a_long_cell_and_a_long_item_are_found(self):
        self.write("docs/a.md", f"| short | {LONG} |\n|---|---|\n")
        self.write("docs/deep/b.md", f"1. {LONG}\n")
        self.assertEqual(len(self.violations()), 2)

    def test_code_is_not_counted(self):
        self.write("docs/a.md", f"Text:\n\n    {LONG}\n\n```\n{LONG}\n[nothing](nowhere.md)\n```\n")
        self.assertEqual(self.violations(), [])

    def test_an_indented_paragraph_of_a_list_item_is_counted(self):
        self.write("docs/a.md", f"- item\n\n    {LONG}\n")
        self.assertEqual(len(self.violations()), 1)

    def test_links_that_lead_nowhere_are_found(self):
        self.write("README.md", "See [this\npage](docs/other.md).\n\n<img src=\"none.png\">\n")
        self.assertEqual(
            [v.rsplit("README.md", 1)[1] for v in self.violations()],
            [":2: the link to docs/other.md leads nowhere", ":4: the link to none.png leads nowhere"],
        )

    def test_links_to_pages_headings_folders_and_other_sites_are_fine(self):
        self.write("README.md", "[a](docs/a.md#two-words--a-b) [b](#here) [c](docs) [d](https://x.org/#y)\n\n## Here\n")
        self.write("docs/a.md", "# `Two` words – A, b\n\n[up](../README.md)\n")
        self.assertEqual(self.violations(), [])

    def test_an_anchor_that_leads_nowhere_is_found(self):
        self.write("docs/a.md", "# Title\n\n[x](#titel)\n")
        self.assertIn("leads to no heading of a.md", self.violations()[0])

    def test_the_second_heading_of_a_name_gets_a_number(self):
        self.write("docs/a.md", "# A\n\n## B\n\n## B\n\n[x](#b) [y](#b-1)\n")
        self.assertEqual(self.violations(), [])

    def test_links_in_code_spans_are_not_links(self):
        self.write("docs/a.md", "Write `[text](page.md)`.\n")
        self.assertEqual(self.violations(), [])

    def test_a_term_that_is_defined_twice_is_found(self):
        rows = ("**bias** | one", "**gap** | two", "**Bias** (b) | three", "**W** | a matrix", "**w** | a velocity")
        self.write("docs/glossary.md", "| term | meaning |\n|---|---|\n" + "".join(f"| {row} |\n" for row in rows))
        (violation,) = self.violations()
        self.assertIn("docs/glossary.md:5: Bias is defined twice, first in line 3", violation)

    def test_source_files_that_are_gone_are_found(self):
        self.write("src/cardhouse/contact/residual.h", "")
        self.write("docs/a.md", "`contact/residual.h`, `residual.h`, `h`\n\n`stepping/residual.h` and `gone.cpp`\n")
        self.assertEqual(
            [v.rsplit("a.md", 1)[1] for v in self.violations()],
            [":3: there is no source file gone.cpp", ":3: there is no source file stepping/residual.h"],
        )


if __name__ == "__main__":
    unittest.main()
