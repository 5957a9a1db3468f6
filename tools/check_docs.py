#!/usr/bin/env python3
"""Holds the Markdown pages of the project to four rules.

1. No paragraph is longer than 400 characters. A list item, a table cell and a heading each count as a paragraph; code
   blocks do not count.
2. A relative link leads to a file of the project, and its anchor to a heading of that file.
3. A term in bold at the start of a row of glossary.md is defined once.
4. A source file that a page names in backticks (`residual.h`, `contact/residual.h`) exists under src/cardhouse.

The pages are README.md, CHANGELOG.md, benchmarks/README.md and docs/**/*.md of the project, or of a folder given as
argument. Each violation is printed as file:line: what is wrong.
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
TAG = re.compile(r'<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"')
NAMED_PLACE = re.compile(r'<a\b[^>]*\b(?:id|name)="([^"]+)"')
CODE_SPAN = re.compile(r"(`+)((?:[^`\n]|\n(?!\s*\n))+?)\1")
SOURCE_FILE = re.compile(r"^(?:[a-z_]+/)*[a-z0-9_]+\.(?:h|cpp)$")
TERM = re.compile(r"^\*\*(.+?)\*\*")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:|^//", re.IGNORECASE)


def without_code_blocks(text):
    """The lines of a page; those of code blocks are empty, which ends paragraphs too."""
    lines, fence, blank, in_list = [], None, True, False
    for line in text.splitlines():
        mark = FENCE.match(line)
        code = fence is not None or mark is not None or (line.startswith("    ") and blank and not in_list)
        if mark:
            fence = None if fence == mark.group(1) else fence or mark.group(1)
        if not code and line.strip():
            in_list = ITEM.match(line) is not None or (in_list and line.startswith(" "))
            blank = HEADING.match(line) is not None
        elif not line.strip():
            blank = True
        lines.append("" if code else line)
    return lines


def cells(line):
    """The cells of a table's row. A bar in a code span or behind a backslash does not end a cell."""
    kept = CODE_SPAN.sub(lambda span: span.group(0).replace("|", "\0"), line).replace("\\|", "\1")
    inner = kept.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\0", "|").replace("\1", "\\|") for cell in inner.split("|")]


def is_row(line):
    return line.lstrip().startswith("|")


def paragraphs(text):
    """(line, text) of each paragraph, list item, heading and table cell."""
    first, words = 0, []
    for number, line in enumerate(without_code_blocks(text) + [""], start=1):
        alone = is_row(line) or HEADING.match(line) or not line.strip()
        if words and (alone or ITEM.match(line)):
            yield first, " ".join(words)
            words = []
        if is_row(line) and not RULER.match(line):
            yield from ((number, cell) for cell in cells(line))
        elif HEADING.match(line):
            yield number, line.strip()
        elif not alone:
            first = first if words else number
            words.append(line.strip())


def anchor(title):
    """The name that GitHub gives to a heading."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors(text):
    found, times = set(), {}
    for line in without_code_blocks(text):
        found.update(NAMED_PLACE.findall(line))
        heading = HEADING.match(line)
        if heading:
            name = anchor(heading.group(2))
            found.add(f"{name}-{times[name]}" if name in times else name)
            times[name] = times.get(name, 0) + 1
    return found


def check_lengths(page, text):
    for number, paragraph in paragraphs(text):
        if len(paragraph) > LONGEST:
            yield number, f"a paragraph of {len(paragraph)} characters, {LONGEST} at most: “{paragraph[:60]}…”"


def what_is_wrong_with_link(page, target):
    if ELSEWHERE.match(target):
        return None
    path, _, name = target.partition("#")
    file = (page.parent / path) if path else page
    if not file.exists():
        return f"the link to {target} leads nowhere"
    if name and file.suffix == ".md" and name not in anchors(file.read_text()):
        return f"the link to {target} leads to no heading of {file.name}"
    return None


def check_links(page, text):
    """Links may go over the end of a line."""
    plain = "\n".join(without_code_blocks(text))
    plain = CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", " ", span.group(0)), plain)
    for found in [*LINK.finditer(plain), *TAG.finditer(plain)]:
        wrong = what_is_wrong_with_link(page, found.group(1))
        if wrong:
            yield plain.count("\n", 0, found.start(1)) + 1, wrong


def check_terms(page, text):
    defined = {}
    for number, line in enumerate(without_code_blocks(text), start=1):
        term = TERM.match(cells(line)[0]) if is_row(line) else None
        if not term or page.name != "glossary.md":
            continue
        name = term.group(1) if len(term.group(1)) == 1 else term.group(1).casefold()  # W and w are two symbols
        if name in defined:
            yield number, f"{term.group(1)} is defined twice, first in line {defined[name]}"
        defined.setdefault(name, number)


def check_source_files(page, text, sources):
    """`sources`: paths under src/cardhouse; a page may leave out their first folders."""
    for number, line in enumerate(without_code_blocks(text), start=1):
        for _, word in CODE_SPAN.findall(line):
            if SOURCE_FILE.match(word) and not any(f"/{source}".endswith(f"/{word}") for source in sources):
                yield number, f"there is no source file {word}"


def check_page(page, sources):
    text = page.read_text()
    found = [*check_lengths(page, text), *check_links(page, text), *check_terms(page, text)]
    found += check_source_files(page, text, sources)
    return [f"{page}:{number}: {wrong}" for number, wrong in sorted(found)]


def pages_of(root):
    named = [root / "README.md", root / "CHANGELOG.md", root / "benchmarks" / "README.md"]
    return [page for page in named if page.exists()] + sorted((root / "docs").rglob("*.md"))


def check_tree(root):
    source = root / "src" / "cardhouse"
    sources = [file.relative_to(source).as_posix() for file in source.rglob("*") if file.suffix in (".h", ".cpp")]
    return [violation for page in pages_of(root) for violation in check_page(page, sources)]


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    violations = check_tree(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here)
    print("\n".join(violations) if violations else "Every page keeps to the rules.")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
