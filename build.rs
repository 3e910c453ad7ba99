//! Gives the shared library its SONAME, keeps it resident (its worker threads live in its code), and writes the hwloc bindings.

use std::env;
use std::path::PathBuf;

/// What libdvm calls in hwloc, and does not declare itself; nothing else is bound.
const HWLOC_FUNCTIONS: &[&str] = &[
    "hwloc_distances_get",
    "hwloc_distances_release",
    "hwloc_get_obj_by_depth",
    "hwloc_obj_type_string",
    "hwloc_topology_destroy",
    "hwloc_topology_set_components",
    "hwloc_topology_set_synthetic",
    "hwloc_topology_set_xmlbuffer",
];

/// The types whose constants libdvm names.
const HWLOC_TYPES: &[&str] = &["hwloc_distances_kind_e", "hwloc_obj_type_t"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    // A sanitizer's functions are the program's: only then may the library be linked with open ends.
    let sanitized = env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("-Zsanitizer="));
    let ends = if sanitized { "-z,undefs" } else { "-z,defs" };
    for argument in ["-soname,libdvm.so.0", ends, "-z,nodelete"] {
        println!("cargo:rustc-cdylib-link-arg=-Wl,{argument}");
    }
    link_soname();
    let hwloc = bind_hwloc();
    say_how_it_is_built(&hwloc);
}

/// Hands what a report tells about the build to the compiler.
fn say_how_it_is_built(hwloc: &str) {
    let set = |name: &str| env::var(name).unwrap_or_default();
    let rustc = std::process::Command::new(set("RUSTC")).arg("--version").output();
    let rustc = rustc.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    for (name, value) in [
        ("RUSTC", rustc.as_str()),
        ("PROFILE", &format!("{}, optimisation {}", set("PROFILE"), set("OPT_LEVEL"))),
        ("TARGET", &set("TARGET")),
        ("HWLOC", hwloc),
    ] {
        println!("cargo:rustc-env=DVM_BUILD_{name}={value}");
    }
}

/// Puts `libdvm.so.0` beside `libdvm.so`, so that programs linked to the build tree find the library by its SONAME.
fn link_soname() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts"));
    // OUT_DIR is PROFILE/build/PACKAGE-HASH/out.
    if let Some(profile) = out.ancestors().nth(3) {
        let _ = std::os::unix::fs::symlink("libdvm.so", profile.join("libdvm.so.0"));
    }
}

/// Links hwloc and writes `hwloc.rs` from its installed header; gives its version.
fn bind_hwloc() -> String {
    let hwloc = pkg_config::Config::new().atleast_version("2.1").probe("hwloc").unwrap_or_else(|why| {
        panic!(
            "hwloc 2.1 or later is needed to read the machine's topology (Debian: apt install libhwloc-dev pkg-config): {why}"
        )
    });
    let mut builder = bindgen::Builder::default()
        .header_contents("dvm_hwloc.h", "#include <hwloc.h>\n#include <hwloc/distances.h>\n")
        .clang_args(hwloc.include_paths.iter().map(|path| format!("-I{}", path.display())))
        .allowlist_var("HWLOC_API_VERSION")
        .generate_comments(false)
        .layout_tests(true);
    for function in HWLOC_FUNCTIONS {
        builder = builder.allowlist_function(function);
    }
    for name in HWLOC_TYPES {
        builder = builder.allowlist_type(name);
    }
    let bindings = builder.generate().unwrap_or_else(|why| {
        panic!("cannot bind hwloc.h (bindgen needs libclang; Debian: apt install libclang-dev): {why}")
    });
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts"));
    bindings.write_to_file(directory.join("hwloc.rs")).expect("the bindings are written to cargo's OUT_DIR");
    hwloc.version
}
