#!/usr/bin/env bash
# Checks that each mistake of handles.c alone fails to compile, in every dialect and with every compiler; without one, it compiles.
#
#   c-tests/wrong/run.sh INCLUDE_DIR
#
# gcc and clang are both required.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
include=${1:?the directory of dvm.h}
mistakes=$(grep -cE '^#(el)?if WRONG == ' "$here/handles.c")
done_count=0 failures=0

# judge WHAT EXPECTED CODE
judge() {
    done_count=$((done_count + 1))
    [ "$2" = "$3" ] && return
    failures=$((failures + 1))
    echo "FAILED $1"
}

for dialect in "gcc c c99" "gcc c gnu17" "clang c c11" "g++ c++ c++17" "clang++ c++ c++17"; do
    read -r compiler language standard <<<"$dialect"
    # An address of the wrong kind is an error by the standard; C compilers only warn of it by default.
    try=("$compiler" -x "$language" "-std=$standard" -pedantic-errors -Werror=incompatible-pointer-types -I"$include" -fsyntax-only)
    [ "$language" = c++ ] && try=("${try[@]/-Werror=incompatible-pointer-types/-Wall}")
    "${try[@]}" "$here/handles.c" >/dev/null 2>&1
    judge "$dialect: what is right does not compile" 0 $?
    for ((mistake = 1; mistake <= mistakes; mistake++)); do
        "${try[@]}" -DWRONG="$mistake" "$here/handles.c" >/dev/null 2>&1
        judge "$dialect: mistake $mistake of handles.c compiles" 1 $?
    done
done

[ "$mistakes" -gt 0 ] || judge "handles.c has no mistakes" 1 0
echo "$((done_count - failures)) passed, $failures failed"
[ "$failures" -eq 0 ]
