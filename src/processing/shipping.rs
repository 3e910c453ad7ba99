//! Loads shared objects that other processes of the job have sent, after they were found genuine.
//!
//! What was loaded stays for the life of the process: nobody knows when the last call of it ends. Its memory file stays
//! open as well: the linker knows objects by their paths, and another file of the same number would count as the same.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::image::build_id::Short;
use super::image::{CodeCopy, file_name};
use crate::sync::lock::Mutex;

/// The copies that are loaded, which stay open.
static LOADED: Mutex<Vec<Arc<CodeCopy>>> = Mutex::new(Vec::new());

/// Loads a copy that was found genuine, from its memory file, or from a file in `folder`. `object`: its path elsewhere.
///
/// # Errors
/// What is missing, or what the linker says.
pub(crate) fn load(copy: Arc<CodeCopy>, name: &[u8], object: &str, folder: Option<&Path>) -> Result<(), String> {
    let path = match folder {
        None => copy.path(),
        Some(folder) => {
            let mut own = String::new();
            name.iter().try_for_each(|byte| write!(own, "{byte:02x}")).expect("a text takes all");
            let own = folder.join(own);
            let put = copy.put_into(&own, file_name(object));
            put.map_err(|error| format!("DVM_CODE_DIR: {}: {error}", own.display()))?.to_string_lossy().into_owned()
        }
    };
    match open(&path, RTLD_NOW | RTLD_LOCAL) {
        Ok(library) => {
            std::mem::forget(library);
            LOADED.lock().push(copy);
            Ok(())
        }
        Err(error) => Err(why_not(&copy, &error.to_string().replace(&path, &Short(name).to_string()))),
    }
}

fn open(path: &str, flags: i32) -> Result<Library, libloading::Error> {
    // SAFETY: what a shared object does when it is loaded is up to the job that has sent it, which this process is part of
    // and whose functions it runs anyway.
    unsafe { Library::open(Some(path), flags) }
}

/// What an object that cannot be loaded lacks: the objects by their names, then the linker's own words.
fn why_not(copy: &CodeCopy, words: &str) -> String {
    // Whoever needs them has asked the linker for them already; they stay only while they are looked at.
    let missing: Vec<String> =
        copy.needed().into_iter().filter(|name| open(name, RTLD_NOW | RTLD_LOCAL).is_err()).collect();
    if missing.is_empty() {
        return format!("the linker says: {words}");
    }
    format!("it needs {}, which is not found here: {words}", missing.join(" and "))
}

#[cfg(test)]
mod tests;
