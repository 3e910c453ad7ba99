//! A private folder among the system's temporary ones.

use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The folder, under the name given to commands; removed on drop.
#[derive(Debug)]
pub struct ScratchFolder {
    /// Its name.
    pub path: PathBuf,
    /// What else is to be removed: where a link leads.
    behind: Option<PathBuf>,
    heir: Option<Child>,
}

/// A folder for names that must not depend on `TMPDIR`.
const FIXED: &str = "/tmp";

impl ScratchFolder {
    /// Makes the folder for compilers' temporary files. Equal purposes get equal names unless one is in use: some
    /// compilers write the name of the compiled file into the object.
    pub fn open(purpose: u64) -> Result<ScratchFolder, String> {
        let named = ["TMPDIR", "TMP", "TEMP"].into_iter().filter_map(std::env::var_os).filter(|p| !p.is_empty());
        let usual = ["/tmp", "/var/tmp", "/usr/tmp", "."];
        let mut first = None;
        for base in named.map(PathBuf::from).chain(usual.into_iter().map(PathBuf::from)) {
            for attempt in 0..1000_u32 {
                let suffix = if attempt == 0 { String::new() } else { format!("-{attempt}") };
                let name = format!("dvmcc-{purpose:016x}{suffix}");
                let path = base.join(&name);
                match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                    Ok(()) => return Ok(ScratchFolder::named(path, &name)),
                    Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                    Err(e) => {
                        first.get_or_insert(format!("cannot make a folder in `{}`: {e}", base.display()));
                        break;
                    }
                }
            }
        }
        let why = first.unwrap_or_else(|| "cannot make a folder for temporary files".to_owned());
        Err(format!("{why}; set TMPDIR to a folder that can be written"))
    }
}

impl ScratchFolder {
    /// Gives the folder a fixed name if possible: sanitizers and link-time optimisation record the name of the compiled
    /// file, so that equal builds give equal objects whatever `TMPDIR` is.
    fn named(path: PathBuf, name: &str) -> ScratchFolder {
        let link = Path::new(FIXED).join(name);
        let whole = std::fs::canonicalize(&path).ok();
        let (path, behind) = match whole.filter(|_| link != path) {
            Some(whole) if std::os::unix::fs::symlink(&whole, &link).is_ok() => (link, Some(whole)),
            Some(whole) => (whole, None),
            None => (path, None),
        };
        let heir = heir(std::iter::once(&path).chain(&behind)).ok();
        ScratchFolder { path, behind, heir }
    }
}

/// A process that removes the folder when this one ends by a signal, whichever: a pipe that closes without a word.
fn heir<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> std::io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "read word || exec rm -rf \"$@\"", "sh"]).args(paths).stdin(Stdio::piped());
    // In a group of its own: who interrupts a command at a terminal means the group.
    command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // The heir first: once the folder is gone, its name may be another command's.
        if let Some(mut heir) = self.heir.take() {
            let _ = heir.stdin.take().map(|mut pipe| pipe.write_all(b"done\n"));
            let _ = heir.wait();
        }
        match &self.behind {
            Some(folder) => {
                let _ = std::fs::remove_file(&self.path);
                let _ = std::fs::remove_dir_all(folder);
            }
            None => drop(std::fs::remove_dir_all(&self.path)),
        }
    }
}
