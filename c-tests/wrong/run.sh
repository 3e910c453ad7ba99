#!/usr/bin/env bash
# Checks that each mistake of handles.c, counts.c (C alone) and handles.F90 alone fails to compile, in every dialect and with every compiler; without
# one, they compile.
#
#   c-tests/wrong/run.sh INCLUDE_DIR
#
# gcc, clang and gfortran are required.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
include=${1:?the directory of dvm.h}
modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
done_count=0 failures=0

# judge WHAT EXPECTED CODE
judge() {
    done_count=$((done_count + 1))
    [ "$2" = "$3" ] && return
    failures=$((failures + 1))
    echo "FAILED $1"
}

# try DIALECT FILE COMMAND...
try() {
    local dialect=$1 file=$2 mistake mistakes
    shift 2
    mistakes=$(grep -cE '^#(el)?if WRONG == ' "$here/$file")
    [ "$mistakes" -gt 0 ] || judge "$file has no mistakes" 1 0
    "$@" "$here/$file" >/dev/null 2>&1
    judge "$dialect: what is right does not compile" 0 $?
    for ((mistake = 1; mistake <= mistakes; mistake++)); do
        "$@" -DWRONG="$mistake" "$here/$file" >/dev/null 2>&1
        judge "$dialect: mistake $mistake of $file compiles" 1 $?
    done
}

for dialect in "gcc c c99" "gcc c gnu17" "clang c c11" "g++ c++ c++17" "clang++ c++ c++17"; do
    read -r compiler language standard <<<"$dialect"
    # An address of the wrong kind is an error by the standard; C compilers only warn of it by default.
    strict=-Werror=incompatible-pointer-types
    [ "$language" = c++ ] && strict=-Wall
    try "$dialect" handles.c "$compiler" -x "$language" "-std=$standard" -pedantic-errors "$strict" -I"$include" -fsyntax-only
    [ "$language" = c++ ] || try "$dialect" counts.c "$compiler" "-std=$standard" -pedantic-errors "$strict" -I"$include" -fsyntax-only
done
gfortran -fsyntax-only -J "$modules" "$include/dvm.f90"
judge "gfortran: dvm.f90 does not compile" 0 $?
for standard in f2008 f2018 gnu; do
    try "gfortran $standard" handles.F90 gfortran "-std=$standard" -I"$modules" -fsyntax-only
done

echo "$((done_count - failures)) passed, $failures failed"
[ "$failures" -eq 0 ]
