#!/usr/bin/env bash
# Installs libdvm and uses it from outside: CMake projects in C, C++ and Fortran, and pkg-config, outside the source
# tree and with the installed files only; then again after the prefix was moved, and from a DESTDIR. Other
# versions of libdvm on the machine have no influence.
#
#   c-tests/consumers/run.sh [--quick] [BUILD_DIR]
#
# --quick: C by CMake, C and Fortran by pkg-config, in one prefix.
# BUILD_DIR is a CMake build tree of libdvm (default: target/c-tests/consumers), configured if missing.
# Exit status 0: everything works.
set -uo pipefail
export LC_ALL=C
unset LD_LIBRARY_PATH LD_RUN_PATH LD_PRELOAD DESTDIR CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH
unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR CFLAGS CXXFLAGS FFLAGS CPPFLAGS LDFLAGS
unset "${!CMAKE_@}" "${!dvm_@}" "${!DVM_@}"

quick=
[ "${1:-}" = --quick ] && quick=1 && shift
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build=${1:-$here/../../target/c-tests/consumers}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failures=0

# step WHAT COMMAND...: runs a command; shows its output only if it fails.
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

# Copies the consumers' sources out of the tree, so that a path back into it fails.
cp -r "$here"/{c,cxx,fortran} "$work/"

# Read after project(), which finds compilers: from then on, CMake ignores the system's packages.
for place in CMAKE_SYSTEM_PATH SYSTEM_ENVIRONMENT_PATH PACKAGE_REGISTRY SYSTEM_PACKAGE_REGISTRY; do
    echo "set(CMAKE_FIND_USE_$place OFF)"
done >"$work/alone.cmake"

# alone PREFIX SOURCE TREE [OPTION...]: configures a project that finds packages only in PREFIX, not in the system.
alone() {
    local prefix=$1 source=$2 tree=$3
    shift 3
    cmake -S "$source" -B "$tree" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_PROJECT_INCLUDE="$work/alone.cmake" "$@"
}

# loads PREFIX PROGRAM: checks that the program loads the prefix's libdvm.
loads() {
    local loaded
    loaded=$(ldd "$2" | awk '/libdvm\.so/ { print $3 }')
    [ -n "$loaded" ] && [ "$(readlink -f "$loaded")" = "$(readlink -f "$1/lib/libdvm.so")" ]
}

# by_cmake LANGUAGE PREFIX [OPTION...]
by_cmake() {
    local language=$1 prefix=$2 tree
    shift 2
    tree=$(mktemp -d "$work/tree.XXXXXX")
    step "$language by CMake, $prefix: configure" alone "$prefix" "$work/$language" "$tree" "$@" &&
        step "$language by CMake, $prefix: build" cmake --build "$tree" &&
        step "$language by CMake, $prefix: loads what was installed" loads "$prefix" "$tree/consumer" &&
        step "$language by CMake, $prefix: run" timeout 60 "$tree/consumer"
}

# by_pkg_config PREFIX
by_pkg_config() {
    local prefix=$1 flags
    # Only this folder, not the system's.
    export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
    flags=$(pkg-config --cflags --libs dvm 2>&1)
    # shellcheck disable=SC2086
    step "C by pkg-config, $prefix: build" cc "$work/c/main.c" $flags -o "$work/by_pkg_config" &&
        step "C by pkg-config, $prefix: run" env LD_LIBRARY_PATH="$prefix/lib" timeout 60 "$work/by_pkg_config"
    flags=$(pkg-config --cflags --libs dvm-fortran 2>&1)
    # shellcheck disable=SC2086
    step "Fortran by pkg-config, $prefix: build" gfortran "$work/fortran/main.f90" -J"$work" $flags -o "$work/by_pkg_config" &&
        step "Fortran by pkg-config, $prefix: run" env LD_LIBRARY_PATH="$prefix/lib" timeout 60 "$work/by_pkg_config"
    step "the version, $prefix" pkg-config --exact-version="$(version)" dvm
    unset PKG_CONFIG_LIBDIR
}

refused() { ! "$@"; }
version() { sed -n 's/^version = "\([0-9.]*\)"$/\1/p' "$here/../../Cargo.toml" | head -1; }

all_of_it() {
    by_cmake c "$1"
    by_cmake cxx "$1"
    by_cmake fortran "$1"
    by_pkg_config "$1"
}

step "configure libdvm" cmake -S "$here/../.." -B "$build" || exit 1
# Without a previous build: install builds what is missing.
rm -f "$build"/libdvm.so.*.*
step "install" cmake --install "$build" --prefix "$work/first" || exit 1
build=$(cd -- "$build" && pwd)
prefix=$work/first

# Without cargo: what was built before is installed as it is, and every file of it is removed again.
step "configure without cargo" env PATH=/usr/bin:/bin HOME=/nonexistent cmake -S "$here/../.." -B "$work/built" -DDVM_BUILT=ON
step "build without cargo" env PATH=/usr/bin:/bin HOME=/nonexistent cmake --build "$work/built"
step "install without cargo" env PATH=/usr/bin:/bin HOME=/nonexistent cmake --install "$work/built" --prefix "$work/again"
step "the same files" test "$(cd "$work/first" && find . ! -type d | sort)" = "$(cd "$work/again" && find . ! -type d | sort)"
step "uninstall" "$here/../../tools/uninstall.sh" "$work/built/install_manifest.txt"
step "nothing is left" test -z "$(find "$work/again" ! -type d)"

# Uninstalled: the build tree itself.
for language in c cxx fortran; do
    tree=$work/uninstalled-$language
    step "$language, uninstalled: configure" cmake -S "$work/$language" -B "$tree" -Ddvm_DIR="$build" &&
        step "$language, uninstalled: build" cmake --build "$tree" && step "$language, uninstalled: run" timeout 60 "$tree/consumer"
done
flags=$(PKG_CONFIG_LIBDIR=$build pkg-config --cflags --libs dvm)
# shellcheck disable=SC2086
step "C by pkg-config, uninstalled: build" cc "$work/c/main.c" $flags -o "$work/uninstalled" &&
    step "C by pkg-config, uninstalled: run" timeout 60 "$work/uninstalled"
flags=$(PKG_CONFIG_LIBDIR=$build pkg-config --cflags --libs dvm-fortran)
# shellcheck disable=SC2086
step "Fortran by pkg-config, uninstalled: build" gfortran "$work/fortran/main.f90" -J"$work" $flags -o "$work/uninstalled" &&
    step "Fortran by pkg-config, uninstalled: run" timeout 60 "$work/uninstalled"

real=libdvm.so.$(version)
for file in lib/$real include/dvm.h include/dvm.hpp include/dvm_dma.h include/dvm_mpi.h include/dvm.f90 lib/cmake/dvm/dvmConfig.cmake \
    lib/cmake/dvm/dvmConfigVersion.cmake lib/pkgconfig/dvm.pc lib/libdvm_fortran.a bin/dvm-info share/man/man1/dvm-info.1 \
    bin/dvmrun share/man/man1/dvmrun.1 share/man/man1/dvm-codegen.1 share/man/man1/dvmcc.1 share/man/man1/dvmfc.1 \
    share/man/man3/dvm_sched_near.3 share/man/man3/dvm_init_mpi.3 share/man/man3/dvm_graph_t.3 share/man/man7/dvm.7 \
    share/dvm/dvm.py share/doc/dvm/LICENSE-APACHE share/doc/dvm/LICENSE-MIT share/doc/dvm/SECURITY.md share/doc/dvm/CITATION.cff \
    share/doc/dvm/docs/changelog.md share/doc/dvm/docs/reference.md \
    share/doc/dvm/README.md share/doc/dvm/docs/SUMMARY.md share/doc/dvm/docs/book/by-hand.md share/doc/dvm/examples/01_hello.c; do
    step "there is $file" test -s "$prefix/$file"
done
step "there is a .mod" test -n "$(find "$prefix/lib/dvm/fortran" -name dvm.mod)"
step "libdvm.so leads to $real" test "$(readlink -f "$prefix/lib/libdvm.so")" = "$(readlink -f "$prefix/lib/$real")"
step "the links are relative" test "$(readlink "$prefix/lib/libdvm.so" | cut -c1)" != /
for program in "$build"/bin/*; do
    [ -e "$program" ] && step "there is $(basename "$program")" test -x "$prefix/bin/$(basename "$program")"
done
one_file() { [ "$(stat -c %i "$1"/bin/{dvmcc,dvmfc,dvm-codegen} | uniq | wc -l)" = 1 ]; }
# Every page and example that one of the installed pages leads to; headers stand elsewhere.
pages_lead_on() (
    cd "$1" && for page in README.md $(find docs -name '*.md'); do
        for link in $(grep -oE '\]\([a-zA-Z0-9_./-]+\.(md|svg|c|cpp|f90)\)' "$page" | tr -d ']()'); do
            [ -e "$(dirname "$page")/$link" ] || { echo "$page leads to $link"; missing=1; }
        done
    done
    [ -z "${missing:-}" ]
)
# Every function that a program can link has a man page.
functions_have_pages() {
    nm -D --defined-only "$1/lib/libdvm.so" | awk '$2 == "T" && $3 ~ /^dvm_/ { print $3 }' >"$work/functions"
    [ -s "$work/functions" ] && while read -r name; do
        [ -s "$1/share/man/man3/$name.3" ] || { echo "there is no page about $name"; missing=1; }
    done <"$work/functions"
    [ -z "${missing:-}" ]
}
step "every function has a man page" functions_have_pages "$prefix"
# Requests and letters that roff does not know, in any page.
pages_are_right() {
    find "$1/share/man" -type f -exec groff -man -ww -z -Tutf8 {} + >"$work/warnings" 2>&1
    cat "$work/warnings" && [ ! -s "$work/warnings" ]
}
if command -v groff >/dev/null; then step "groff finds nothing wrong in the man pages" pages_are_right "$prefix"; else echo "left out: there is no groff"; fi
step "the pages lead on" pages_lead_on "$prefix/share/doc/dvm"
step "dvmcc and dvmfc are dvm-codegen" one_file "$prefix"
step "so they are where nothing was built" grep -q "^$work/again/bin/dvmcc$" "$work/built/install_manifest.txt"
# HTML is there only where `make docs` has made it: the book 3 MB, the pages of the headers 1 MB.
step "an installation takes at most 20 MB" \
    test "$(du -sk --exclude="$prefix/share/doc/dvm/html" --exclude="$prefix/share/doc/dvm/reference" "$prefix" | cut -f 1)" -le 20480
step "debug information is not there" test -z "$(find "$prefix" -name '*.debug')"
step "install debug information" cmake --install "$build" --prefix "$prefix" --component Debug
# Without gdb: its name and checksum are all that a debugger asks for.
step "it is beside the library" test -s "$prefix/lib/.debug/$real.debug"
step "the library names it" grep -q "$real.debug" "$prefix/lib/$real"
step "dvm-info runs where it is installed" "$prefix/bin/dvm-info"
[ ! -x "$prefix/bin/dvmfc" ] || step "dvmfc runs where it is installed" "$prefix/bin/dvmfc" -O2 -o "$work/heat" "$here/../../examples/24_heat.f90"
[ ! -x "$work/heat" ] || step "what dvmfc made finds the library" "$work/heat"
step "dvmrun runs where it is installed" "$prefix/bin/dvmrun" -n 2 "$prefix/bin/dvm-info" --options
step "no path of the build is written down" test -z "$(grep -rIl -e "$build" -e "$prefix" "$prefix/lib/cmake" "$prefix/lib/pkgconfig")"

# completes WORD... : what bash offers for the last word of a command line.
completes() {
    bash -c '. "$1/share/bash-completion/completions/$2" && shift && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) &&
        "$(complete -p "$1" | sed "s/.*-F \([^ ]*\).*/\1/")" "$1" "${@: -1}" "${@: -2:1}" && printf "%s\n" "${COMPREPLY[@]}"' \
        completes "$prefix" "$@"
}
# Not `grep -q`, which ends before its writer: under pipefail that is a failure.
offers() { completes "${@:2}" | grep -xFe "$1" >/dev/null; }
step "bash completes dvmrun" offers --timeout dvmrun -n 2 --ti
step "bash completes dvm-info" offers --machine dvm-info --ma
step "bash completes dvmcc" offers --dvm-remarks dvmcc -O2 --dvm
step "bash completes dvmfc" offers --dvm-strict dvmfc --dvm-s
step "bash completes a command of dvm-codegen" offers draw dvm-codegen d
step "bash completes an option of that command" offers --size dvm-codegen draw --si
step "bash offers only what begins so" refused offers --label dvmrun --ti
for program in dvmrun dvm-info dvmcc dvmfc dvm-codegen; do
    for shell in zsh fish; do
        [ $shell = zsh ] && file=share/zsh/site-functions/_$program || file=share/fish/vendor_completions.d/$program.fish
        step "there is $file" test -s "$prefix/$file"
        ! command -v $shell >/dev/null || step "$shell reads $file" $shell -n "$prefix/$file"
    done
done

if [ -n "$quick" ]; then
    by_cmake c "$prefix"
    by_pkg_config "$prefix"
    echo "$((count - failures)) passed, $failures failed"
    [ $failures -eq 0 ]
    exit
fi

all_of_it "$prefix"
by_cmake fortran "$prefix" -DDVM_FORTRAN_FROM_SOURCE=ON
by_cmake c "$prefix" -DCMAKE_C_COMPILER=clang

mkdir -p "$work/elsewhere/deeper"
mv "$prefix" "$work/elsewhere/deeper/moved"
all_of_it "$work/elsewhere/deeper/moved"
rm -rf "$work/elsewhere"

# A unique prefix.
own=/opt/dvm-$(basename "$work")
stage=$work/stage$own
step "install with DESTDIR" env DESTDIR="$work/stage" cmake --install "$build" --prefix "$own"
step "DESTDIR has it all" test -s "$stage/lib/$real"
step "nothing is written outside of DESTDIR" test ! -e "$own"
all_of_it "$stage"

# The archive: programs that run without libdvm.so.
refused_static() { ! alone "$stage" "$work/c" "$work/no-archive" -DCOMPONENTS=Static >"$work/static.log" 2>&1 && grep -q "make install-static" "$work/static.log"; }
step "an archive that is not there is refused with the remedy" refused_static
target=${CARGO_TARGET_DIR:-$here/../../target}/release
step "build the archive" cargo build --release --locked --manifest-path "$here/../../Cargo.toml" --workspace --lib --bins --example dvm_static
step "make one object of it" cmake -DFROM="$target/examples/libdvm_static.a" -DSHARED="$target/libdvm.so" -DINTO="$build" -P "$here/../../cmake/static.cmake"
step "install it" env DESTDIR="$work/stage" cmake --install "$build" --prefix "$own" --component Static
step "it gives what the library gives" test "$(nm -g --defined-only "$stage/lib/libdvm.a" | awk 'NF == 3 { print $3 }' | sort)" = \
    "$(nm -D --defined-only "$target/libdvm.so" | awk '{ print $3 }' | sort)"
without_the_library() { ! ldd "$1" | grep libdvm && ldd "$1" | grep -q libhwloc && timeout 60 "$1"; }
for language in c cxx; do
    tree=$work/static-$language
    step "$language with the archive: configure" alone "$stage" "$work/$language" "$tree" -DLINK=dvm::static -DCOMPONENTS=Static &&
        step "$language with the archive: build" cmake --build "$tree" && step "$language with the archive: run" without_the_library "$tree/consumer"
done
flags=$(PKG_CONFIG_LIBDIR=$stage/lib/pkgconfig pkg-config --define-prefix --cflags --libs dvm-static)
# shellcheck disable=SC2086
step "what is thrown, with the archive: build" c++ -std=c++17 "$here/../throws.cpp" $flags -o "$work/throws" &&
    step "what is thrown, with the archive: run" without_the_library "$work/throws"

# What all of make's targets have installed, `make uninstall` removes.
by_make() { make -C "$here/../.." "$@" PREFIX="$work/made" CMAKE_BUILD="$work/make" MANIFEST="$work/manifest"; }
for goal in install install-debug install-static; do step "make $goal" by_make $goal; done
step "they have installed libdvm, its debug information and the archive" test -s "$work/made/lib/libdvm.so" -a \
    -s "$work/made/lib/.debug/$real.debug" -a -s "$work/made/lib/libdvm.a"
step "make uninstall" by_make uninstall
step "it leaves nothing" test -z "$(find "$work/made" ! -type d 2>&1)"

# A configuration that cannot work says why.
mkdir "$work/wrong"
printf 'cmake_minimum_required(VERSION 3.20)\nproject(wrong LANGUAGES C)\nfind_package(dvm REQUIRED COMPONENTS Fortran)\n' >"$work/wrong/CMakeLists.txt"
alone "$stage" "$work/wrong" "$work/wrong/build" >"$work/wrong/log" 2>&1
step "Fortran without the language is refused with the remedy" grep -q "enable the language Fortran" "$work/wrong/log"
printf 'cmake_minimum_required(VERSION 3.20)\nproject(wrong LANGUAGES C)\nfind_package(dvm 9 REQUIRED)\n' >"$work/wrong/CMakeLists.txt"
step "a version that is not there is refused" refused alone "$stage" "$work/wrong" "$work/wrong/again"

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ]
