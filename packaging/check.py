#!/usr/bin/env python3
"""Compares the recipes of this folder with the project: versions, and the packages that a build needs; tries what chroot.sh refuses.
Ends with `N passed, M failed`."""

import ast
import pathlib
import re
import shutil
import subprocess
import tempfile

here = pathlib.Path(__file__).resolve().parent
root = here.parent
passed, failed = 0, 0


def check(what, holds):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("FAILED", what)


def text(path):
    return (root / path).read_text()


version = re.search(r'^version = "([0-9.]+)"$', text("Cargo.toml"), re.M).group(1)
rust = re.search(r'^rust-version = "([0-9.]+)"$', text("Cargo.toml"), re.M).group(1)
needed = re.findall(r"^([a-z0-9.+-]+)\s+#", text("packages.txt"), re.M)

control, docker = text("packaging/debian/control"), text("packaging/Dockerfile")
build_depends = re.search(r"^Build-Depends: (.*)$", control, re.M).group(1).split(", ")
for package in needed:
    check(f"debian/control: Build-Depends has {package}", package in build_depends)
    check(f"Dockerfile: installs {package}", re.search(rf"[ ]{re.escape(package)}( |$)", docker, re.M))
check("debian/changelog: the version", text("packaging/debian/changelog").startswith(f"libdvm ({version}) "))
check("Dockerfile: the toolchain", f"--default-toolchain {rust}" in docker)
stages = re.findall(r"^FROM \S+(?: AS (\S+))?$", docker, re.M)
check("Dockerfile: each stage that is copied from exists", set(re.findall(r"--from=(\S+)", docker)) <= set(stages))
for line in re.sub(r"\\\n", " ", docker).splitlines():
    check(f"Dockerfile: {line}", re.match(r"(#.*|ARG|FROM|RUN|ENV|COPY|WORKDIR|CMD)( |$)|#|$", line))

recipe = ast.parse(text("packaging/spack/libdvm/package.py"))
classes = [node for node in recipe.body if isinstance(node, ast.ClassDef)]
check("spack: one class, whose name follows from the folder's", [node.name for node in classes] == ["Libdvm"])
check("spack: the class says what the package is", ast.get_docstring(classes[0]))
calls = [node for node in ast.walk(classes[0]) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]


def arguments(name):
    return [call.args[0].value for call in calls if call.func.id == name]


check("spack: the version", arguments("version") == [version])
check("spack: rust", f"rust@{rust}:" in arguments("depends_on"))
for package in ("hwloc", "isl", "gmp", "llvm", "cmake", "pkgconfig"):
    check(f"spack: depends on {package}", any(re.match(rf"{package}([@+]|$)", word) for word in arguments("depends_on")))
variants = arguments("variant")
for call in ast.walk(classes[0]):
    if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("define", "define_from_variant"):
        option = call.args[0].value
        known = text("CMakeLists.txt") + text("cmake/DvmCargo.cmake")
        check(f"spack: CMake knows {option}", re.search(rf"option\({option} ", known))
        if call.func.attr == "define_from_variant":
            check(f"spack: there is a variant {call.args[1].value}", call.args[1].value in variants)

check("debian/rules: dh_clean leaves vendored crates as cargo compares them", "dh_clean -Xvendor/" in text("packaging/debian/rules"))
chroot = here / "chroot.sh"
check("chroot.sh: bash reads it", subprocess.run(["bash", "-n", chroot]).returncode == 0)
for path in re.findall(r"\$root/([a-zA-Z0-9_./-]+)", chroot.read_text()):
    check(f"chroot.sh: there is {path}", path == "target/chroot" or (root / path).exists())
for package in re.findall(r"^Package: (\S+)$", control, re.M):
    check(f"chroot.sh: makes {package}", f" {package}" in chroot.read_text())


def refuses(programs, folder):
    """What chroot.sh says before it exits with 1 on a machine that has these programs alone, or False."""
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch)
        for name in ("bash", "dirname", "ls", "readlink", "realpath", "sed"):
            (path / name).symlink_to(shutil.which(name))
        for name, does in programs.items():
            (path / name).write_text(f"#!{shutil.which('bash')}\n{does}\n")
            (path / name).chmod(0o755)
        answer = subprocess.run(["bash", chroot, folder], env={"PATH": scratch}, capture_output=True, text=True)
        return answer.returncode == 1 and answer.stderr


needs = dict.fromkeys(("debootstrap", "unshare", "chroot", "cargo", "rustc", "tar"), "exit 9")
with tempfile.TemporaryDirectory() as folder:
    kept = pathlib.Path(folder) / "kept"
    kept.write_text("of somebody")
    check("chroot.sh: needs root", "root (sudo" in (refuses({**needs, "id": "echo 1000"}, folder) or ""))
    without = {name: does for name, does in needs.items() if name != "debootstrap"}
    check("chroot.sh: needs debootstrap", "\ndebootstrap\n" in (refuses({**without, "id": "echo 0"}, folder) or ""))
    answer = refuses({**needs, "id": "echo 0"}, folder) or ""
    check("chroot.sh: works in no folder of somebody else", "has not made it" in answer and kept.exists())

print(f"{passed} passed, {failed} failed")
raise SystemExit(failed > 0)
