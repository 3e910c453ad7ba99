#!/usr/bin/env bash
# Builds the examples against libdvm, runs them and compares what they print with the .expected file beside them.
#
#   examples/run.sh LIBRARY_DIR [NAME...]
#
# LIBRARY_DIR holds libdvm.so and libdvm.so.0 (a CMake build tree, or lib/ of an installed one). The names choose
# examples (01_hello ...); without them all that have an expected output are run, but for those whose name says that they are
# compiled by dvmcc (NN_name.dvm.c), which need DVMCC in the environment to be its path.
# CC and FC name other compilers; DVM_EXAMPLE_FLAGS adds options. Exit status 0: all printed what they should.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
library=$(cd -- "${1:?the directory of libdvm.so}" && pwd) || exit 2
shift
include=$here/../include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -r -a flags <<<"${DVM_EXAMPLE_FLAGS:-}"
link=(-L"$library" -ldvm -Wl,-rpath,"$library")
count=0 failures=0

build() {
    local source=$1 program=$2
    case $source in
        *.dvm.c) "$DVMCC" -O2 "${flags[@]}" -I"$include" -o "$program" "$source" "${link[@]}" -lm ;;
        *.c) "${CC:-cc}" -std=c11 -O2 -Wall -Wextra "${flags[@]}" -I"$include" -o "$program" "$source" "${link[@]}" -lm ;;
        *.f90)
            (cd "$work" && "${FC:-gfortran}" -O2 -Wall "${flags[@]}" -o "$program" "$include/dvm.f90" "$source" "${link[@]}")
            ;;
    esac
}

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for expected in "$here"/*.expected; do names+=("$(basename "$expected" .expected)"); done
fi

for name in "${names[@]}"; do
    source=
    for candidate in "$here/$name".{c,dvm.c,f90}; do [ -e "$candidate" ] && source=$candidate; done
    if [ -z "$source" ]; then
        echo "FAILED $name: there is no such example"
        failures=$((failures + 1))
        continue
    fi
    if [[ $source == *.dvm.c && -z ${DVMCC:-} ]]; then
        echo "skipped $name: set DVMCC to the path of dvmcc"
        continue
    fi
    count=$((count + 1))
    if ! build "$source" "$work/$name" >"$work/log" 2>&1; then
        echo "FAILED $name does not build"
        sed 's/^/    | /' "$work/log"
        failures=$((failures + 1))
        continue
    fi
    if ! timeout 60 "$work/$name" >"$work/output" 2>"$work/log"; then
        echo "FAILED $name ends with an error, or did not end within a minute"
        sed 's/^/    | /' "$work/log"
        failures=$((failures + 1))
    elif ! diff -u --label expected --label found "$here/$name.expected" "$work/output" >"$work/log"; then
        echo "FAILED $name prints something else"
        sed 's/^/    | /' "$work/log"
        failures=$((failures + 1))
    fi
done

echo "examples: $count built and run, $failures failed"
[ $failures -eq 0 ] && [ $count -gt 0 ]
