#!/usr/bin/env python3
"""Prints how many tests were skipped, and for what they need, from CTest's logs: skipped_tests.py LOG…"""

import pathlib
import re
import sys

GTEST = re.compile(r"^\S+:\d+: Skipped\n(.*)$", re.MULTILINE)
PYTHON = re.compile(r"^(?:OK|FAILED) \(.*skipped=(\d+)", re.MULTILINE)


def reasons(text):
    """One for each test; Python's runner tells only how many there were."""
    found = ["data beside the checkout (../shared)" if "shared" in reason else reason for reason in GTEST.findall(text)]
    return found + ["what a Python test needs"] * sum(int(count) for count in PYTHON.findall(text))


def summary(texts):
    found = [reason for text in texts for reason in reasons(text)]
    lines = [f"{len(found)} tests were skipped"]
    lines += [f"  {found.count(reason)} without {reason}" for reason in sorted(set(found))]
    return "\n".join(lines)


if __name__ == "__main__":
    print(summary(pathlib.Path(name).read_text(errors="replace") for name in sys.argv[1:]))
