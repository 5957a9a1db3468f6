#!/usr/bin/env python3
"""Runs clang-tidy over src. A file that passed is not looked at again until it, a header that it reaches or the list of
checks changes: check_tidy.py BUILD_FOLDER (one with compile_commands.json)."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Outside of the checkout, as ccache's objects are: another clone on the same machine finds what has passed.
PASSED = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "cardhouse" / "tidy"
INCLUDE = re.compile(r'^\s*#\s*include\s*"(cardhouse/[^"]+)"', re.MULTILINE)


def reached_files(file):
    """The file and all the project's headers that it includes, directly or not."""
    reached, waiting = set(), [file]
    while waiting:
        next_file = waiting.pop()
        if next_file in reached or not next_file.exists():
            continue
        reached.add(next_file)
        waiting.extend(ROOT / "src" / target for target in INCLUDE.findall(next_file.read_text()))
    return sorted(reached)


def fingerprint(file, command, tidy_version):
    digest = hashlib.sha256(tidy_version + command.encode() + (ROOT / ".clang-tidy").read_bytes())
    for reached in reached_files(file):
        digest.update(str(reached.relative_to(ROOT)).encode() + reached.read_bytes())
    return digest.hexdigest()


def check(file, build, mark):
    """What clang-tidy has to say, or nothing."""
    result = subprocess.run(
        ["clang-tidy", "-p", str(build), "--quiet", str(file)], capture_output=True, text=True, check=False
    )
    if result.returncode == 0:
        mark.touch()
        return ""
    return result.stdout or result.stderr


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    tidy_version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    PASSED.mkdir(parents=True, exist_ok=True)
    waiting = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if file.is_relative_to(ROOT / "src"):
            mark = PASSED / fingerprint(file, entry["command"].replace(str(ROOT), ""), tidy_version)
            if not mark.exists():
                waiting[file] = mark
    print(f"{len(waiting)} files to check")
    complaints = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(lambda item: check(item[0], build, item[1]), waiting.items()):
            print(text, end="", flush=True)
            complaints += 1 if text else 0
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
