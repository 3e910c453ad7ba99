#!/usr/bin/env bash
# Builds libdvm's plugin once for each MPI whose compiler is there, into target/release, beside libdvm.so.
#
#   tools/plugins.sh                        fails when there is no MPI, or a plugin cannot be built
#   tools/plugins.sh --optional             says so, and goes on
#   tools/plugins.sh --into FOLDER CC...    the plugins of these compilers, into another folder
#
# Each MPI has a target directory of its own: cargo does not notice that another compiler gives other headers.
# MPICC names one more compiler; its MPI's family is found out.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
folder=$target/release
optional=
compilers=(${MPICC:+"$MPICC"} mpicc.openmpi mpicc.mpich mpicc_abi mpicc)
case ${1:-} in
  --optional) optional=yes ;;
  --into) folder=$2 && shift 2 && compilers=("$@") ;;
esac

say() { printf 'plugins: %s\n' "$*" >&2; }

# The family of the MPI of compiler $1, by the headers: the plugin's name.
family() {
  local macros
  macros=$(printf '#include <mpi.h>\n' | I_MPI_ROOT=${I_MPI_ROOT:-$(dirname "$(dirname "$1")")} "$1" -E -dM -x c - 2>/dev/null) || return 1
  case $macros in
    *"define OMPI_MAJOR_VERSION "*) echo openmpi ;;
    *"define MPICH_VERSION "* | *"define I_MPI_VERSION "*) echo mpich ;;
    # Last: those above may have it besides.
    *"define MPI_ABI_VERSION "*) echo abi ;;
    *) return 1 ;;
  esac
}

# Builds the plugin $1 by the compiler $2.
build() {
  local cc=$2 settings=()
  # rsmpi asks a header for less than the standard's interface needs.
  if [ "$1" = abi ]; then
    local fortran="-include $PWD/plugin/fortran_handles.h"
    settings=("CFLAGS=$fortran" "BINDGEN_EXTRA_CLANG_ARGS=-DMPI_ABI $fortran")
  fi
  # Intel's compiler looks for itself there.
  settings+=("I_MPI_ROOT=${I_MPI_ROOT:-$(dirname "$(dirname "$cc")")}")
  env "${settings[@]}" DVM_MPICC="$cc" MPICC="$PWD/plugin/compiler.sh" ${CARGO:-cargo} build --release --locked \
    --manifest-path plugin/Cargo.toml --target-dir "$target/plugin/$3"
}

declare -A built=()
failed=0
for compiler in "${compilers[@]}"; do
  path=$(command -v "$compiler") || continue
  if ! name=$(family "$path"); then
    say "$path belongs to an MPI that libdvm does not know"
    continue
  fi
  [ -n "${built[$name]:-}" ] && continue
  built[$name]=$path
  made=$name
  [ "$folder" = "$target/release" ] || made=$(printf '%s' "$path" | sum | cut -d ' ' -f 1)-$name
  if build "$name" "$path" "$made"; then
    mkdir -p "$folder"
    # In one step: a program may have loaded the old one.
    cp "$target/plugin/$made/release/libdvm_mpi.so" "$folder/.libdvm_mpi_$name.so"
    mv "$folder/.libdvm_mpi_$name.so" "$folder/libdvm_mpi_$name.so"
    say "$folder/libdvm_mpi_$name.so by $path"
  else
    say "the plugin for $path cannot be built"
    failed=1
  fi
done
if [ ${#built[@]} -eq 0 ]; then
  say "there is no MPI (no mpicc): libdvm works in one process, and under dvmrun"
  [ -n "$optional" ] || exit 1
fi
[ -n "$optional" ] || exit "$failed"
