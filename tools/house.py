#!/usr/bin/env python3
"""Prints the house: rooms with their sizes and what they include, cycles, and the lengths of files and functions.

    tools/house.py            the table
    tools/house.py --long 20  and the longest files and functions, so many of each
    tools/house.py --check    fails when the rooms have a cycle or nine tenths of the functions are above 20 lines

A function is a definition outside of other functions, from the line with its opening brace to its closing brace, as
clang-format lays it out.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_rooms  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "cardhouse"
MOST_LINES = 20  # of nine functions in ten
NO_FUNCTION = re.compile(r"^\s*(namespace|struct|class|enum|union|if|for|while|switch|else|do|try|catch|extern|return)\b")


def source_files(room=None):
    folder = SOURCE / room if room else SOURCE
    return sorted(file for file in folder.rglob("*") if file.suffix in (".h", ".cpp"))


def opens_function(line):
    """Whether a line ends the head of a definition: `… name(…) … {`, not of a block, type, or initialised value."""
    line = re.sub(r"\[\[.*?\]\] ?", "", line)
    is_value = re.search(r"= \[|= \{$", line) or "[" in line.split("(")[0]
    return line.endswith("{") and ")" in line and not NO_FUNCTION.match(line) and not is_value


def functions(file):
    """(first line, lines, head) of each function of a file."""
    lines = file.read_text().splitlines()
    found, number = [], 0
    while number < len(lines):
        line = lines[number]
        if not opens_function(line):
            number += 1
            continue
        first = number
        while first > 0 and lines[first - 1].strip() and not lines[first - 1].rstrip().endswith((";", "{", "}", ":")) \
                and not lines[first - 1].lstrip().startswith(("//", "#")):
            first -= 1
        indent = len(lines[first]) - len(lines[first].lstrip())
        last = number
        while last < len(lines) and not re.match(r"^ {%d}\}" % indent, lines[last]):
            last += 1
        found.append((first + 1, last - number + 1, lines[first].strip()))
        number = last + 1
    return found


def one_line_functions(file):
    return sum(1 for line in file.read_text().splitlines() if re.match(r"^\s*[\w:<>,&*~ \[\]]+\(.*\).*\{.*\}\s*$", line))


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else 0


def included_rooms(room):
    found = set()
    for file in source_files(room):
        for line in file.read_text().splitlines():
            include = check_rooms.INCLUDE.match(line)
            if include and include.group(2).startswith("cardhouse/"):
                found.add(include.group(2).split("/")[1])
    return sorted(found - {room})


def rooms_of_tree():
    return sorted(folder.name for folder in SOURCE.iterdir() if folder.is_dir())


def print_rooms():
    print(f"{'room':14}{'files':>6}{'lines':>7}  includes")
    for room in rooms_of_tree():
        files = source_files(room)
        lines = sum(len(file.read_text().splitlines()) for file in files)
        print(f"{room:14}{len(files):6}{lines:7}  {' '.join(included_rooms(room))}")


def lengths():
    files = {file: len(file.read_text().splitlines()) for file in source_files()}
    long_ones = [(count, file, first, head) for file in files for first, count, head in functions(file)]
    short = sum(one_line_functions(file) for file in files)
    return files, long_ones, [count for count, *_ in long_ones] + [1] * short


def print_lengths(files, function_lengths):
    for what, values in (("files", list(files.values())), ("functions", function_lengths)):
        print(f"{what}: {len(values)}, lines median {quantile(values, 0.5)}, p90 {quantile(values, 0.9)}, most {max(values)}")


def print_longest(files, long_ones, count):
    print("\nlongest files")
    for file, lines in sorted(files.items(), key=lambda item: -item[1])[:count]:
        print(f"{lines:6}  {file.relative_to(ROOT)}")
    print("\nlongest functions")
    for lines, file, first, head in sorted(long_ones, key=lambda entry: -entry[0])[:count]:
        print(f"{lines:6}  {file.relative_to(ROOT)}:{first}  {head}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--long", type=int, default=0, metavar="COUNT", help="print the longest files and functions, too")
    parser.add_argument("--check", action="store_true", help="fail on cycles and long functions")
    options = parser.parse_args()
    cycles = check_rooms.cycles(check_rooms.read_table(SOURCE / "CMakeLists.txt"))
    files, long_ones, function_lengths = lengths()
    print_rooms()
    print()
    print_lengths(files, function_lengths)
    print("cycles: " + ("; ".join(cycles) if cycles else "none"))
    if options.long:
        print_longest(files, long_ones, options.long)
    too_long = quantile(function_lengths, 0.9) > MOST_LINES
    if options.check and too_long:
        print(f"nine functions in ten should have at most {MOST_LINES} lines")
    return 1 if options.check and (cycles or too_long) else 0


if __name__ == "__main__":
    sys.exit(main())
