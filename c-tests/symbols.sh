#!/usr/bin/env bash
# Checks that the library exports exactly the functions that the header declares, has the right SONAME, and
# requires no library that a plain program could not have, and no newer glibc than docs/abi.md says.
#
#   c-tests/symbols.sh HEADER LIBRARY ABI_PAGE
set -uo pipefail
export LC_ALL=C

header=${1:?dvm.h} library=${2:?libdvm.so} page=${3:?docs/abi.md}
failures=0
fail() { failures=$((failures + 1)); printf 'FAILED %s\n' "$*"; }

declared=$(grep -v '^static inline' "$header" | grep -oE '^[a-z].*[ *](dvm_[a-z0-9_]+)\(' | grep -oE 'dvm_[a-z0-9_]+\($' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '$2 ~ /[TDBRVW]/ { print $3 }' | sort -u)
[ -n "$declared" ] || fail "no functions were found in $header"

while read -r name; do [ -z "$name" ] || fail "declared but not exported: $name"; done < <(comm -23 <(echo "$declared") <(echo "$exported"))
while read -r name; do [ -z "$name" ] || fail "exported but not declared: $name"; done < <(comm -13 <(echo "$declared") <(echo "$exported"))

dynamic=$(readelf -dW "$library")
grep -q 'SONAME.*\[libdvm\.so\.[0-9]*\]' <<<"$dynamic" || fail "the SONAME is not libdvm.so.N"
grep -q TEXTREL <<<"$dynamic" && fail "the library has text relocations"
grep -q NODELETE <<<"$dynamic" || fail "the library can be unloaded under its own threads"
needed=$(grep -oE 'NEEDED.*\[[^]]*\]' <<<"$dynamic" | grep -oE '\[.*\]' | tr -d '[]')
while read -r name; do
    case $name in
        libc.so.* | libm.so.* | libgcc_s.so.* | libhwloc.so.* | ld-linux*) ;;
        *) fail "the library needs $name" ;;
    esac
done <<<"$needed"

least=$(grep -oE '^\| glibc \| [0-9.]+ \| `libdvm.so`' "$page" | grep -oE '[0-9]+[0-9.]*[0-9]')
asked=$(nm -D "$library" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -uV | tail -1)
[ -n "$least" ] || fail "$page does not say which glibc the library needs"
[ "$(printf '%s\n' "$least" "$asked" | sort -V | tail -1)" = "$least" ] || fail "the library asks for glibc $asked, $page says $least"

echo "symbols: $(wc -l <<<"$declared") functions, $failures failures"
[ $failures -eq 0 ]
