#!/usr/bin/env python3
"""Runs clang-tidy over what changed in src: check_tidy.py BUILD_FOLDER [--all] (a folder with compile_commands.json).

tools/tidy_passed names a commit whose files all passed. A batch of files that are compiled as one is looked at when one
of them, or a header that they reach, has changed since; all are when the commit is not in this repository, or when the list of checks has changed. What has
passed on this machine is not looked at again. `--all` looks at all files and, when they pass, writes the commit's name.
"""

import argparse
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
PASSED_COMMIT = ROOT / "tools" / "tidy_passed"
INCLUDE = re.compile(r'^\s*#\s*include\s*"(cardhouse/[^"]+)"', re.MULTILINE)


def reached_files(files):
    """The files and all the project's headers that they include, directly or not."""
    reached, waiting = set(), list(files)
    while waiting:
        next_file = waiting.pop()
        if next_file in reached or not next_file.exists():
            continue
        reached.add(next_file)
        waiting.extend(ROOT / "src" / target for target in INCLUDE.findall(next_file.read_text()))
    return sorted(reached)


def fingerprint(reached, command, tidy_version):
    digest = hashlib.sha256(tidy_version + command.encode() + (ROOT / ".clang-tidy").read_bytes())
    for file in reached:
        digest.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return digest.hexdigest()


def git(*words):
    """What git prints, or None when it fails."""
    result = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else None


def changed_files():
    """The files that differ from the commit that passed; None when that is not known."""
    commit = PASSED_COMMIT.read_text().strip() if PASSED_COMMIT.exists() else ""
    changed = git("diff", "--name-only", commit, "--") if commit else None
    new = git("ls-files", "--others", "--exclude-standard")
    if changed is None or new is None:
        return None
    names = set(changed.split("\n") + new.split("\n")) - {""}
    return None if ".clang-tidy" in names else {ROOT / name for name in names}


def sources(entry):
    """The project's files that a compiler's command compiles: one, or those of a batch."""
    file = pathlib.Path(entry["file"])
    if "Unity" not in file.parts:
        return [file]
    return [pathlib.Path(line.split('"')[1]) for line in file.read_text().splitlines() if line.startswith("#include")]


def check(file, build, mark):
    """What clang-tidy has to say, or nothing. That a batch includes sources is no mistake."""
    result = subprocess.run(
        ["clang-tidy", "-p", str(build), f"--config-file={ROOT / '.clang-tidy'}", "--checks=-bugprone-suspicious-include",
         "--quiet", str(file)], capture_output=True, text=True, check=False
    )  # fmt: skip
    if result.returncode == 0:
        mark.touch()
        return ""
    return result.stdout or result.stderr


def waiting_files(build, everything):
    """The files to look at, with the marks that they get."""
    tidy_version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    changed = None if everything else changed_files()
    waiting = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        reached = reached_files([file for file in sources(entry) if file.is_relative_to(ROOT / "src")])
        if not reached or (changed is not None and not changed.intersection(reached)):
            continue
        command = entry["command"].replace(str(ROOT), "")
        mark = PASSED / fingerprint(reached, command, tidy_version)
        if not mark.exists():
            waiting[entry["file"]] = mark
    return waiting


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="look at all files; write the commit's name when they pass")
    options = parser.parse_args()
    PASSED.mkdir(parents=True, exist_ok=True)
    build = options.build.resolve()
    waiting = waiting_files(build, options.all)
    print(f"{len(waiting)} files or batches of files to check")
    complaints = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(lambda item: check(item[0], build, item[1]), waiting.items()):
            print(text, end="", flush=True)
            complaints += 1 if text else 0
    if options.all and not complaints:
        PASSED_COMMIT.write_text(git("rev-parse", "HEAD"))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
