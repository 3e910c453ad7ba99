#!/usr/bin/env bash
# Tests ldconfig.sh, and `make uninstall` with it, against stand-ins for ldconfig and id: the loader's cache stays as it is.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cases=0 failures=0

mkdir -p "$work/bin" "$work/searched/lib" "$work/own/lib"
ln -s "$work/searched" "$work/link"
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1"; }
stub ldconfig "[ \"\$1\" = -v ] && { echo '/nowhere: (from x:1)'; echo '$work/searched/lib: (from y:2)'; exit 0; }; echo ran >>'$work/log'"

# expect NAME COUNT UID FOLDER [DESTDIR]: how often ldconfig is run for a library in a folder.
expect() {
    cases=$((cases + 1))
    : >"$work/log"
    stub id "echo $3"
    printf '%s\n' "$4/libdvm.so.0.1.0" "$4/libdvm.so" /usr/include/dvm.h >"$work/manifest"
    PATH=$work/bin:$PATH "$here/ldconfig.sh" "$work/manifest" ${5:+"$5"} >"$work/out" 2>&1
    local code=$? ran
    ran=$(wc -l <"$work/log")
    [ $code -eq 0 ] && [ "$ran" -eq "$2" ] && return
    failures=$((failures + 1))
    printf 'FAILED %s: exit status %d, ldconfig ran %d times\n' "$1" $code "$ran"
    sed 's/^/    | /' "$work/out"
}

expect "a folder that the loader searches" 1 0 "$work/searched/lib"
expect "the same by another name" 1 0 "$work/link/lib"
expect "a folder of its own" 0 0 "$work/own/lib"
expect "a user" 0 1000 "$work/searched/lib"
expect "a staged install" 0 0 "$work/searched/lib" "$work/stage"

# `make install` and `make uninstall` hand over their manifest and DESTDIR.
for target in install uninstall; do
    cases=$((cases + 1))
    make --no-print-directory -C "$here/.." -n $target DESTDIR=/stage 2>/dev/null | grep -F 'tools/ldconfig.sh target/install_manifest.txt "/stage"' >/dev/null && continue
    failures=$((failures + 1))
    echo "FAILED make $target does not run tools/ldconfig.sh"
done

echo "$((cases - failures)) passed, $failures failed"
[ $failures -eq 0 ]
