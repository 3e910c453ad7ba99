#!/usr/bin/env bash
# The compiler of an MPI, as the build of a plugin sees it: tools/plugins.sh names the compiler itself by DVM_MPICC.
#
# What it says to link against (`-show`) has no libraries: a plugin brings no MPI with it. It uses the one that the process
# has, which may be another version, or have another file name, than the one that it was built with.
set -euo pipefail
if [ "${1:-}" = -show ]; then
  "$DVM_MPICC" "$@" | sed 's/ -l[^ ]*//g'
else
  exec "$DVM_MPICC" "$@"
fi
