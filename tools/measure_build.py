#!/usr/bin/env python3
"""Tells where the time of a build goes.

    tools/measure_build.py [FOLDER]        the slowest files of a folder that Ninja built (default: build/release)
    tools/measure_build.py --cold run      clones the repository, times `./run` there without a compiler cache, and
                                           prints the slowest files; `--cold test` does the same for `./test`

Ninja's log has the wall time of each command. With N commands at a time on N idle cores that is the time of one
compiler; on a busy machine it is more.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read_log(folder):
    """Seconds of each output's last command, commands with several outputs once."""
    commands = {}
    for line in (folder / ".ninja_log").read_text().splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, _ = line.split("\t")
        commands[output] = (int(start), int(end))
    seconds = {}
    for output, span in commands.items():
        if span not in seconds or len(output) < len(seconds[span]):
            seconds[span] = output
    return sorted(((end - start) / 1000.0, output) for (start, end), output in seconds.items())[::-1]


def included(folder, output):
    """The sources of a batch that was compiled as one file."""
    batch = folder / output.removesuffix(".o")
    if "/Unity/" not in output or not batch.exists():
        return ""
    names = [pathlib.Path(line.split('"')[1]).name for line in batch.read_text().splitlines() if line.startswith("#include")]
    return " (" + " ".join(names) + ")"


def print_slowest(folder, count):
    rows = read_log(folder)
    print(f"{folder}: {len(rows)} commands, {sum(row[0] for row in rows):.0f} s in all")
    for seconds, output in rows[:count]:
        print(f"{seconds:8.1f} s  {output}{included(folder, output)}")


def time_cold(command, count):
    """Clones what is committed and runs ./run or ./test in the clone."""
    with tempfile.TemporaryDirectory() as folder:
        clone = pathlib.Path(folder) / "cardhouse"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        environment = os.environ | {"CCACHE_DISABLE": "1", "XDG_CACHE_HOME": folder}
        start = time.monotonic()
        status = subprocess.run([f"./{command}"], cwd=clone, env=environment, check=False).returncode
        print(f"\n./{command}: exit code {status} after {(time.monotonic() - start) / 60.0:.1f} min without a compiler cache")
        for built in sorted((clone / "build").glob("*/.ninja_log")):
            print_slowest(built.parent, count)
        return status


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--cold", choices=("run", "test"), help="build from nothing in a clone, and time it")
    parser.add_argument("--top", type=int, default=20, help="files to print")
    options = parser.parse_args()
    if options.cold:
        return time_cold(options.cold, options.top)
    if not (options.folder / ".ninja_log").exists():
        print(f"{options.folder}: no .ninja_log there; build it first", file=sys.stderr)
        return 2
    print_slowest(options.folder, options.top)
    return 0


if __name__ == "__main__":
    sys.exit(main())
