#!/usr/bin/env python3
"""Holds every #include under src/cardhouse to the plan of the house.

The table of rooms is read from the cardhouse_room(...) lines of src/cardhouse/CMakeLists.txt. A room may include itself,
the rooms that it names and what those may include; folders that are not in the table (cli) may include everything. Some
libraries are kept behind a few files. Each violation is printed as file:line: what is wrong.
"""

import pathlib
import re
import sys

ROOM = re.compile(r"^\s*cardhouse_room\(\s*(\w+)([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Where a library may be included: paths under src/cardhouse, a trailing slash for a whole folder.
CONTAINED = {
    "HDF5": (re.compile(r"hdf5|H5\w*public\.h"), ("io/hdf5_",)),
    "nlohmann_json": (re.compile(r"nlohmann/"), ("io/", "report/", "viewer/", "cli/")),
    "Qhull": (re.compile(r"libqhull"), ("geometry/hull.cpp",)),
    "NLopt": (re.compile(r"nlopt"), ("optimization/slsqp.cpp",)),
    "METIS": (re.compile(r"metis\.h"), ("optimization/nested_dissection.cpp",)),
    "TBB": (re.compile(r"(oneapi/)?tbb/"), ("base/parallel.cpp",)),
    "Boost": (re.compile(r"boost/"), ("viewer/server",)),
    "zlib": (re.compile(r"zlib\.h"), ("viewer/gzip.cpp",)),
    "CLI11": (re.compile(r"CLI/"), ("cli/",)),
}


def read_table(cmake_file):
    """Each room with the rooms that it names."""
    table = {}
    for name, rest in ROOM.findall(cmake_file.read_text()):
        named = re.search(r"MAY_INCLUDE((?:\s+(?!USES\b)\w+)+)", rest)
        table[name] = named.group(1).split() if named else []
    return table


def closure(table, room):
    """All rooms that a room may include, itself among them."""
    reached, waiting = set(), [room]
    while waiting:
        next_room = waiting.pop()
        if next_room not in reached:
            reached.add(next_room)
            waiting.extend(table.get(next_room, []))
    return reached


def cycles(table):
    return [
        f"the rooms {room} and {other} may include each other"
        for room in table
        for other in closure(table, room) - {room}
        if room < other and room in closure(table, other)
    ]


def unknown_rooms(table):
    return [f"room {room} names {other}, which is not a room" for room in table for other in table[room] if other not in table]


def check_include(table, path, quoted, target):
    """What is wrong with one include, or None."""
    room = path.split("/")[0]
    if quoted:
        parts = target.split("/")
        if parts[0] != "cardhouse" or len(parts) < 3:
            return f'write the include as "cardhouse/ROOM/FILE", not "{target}"'
        other = parts[1]
        if room in table and other not in closure(table, room):
            return f"{room} may not include {other} (it may include {', '.join(sorted(closure(table, room)))})"
    for library, (pattern, allowed) in CONTAINED.items():
        if pattern.match(target) and not path.startswith(allowed):
            return f"{library} may be included only in {', '.join(allowed)}"
    return None


def check_tree(source):
    """All violations under a source folder (…/src/cardhouse)."""
    table = read_table(source / "CMakeLists.txt")
    if not table:
        return [f"{source / 'CMakeLists.txt'}: no cardhouse_room(...) found"]
    violations = cycles(table) + unknown_rooms(table)
    for file in sorted(source.rglob("*")):
        if file.suffix not in (".h", ".cpp"):
            continue
        path = file.relative_to(source).as_posix()
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            include = INCLUDE.match(line)
            wrong = include and check_include(table, path, include.group(1) == '"', include.group(2))
            if wrong:
                violations.append(f"{file}:{number}: {wrong}")
    return violations


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "src" / "cardhouse"
    violations = check_tree(source)
    print("\n".join(violations) if violations else "Every include keeps to the plan of the house.")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
