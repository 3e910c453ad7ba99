# A recipe of Spack, for the sources that it lies in: `spack dev-build libdvm@0.1.0` (packaging/README.md).
from spack.package import *


class Libdvm(CMakePackage):
    """Run-time of tasks on data over all cores and processes, and compiler commands that turn loop nests into such tasks."""

    license("MIT OR Apache-2.0")

    version("0.1.0")

    variant("fortran", default=True, description="Compile the Fortran module")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.20:", type="build")
    depends_on("rust@1.95:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("llvm+clang", type=("build", "run"))
    depends_on("hwloc@2.1:")
    depends_on("isl")
    depends_on("gmp")

    def cmake_args(self):
        return [self.define_from_variant("DVM_FORTRAN", "fortran"), self.define("DVM_MPI", False)]

    def setup_build_environment(self, env):
        env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo"))
