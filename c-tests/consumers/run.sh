#!/usr/bin/env bash
# Installs libdvm and uses it as strangers do: CMake projects in C, C++ and Fortran and pkg-config, all outside of the
# source tree, with the installed files only; then the same after the prefix was moved, and from a DESTDIR.
#
#   c-tests/consumers/run.sh [BUILD_DIR]
#
# BUILD_DIR is a CMake build tree of libdvm (default: target/c-tests/consumers); it is configured when it is not there
# yet. Exit status 0: all of it works.
set -uo pipefail
export LC_ALL=C
unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH PKG_CONFIG_PATH CPATH LIBRARY_PATH DESTDIR

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build=${1:-$here/../../target/c-tests/consumers}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failures=0

# step WHAT COMMAND...: runs a command; what it says is only shown when it fails.
step() {
    local what=$1
    shift
    count=$((count + 1))
    "$@" >"$work/log" 2>&1 && return 0
    failures=$((failures + 1))
    printf 'FAILED %s\n    %s\n' "$what" "$*"
    tail -25 "$work/log" | sed 's/^/    | /'
    return 1
}

# The sources of the consumers, away from the tree: a path that leads back into it would be found out.
cp -r "$here"/{c,cxx,fortran} "$work/"

# by_cmake LANGUAGE PREFIX [OPTION...]
by_cmake() {
    local language=$1 prefix=$2 tree
    shift 2
    tree=$(mktemp -d "$work/tree.XXXXXX")
    step "$language by CMake, $prefix: configure" cmake -S "$work/$language" -B "$tree" -DCMAKE_PREFIX_PATH="$prefix" "$@" &&
        step "$language by CMake, $prefix: build" cmake --build "$tree" &&
        step "$language by CMake, $prefix: run" timeout 60 "$tree/consumer"
}

# by_pkg_config PREFIX
by_pkg_config() {
    local prefix=$1 flags
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    flags=$(pkg-config --cflags --libs dvm 2>&1)
    # shellcheck disable=SC2086
    step "C by pkg-config, $prefix: build" cc "$work/c/main.c" $flags -o "$work/by_pkg_config" &&
        step "C by pkg-config, $prefix: run" env LD_LIBRARY_PATH="$prefix/lib" timeout 60 "$work/by_pkg_config"
    flags=$(pkg-config --cflags --libs dvm-fortran 2>&1)
    # shellcheck disable=SC2086
    step "Fortran by pkg-config, $prefix: build" gfortran "$work/fortran/main.f90" -J"$work" $flags -o "$work/by_pkg_config" &&
        step "Fortran by pkg-config, $prefix: run" env LD_LIBRARY_PATH="$prefix/lib" timeout 60 "$work/by_pkg_config"
    step "the version, $prefix" pkg-config --exact-version="$(version)" dvm
    unset PKG_CONFIG_PATH
}

version() { sed -n 's/^version = "\([0-9.]*\)"$/\1/p' "$here/../../Cargo.toml" | head -1; }

all_of_it() {
    by_cmake c "$1"
    by_cmake cxx "$1"
    by_cmake fortran "$1"
    by_pkg_config "$1"
}

[ -e "$build/CMakeCache.txt" ] || step "configure libdvm" cmake -S "$here/../.." -B "$build" || exit 1
# Without a build before it: install builds what is missing.
rm -f "$build"/libdvm.so.*.*
step "install" cmake --install "$build" --prefix "$work/first" || exit 1
build=$(cd -- "$build" && pwd)
prefix=$work/first

real=libdvm.so.$(version)
for file in lib/$real include/dvm.h include/dvm_dma.h include/dvm.f90 lib/cmake/dvm/dvmConfig.cmake \
    lib/cmake/dvm/dvmConfigVersion.cmake lib/pkgconfig/dvm.pc lib/libdvm_fortran.a bin/dvm-info share/man/man1/dvm-info.1 \
    share/dvm/dvm.py; do
    step "there is $file" test -s "$prefix/$file"
done
step "there is a .mod" test -n "$(find "$prefix/lib/dvm/fortran" -name dvm.mod)"
step "libdvm.so leads to $real" test "$(readlink -f "$prefix/lib/libdvm.so")" = "$(readlink -f "$prefix/lib/$real")"
step "the links are relative" test "$(readlink "$prefix/lib/libdvm.so" | cut -c1)" != /
for program in "$build"/bin/*; do
    [ -e "$program" ] && step "there is $(basename "$program")" test -x "$prefix/bin/$(basename "$program")"
done
step "dvm-info runs where it is installed" "$prefix/bin/dvm-info"
step "no path of the build is written down" test -z "$(grep -rIl -e "$build" -e "$prefix" "$prefix/lib/cmake" "$prefix/lib/pkgconfig")"

all_of_it "$prefix"
by_cmake fortran "$prefix" -DDVM_FORTRAN_FROM_SOURCE=ON
by_cmake c "$prefix" -DCMAKE_C_COMPILER=clang

mkdir -p "$work/elsewhere/deeper"
mv "$prefix" "$work/elsewhere/deeper/moved"
all_of_it "$work/elsewhere/deeper/moved"
rm -rf "$work/elsewhere"

step "install with DESTDIR" env DESTDIR="$work/stage" cmake --install "$build" --prefix /opt/dvm
step "DESTDIR has it all" test -s "$work/stage/opt/dvm/lib/$real"
step "nothing is written outside of DESTDIR" test ! -e /opt/dvm/lib/libdvm.so
all_of_it "$work/stage/opt/dvm"

# What cannot work says why.
mkdir "$work/wrong"
printf 'cmake_minimum_required(VERSION 3.20)\nproject(wrong LANGUAGES C)\nfind_package(dvm REQUIRED COMPONENTS Fortran)\n' >"$work/wrong/CMakeLists.txt"
cmake -S "$work/wrong" -B "$work/wrong/build" -DCMAKE_PREFIX_PATH="$work/stage/opt/dvm" >"$work/wrong/log" 2>&1
step "Fortran without the language is refused with the remedy" grep -q "enable the language Fortran" "$work/wrong/log"
printf 'cmake_minimum_required(VERSION 3.20)\nproject(wrong LANGUAGES C)\nfind_package(dvm 9 REQUIRED)\n' >"$work/wrong/CMakeLists.txt"
step "a version that is not there is refused" bash -c "! cmake -S '$work/wrong' -B '$work/wrong/again' -DCMAKE_PREFIX_PATH='$work/stage/opt/dvm'"

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ]
