//! Gives the shared library its SONAME and keeps it resident: its worker threads live in its code.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for argument in ["-soname,libdvm.so.0", "-z,defs", "-z,nodelete"] {
        println!("cargo:rustc-cdylib-link-arg=-Wl,{argument}");
    }
}
