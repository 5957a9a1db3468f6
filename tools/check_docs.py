#!/usr/bin/env python3
"""Holds the Markdown pages of the project to three rules.

1. No paragraph is longer than 400 characters. A list item, a table cell and a heading each count as a paragraph; code
   blocks do not count.
2. A relative link leads to a file of the project, and its anchor to a heading of that file.
3. A term that stands in bold at the start of a row of a glossary (a file called glossary.md) is defined once.

The pages are README.md, CHANGELOG.md, benchmarks/README.md and docs/**/*.md, or those below a folder given as argument.
Each violation is printed as file:line: what is wrong.
"""

import pathlib
import re
import sys

LONGEST = 400
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s+")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
RULER = re.compile(r"^[\s|:-]+$")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
IMAGE_TAG = re.compile(r'<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"')
NAMED_PLACE = re.compile(r'<a\b[^>]*\b(?:id|name)="([^"]+)"')
CODE_SPAN = re.compile(r"(`+)(.+?)\1")
TERM = re.compile(r"^\*\*(.+?)\*\*")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:|^//", re.IGNORECASE)


def lines_outside_code(text):
    """(number, line) of each line; lines of code blocks come as empty lines, which end paragraphs."""
    fence, may_be_code = None, True
    for number, line in enumerate(text.splitlines(), start=1):
        mark = FENCE.match(line)
        if fence is not None:
            if mark and mark.group(1) == fence:
                fence = None
            yield number, ""
        elif mark:
            fence = mark.group(1)
            yield number, ""
        elif may_be_code and line.startswith("    "):
            yield number, ""  # indented code; the lines after it may be code as well
        else:
            # An indented line goes on a paragraph or a list item unless a blank line outside a list came before it.
            may_be_code = not line.strip() or HEADING.match(line) is not None
            if line.strip() == "" and in_list(text, number):
                may_be_code = False
            yield number, line


def in_list(text, number):
    """Whether the last line before this blank one belongs to a list item."""
    for line in reversed(text.splitlines()[: number - 1]):
        if not line.strip():
            return False
        if ITEM.match(line):
            return True
        if not line.startswith(" "):
            return False
    return False


def cells(line):
    """The cells of a table's row. A bar in a code span or behind a backslash does not end a cell."""
    kept = CODE_SPAN.sub(lambda span: span.group(0).replace("|", "\0"), line).replace("\\|", "\1")
    inner = kept.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\0", "|").replace("\1", "\\|") for cell in inner.split("|")]


def paragraphs(text):
    """(line, text) of each paragraph, list item, heading and table cell."""
    first, words = 0, []
    for number, line in lines_outside_code(text):
        row = line.lstrip().startswith("|")
        starts = row or not line.strip() or ITEM.match(line) or HEADING.match(line)
        if starts and words:
            yield first, " ".join(words)
            words = []
        if row:
            if not RULER.match(line):
                yield from ((number, cell) for cell in cells(line))
        elif HEADING.match(line):
            yield number, line.strip()
        elif line.strip():
            if not words:
                first = number
            words.append(line.strip())
    if words:
        yield first, " ".join(words)


def anchor(title):
    """The name that GitHub gives to a heading."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
    kept = re.sub(r"[^\w\- ]", "", plain.strip().lower())
    return kept.replace(" ", "-")


def anchors(text):
    found = {}
    for _, line in lines_outside_code(text):
        for name in NAMED_PLACE.findall(line):
            found[name] = 1
        heading = HEADING.match(line)
        if heading:
            name = anchor(heading.group(2))
            count = found.get(name, 0)
            found[name] = count + 1
            if count:
                found[f"{name}-{count}"] = 1
    return set(found)


def check_link(page, target):
    """What is wrong with a link of a page, or None."""
    if ELSEWHERE.match(target):
        return None
    path, _, name = target.partition("#")
    file = (page.parent / path) if path else page
    if not file.exists():
        return f"the link to {target} leads nowhere"
    if name and file.suffix == ".md" and name not in anchors(file.read_text()):
        return f"the link to {target} leads to no heading of {file.name}"
    return None


def check_lengths(text):
    for number, paragraph in paragraphs(text):
        if len(paragraph) > LONGEST:
            yield number, f"a paragraph of {len(paragraph)} characters, {LONGEST} at most: “{paragraph[:60]}…”"


def check_links(page, text):
    for number, line in lines_outside_code(text):
        line = CODE_SPAN.sub("", line)
        for target in LINK.findall(line) + IMAGE_TAG.findall(line):
            wrong = check_link(page, target)
            if wrong:
                yield number, wrong


def check_terms(text):
    defined = {}
    for number, line in lines_outside_code(text):
        if not line.lstrip().startswith("|"):
            continue
        term = TERM.match(cells(line)[0])
        if not term:
            continue
        name = term.group(1).casefold()
        if name in defined:
            yield number, f"{term.group(1)} is defined twice, first in line {defined[name]}"
        defined.setdefault(name, number)


def check_page(page):
    text = page.read_text()
    found = list(check_lengths(text)) + list(check_links(page, text))
    if page.name == "glossary.md":
        found += check_terms(text)
    return [f"{page}:{number}: {wrong}" for number, wrong in sorted(found)]


def pages_of(root):
    named = [root / "README.md", root / "CHANGELOG.md", root / "benchmarks" / "README.md"]
    return [page for page in named if page.exists()] + sorted((root / "docs").rglob("*.md"))


def check_tree(root):
    return [violation for page in pages_of(root) for violation in check_page(page)]


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    violations = check_tree(root)
    print("\n".join(violations) if violations else "Every page keeps to the rules.")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
