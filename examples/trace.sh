#!/usr/bin/env bash
# Checks that the timeline of the Jacobi example shows every tile of its drawing exactly once.
#
#   examples/trace.sh        run make all first; the file for a browser is target/trace/jacobi.json
set -uo pipefail
export LC_ALL=C

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
work=$root/target/trace
mkdir -p "$work" || exit 1

"$release/dvmcc" -O2 -I"$root/include" -o "$work/jacobi" "$root/examples/06_jacobi.c" -L"$release" -ldvm -lm || exit 1
DVM_TUNE=0 LD_LIBRARY_PATH=$release DVM_TRACE=$work/jacobi.json DVM_TRACE_EVENTS=10000000 DVM_DOT=$work/jacobi.dot DVM_DOT_NODES=10000000 \
    timeout 120 "$work/jacobi" >/dev/null || exit 1

# NAME TILE, a line for each.
sed -n 's/.*"cat":"tile","name":"\([^"]*\)".*"tile":\[\([0-9,-]*\)\].*/\1 \2/p' "$work/jacobi.json" | sort >"$work/shown"
awk -F '"' '/^    label="graph /{ name = substr($2, 7) } /^    g[0-9]+_[0-9]+ \[label=/{ print name, $2 }' "$work/jacobi.dot" | sort >"$work/drawn"
tiles=$(wc -l <"$work/drawn")
echo "$tiles tiles"
# A browser parses the whole file, and so does this. Without Python, only the tests of src/trace check the format.
parses() { ! command -v python3 >/dev/null || python3 -m json.tool "$1" >/dev/null; }
if [ "$tiles" -gt 1 ] && parses "$work/jacobi.json" && cmp "$work/shown" "$work/drawn" && grep -q '"dropped":0' "$work/jacobi.json"; then
    echo "1 passed, 0 failed"
else
    diff "$work/shown" "$work/drawn" | head -20
    echo "0 passed, 1 failed"
    exit 1
fi
