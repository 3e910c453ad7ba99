//! Scratch folders.

use std::ffi::OsStr;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A folder that goes with its value, unless `DVM_TEST_FILES` is set.
pub struct Scratch(tempfile::TempDir);

/// A fresh folder with these files; a text that begins with `#!` becomes an executable script.
pub fn scratch(files: &[(&str, &str)]) -> Scratch {
    let keep = std::env::var_os("DVM_TEST_FILES").is_some();
    let folder =
        Scratch(tempfile::Builder::new().prefix("dvm-test-").disable_cleanup(keep).tempdir().expect("a folder"));
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

impl Scratch {
    /// Writes a file, and the folders that it stands in.
    pub fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.join(name);
        std::fs::create_dir_all(path.parent().expect("it is below the folder")).expect("a folder");
        std::fs::write(&path, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if text.as_ref().starts_with(b"#!") {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("an executable script");
        }
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl AsRef<OsStr> for Scratch {
    fn as_ref(&self) -> &OsStr {
        self.as_os_str()
    }
}

#[test]
fn a_folder_goes_with_its_value() {
    let folder = scratch(&[("below/file", "text"), ("script", "#!/bin/sh\n")]);
    let path = folder.to_path_buf();
    assert_eq!(std::fs::read_to_string(path.join("below/file")).expect("the file"), "text");
    assert!(std::process::Command::new(path.join("script")).status().expect("it runs").success());
    drop(folder);
    assert_eq!(path.exists(), std::env::var_os("DVM_TEST_FILES").is_some());
}
