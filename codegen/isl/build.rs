//! Links the system's isl.

fn main() {
    pkg_config::Config::new()
        .atleast_version("0.20")
        .probe("isl")
        .expect("isl (Debian: libisl-dev) is needed to build dvm-codegen");
}
