//! A folder that looks like an installed libdvm, with the stand-in inside.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder, built once per test program.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("prefix-{}", env!("CARGO_CRATE_NAME")));
        let standin = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/standin");
        std::fs::create_dir_all(folder.join("include")).expect("the include folder");
        std::fs::create_dir_all(folder.join("lib")).expect("the library folder");
        // Tests run themselves as children: no program may load a library, or read a header, that another is writing.
        let fresh = |name: &str| folder.join(format!("{name}.{}", std::process::id()));
        let settle = |from: PathBuf, to: &str| std::fs::rename(from, folder.join(to)).expect("one file system");
        std::fs::copy(standin.join("dvm.h"), fresh("dvm.h")).expect("the header");
        let status = Command::new("gcc")
            .args(["-shared", "-fPIC", "-O1", "-pthread", "-D_POSIX_C_SOURCE=200809L", "-o"])
            .arg(fresh("libdvm.so"))
            .args([standin.join("standin.c"), standin.join("environment.c")])
            .status()
            .expect("gcc runs");
        assert!(status.success(), "the stand-in compiles");
        settle(fresh("dvm.h"), "include/dvm.h");
        settle(fresh("libdvm.so"), "lib/libdvm.so");
        folder
    })
}

/// `dvmcc` with the stand-in as libdvm and gcc behind it.
pub fn dvmcc() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvmcc"));
    command.env("DVM_PREFIX", folder()).env("DVM_CC", "gcc").env_remove("CC").env_remove("DVM_CLANG");
    command
}

/// A program that was linked with the stand-in. Cargo's own library path would put the real libdvm before it.
#[allow(dead_code)]
pub fn program(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_remove("LD_LIBRARY_PATH");
    command
}
