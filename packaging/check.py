#!/usr/bin/env python3
"""Compares the recipes of this folder with the project: versions, and the packages that a build needs. Ends with `N passed, M failed`."""

import ast
import pathlib
import re

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
    check(f"Dockerfile: {line}", re.match(r"(#.*|FROM|RUN|ENV|COPY|WORKDIR|CMD)( |$)|#|$", line))

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

print(f"{passed} passed, {failed} failed")
raise SystemExit(failed > 0)
