#!/usr/bin/env bash
# Builds the tests of the C interface and runs them: one program per section of the header on three machines (as it is,
# one worker, a made-up one of 32), C++, Fortran, the report's listing in every dialect, the exported symbols.
#
#   c-tests/run.sh [CTEST_OPTION...]      for example -R promises
set -euo pipefail
export LC_ALL=C

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/target/c-tests/plain

cmake -S "$root" -B "$build" -DDVM_TESTS=ON -DDVM_PROGRAMS=OFF
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure --parallel 2 "$@"
