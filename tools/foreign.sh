#!/usr/bin/env bash
# The tests beside another libdvm: a library whose every call aborts, headers and packages of a false version and programs
# that fail stand where they are found by default. In a mount namespace of its own: the machine stays as it is.
#
#   tools/foreign.sh                  one program of each kind of recipe: after make all and the steps c and consumers
#   tools/foreign.sh COMMAND...       that command, for example c-tests/run.sh
#
# Setting: DVM_FOREIGN_PREFIX, where the other libdvm is (default /usr/local). Exit status 0: it plays no part.
# Where the system allows no mount namespace or no overlay, the script says so and ends well.
set -uo pipefail
export LC_ALL=C

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
prefix=${DVM_FOREIGN_PREFIX:-/usr/local}
version=99.0.0

# Enters the namespace: root there, whoever it is outside.
if [ -z "${DVM_FOREIGN_WORK:-}" ]; then
    flags=-m
    [ "$(id -u)" = 0 ] || flags=-rm
    if ! unshare $flags true 2>/dev/null; then
        echo "SKIPPED: this system allows no mount namespace (unshare $flags)"
        exit 0
    fi
    DVM_FOREIGN_WORK=$(mktemp -d)
    export DVM_FOREIGN_WORK
    trap 'rm -rf "$DVM_FOREIGN_WORK"' EXIT
    unshare $flags -- "${BASH_SOURCE[0]}" "$@"
    exit
fi
work=$DVM_FOREIGN_WORK
unset DVM_FOREIGN_WORK

# The library: every name that ours exports, each of them a function that ends the program with a word.
make_library() {
    nm -D --defined-only "$release/libdvm.so" | awk '$2 ~ /^[TWi]$/ { sub(/@.*/, "", $3); print $3 }' >"$work/names"
    [ -s "$work/names" ] || return 1
    {
        printf '#include <stdio.h>\n#include <stdlib.h>\n'
        printf '#define FOREIGN(name) void name(void) { fputs("the other libdvm was called: " #name "\\n", stderr); abort(); }\n'
        sed 's/.*/FOREIGN(&)/' "$work/names"
    } >"$work/foreign.c"
    # Linked without our folder a program asks for the first by its name; run without it, for the second by ours.
    local name
    for name in libdvm.so.99 libdvm.so.0; do
        cc -shared -fPIC -fno-builtin -w -Wl,-soname,$name "$work/foreign.c" -o "$1/lib/$name" || return 1
    done
    ln -s libdvm.so.99 "$1/lib/libdvm.so"
}

# make_tree FOLDER: what an installation has, all of it false.
make_tree() {
    local name
    mkdir -p "$1"/{bin,include,lib/pkgconfig,lib/cmake/dvm,lib/dvm/fortran,share/dvm} && make_library "$1" || return 1
    for name in dvm.h dvm_dma.h; do echo "#error the header of the other libdvm was read" >"$1/include/$name"; done
    echo "the module of the other libdvm was read" >"$1/include/dvm.f90"
    printf 'module dvm\n  integer, parameter :: of_the_other_libdvm = 1\nend module\n' >"$work/module.f90"
    command -v gfortran >/dev/null && (cd "$1/include" && gfortran -c "$work/module.f90" -o "$work/module.o" &&
        cp dvm.mod ../lib/dvm/fortran/)
    echo 'message(FATAL_ERROR "the package of the other libdvm was read")' >"$1/lib/cmake/dvm/dvmConfig.cmake"
    printf 'set(PACKAGE_VERSION %s)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' $version >"$1/lib/cmake/dvm/dvmConfigVersion.cmake"
    for name in dvm dvm-fortran; do
        printf 'Name: %s\nDescription: another one\nVersion: %s\nLibs: -L%s/lib -ldvm\nCflags: -I%s/include\n' \
            $name $version "$prefix" "$prefix" >"$1/lib/pkgconfig/$name.pc"
    done
    for name in dvm-info dvm-codegen dvmcc dvmfc dvmrun; do
        printf '#!/bin/sh\necho "the other %s was called" >&2\nexit 86\n' $name >"$1/bin/$name"
        chmod +x "$1/bin/$name"
    done
    echo 'raise SystemExit("the other dvm.py was read")' >"$1/share/dvm/dvm.py"
}

# Lays the tree over the prefix, and a loader's cache that knows its library over the system's.
lay() {
    mount -t tmpfs foreign "$work" && mkdir "$work/over" "$work/aside" && make_tree "$work/over" &&
        mount -t overlay foreign -o "lowerdir=$prefix,upperdir=$work/over,workdir=$work/aside" "$prefix" &&
        ldconfig -X -C "$work/cache" "$prefix/lib" && mount --bind "$work/cache" /etc/ld.so.cache
}
if ! lay 2>"$work/why"; then
    echo "SKIPPED: no other libdvm can be laid over $prefix: $(tail -1 "$work/why")"
    exit 0
fi
if [ $# -gt 0 ]; then
    "$@"
    exit
fi

count=0 failures=0
# step WHAT COMMAND...: what the command says is only shown when it fails.
step() {
    local what=$1
    shift
    count=$((count + 1))
    "$@" >"$work/log" 2>&1 && return 0
    failures=$((failures + 1))
    printf 'FAILED beside another libdvm: %s\n' "$what"
    tail -25 "$work/log" | sed 's/^/    | /'
}
# fails_with WORDS COMMAND...: the command fails and says so.
fails_with() {
    local words=$1
    shift
    "$@" >"$work/said" 2>&1 && { echo "it succeeds"; return 1; }
    grep -q "$words" "$work/said" || { cat "$work/said"; return 1; }
}

# The trap is set: who looks where the system looks finds the other one.
printf 'int dvm_init(void);\nint main(void) { return dvm_init(); }\n' >"$work/naive.c"
step "its library is found" cc "$work/naive.c" -ldvm -o "$work/naive"
step "its library aborts" fails_with "the other libdvm was called: dvm_init" "$work/naive"
step "its header is found" fails_with "the header of the other libdvm was read" cc -x c -c -o "$work/x.o" - <<<'#include <dvm.h>'
step "its program is found" fails_with "the other dvm-info was called" env PATH="$prefix/bin:$PATH" dvm-info

cd "$root" || exit 2
step "examples" examples/run.sh 01_hello 05_axpy 07_matmul
step "the timeline" examples/trace.sh
step "gdb's commands" tools/gdb/test.sh
step "C tests" c-tests/run.sh -R '^(data|fortran)\.one$|^unload$|^report$'
step "consumers" c-tests/consumers/run.sh --quick
step "dvmcc and its tests" cargo test --release --locked --workspace --test dvmcc -- links

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ]
