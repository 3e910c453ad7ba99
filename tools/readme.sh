#!/usr/bin/env bash
# The README shows files as they are: each fenced block after a line `<!-- file: PATH -->` is the content of PATH.
# Usage: tools/readme.sh check | write
set -u
cd "$(dirname "$0")/.." || exit 2
written=$(mktemp) || exit 2
trap 'rm -f "$written"' EXIT
awk '
  /^<!-- file: .* -->$/ { print; path = $3; next }
  path != "" && /^```/ && !inside { print; inside = 1; while ((getline line < path) > 0) print line; if (close(path) != 0) exit 1; next }
  inside && /^```$/ { print; inside = 0; path = ""; next }
  inside { next }
  { print }' README.md >"$written" || exit 2
case "${1:-check}" in
  write) cp "$written" README.md ;;
  check)
    shown=$(sed -n 's/^<!-- file: \(.*\) -->$/\1/p' README.md)
    missing=0
    for path in $shown; do [ -s "$path" ] || { echo "README shows $path, which does not exist"; missing=1; }; done
    for path in $(sed -n 's/.*](\([^)#]*\)).*/\1/p' README.md ARCHITECTURE.md CONTRIBUTING.md | grep -v '^http'); do
      [ -e "$path" ] || { echo "a link leads to $path, which does not exist"; missing=1; }
    done
    for page in docs/*.md docs/book/*.md; do
      for path in $(sed '/^```/,/^```$/d; s/`[^`]*`//g' "$page" | grep -o '](\([^)#]*\)' | cut -c 3- | grep -v '^http'); do
        [ -e "$(dirname "$page")/$path" ] || { echo "a link of $page leads to $path, which does not exist"; missing=1; }
      done
      [ "$page" = docs/SUMMARY.md ] || grep -qF "(${page#docs/})" docs/SUMMARY.md || { echo "docs/SUMMARY.md does not list $page"; missing=1; }
    done
    draw=target/release/dvm-codegen
    picture=$("$draw" draw examples/06_jacobi.c --set T=5 --set N=20 --tile 2,6)
    if [ "$picture" != "$(cat docs/jacobi-tiles.svg)" ]; then
      echo "docs/jacobi-tiles.svg is not what dvm-codegen draws"; missing=1
    fi
    if [ "$missing" -eq 0 ] && diff -u README.md "$written"; then echo "1 passed, 0 failed"; else
      echo "README.md and the files that it shows differ: run tools/readme.sh write"; echo "0 passed, 1 failed"; exit 1; fi ;;
  *) echo "usage: $0 check | write" >&2; exit 2 ;;
esac
