#!/usr/bin/env bash
# Fails with the places where the formatting differs from .clang-format; `tools/check_format.sh --fix` puts it right.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=(--dry-run -Werror)
[[ ${1:-} != --fix ]] || mode=(-i)
find src tests benchmarks \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 clang-format "${mode[@]}"
