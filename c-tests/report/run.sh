#!/usr/bin/env bash
# Compiles the report's listing against dvm.h with every dialect and compiler, then links and runs a program
# written for the listing, with dvm.h and with the listing alone.
#
#   c-tests/report/run.sh INCLUDE_DIR LIBRARY_DIR
#
# The library directory holds libdvm.so and libdvm.so.0. gcc and clang are both required.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
include=${1:?the directory of dvm.h} library=${2:?the directory of libdvm.so}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict=(-Wall -Wextra -Werror -pedantic-errors)
done_count=0 failures=0

try() {
    local name=$1 output
    shift
    done_count=$((done_count + 1))
    output=$("$@" 2>&1) && return 0
    failures=$((failures + 1))
    printf 'FAILED %s\n    %s\n' "$name" "$*"
    printf '%s\n' "$output" | sed 's/^/    | /' | head -30
}

# compile_all COMPILER STANDARD LANGUAGE
compile_all() {
    local cc=$1 std=$2 language=$3 tag="$1 $2"
    local flags=(-x "$language" -std="$std" "${strict[@]}" -I"$include")
    printf '#include <dvm.h>\n#include <dvm.h>\n' >"$work/twice.c"
    try "$tag: the header alone, twice" "$cc" "${flags[@]}" -fsyntax-only "$work/twice.c"
    try "$tag: the listing's declarations" "$cc" "${flags[@]}" -fsyntax-only "$here/agrees.c"
    try "$tag: constant arguments" "$cc" "${flags[@]}" -fsyntax-only "$here/constant.c"
    for alone in "" -DDVM_TEST_LISTING_ALONE; do
        local program="$work/program"
        try "$tag: the program ${alone:-with dvm.h}" "$cc" "${flags[@]}" $alone -o "$program" "$here/program.c" \
            -x none -L"$library" -ldvm -Wl,-rpath,"$library"
        try "$tag: the program ${alone:-with dvm.h} runs" timeout 60 "$program"
        rm -f "$program"
    done
}

for std in c99 c11 gnu17; do
    for cc in gcc clang; do compile_all $cc $std c; done
done
for cc in g++ clang++; do compile_all $cc c++17 c++; done

# A header that differs must fail: otherwise the checks above mean nothing.
mkdir "$work/wrong"
sed 's/dvm_rank_dimension(int \*/dvm_rank_dimension(long */' "$include/dvm.h" >"$work/wrong/dvm.h"
done_count=$((done_count + 1))
if cmp -s "$include/dvm.h" "$work/wrong/dvm.h" || gcc -std=c11 -I"$work/wrong" -fsyntax-only "$here/agrees.c" 2>/dev/null; then
    failures=$((failures + 1))
    echo 'FAILED a header with another type for dvm_rank_dimension compiles'
fi

echo "$((done_count - failures)) passed, $failures failed"
[ $failures -eq 0 ]
