//! Where the code of a function is, in words that another process of the job understands: the build-id of the program or
//! shared object that holds it, and the distance from that object's beginning. Two processes that have loaded objects with
//! one build-id have the same code at the same distance, whatever the addresses.
//!
//! The list of loaded objects is kept, and read again when the dynamic linker has loaded or unloaded something since.

pub(super) mod build_id;
pub(super) mod code_copy;
mod elf;
mod loaded;
mod segments;
#[cfg(test)]
pub(super) mod tests;

pub(crate) use build_id::BuildId;
pub(crate) use code_copy::CodeCopy;

use loaded::with_objects;

/// Where a function is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The object's build-id.
    pub(crate) build_id: BuildId,
    /// The distance from the address at which the object was loaded.
    pub(crate) offset: u64,
    /// The object's path.
    pub(crate) object: String,
    /// Whether the object is the program itself.
    pub(crate) program: bool,
}

/// Where the function at this address is. `None`: the address is not code of a loaded object (it is data, or code that the
/// process has made itself), or nothing identifies the object.
pub(crate) fn locate(address: usize) -> Option<Place> {
    with_objects(|objects| {
        let object = objects.iter_mut().find(|object| object.holds_code(address))?;
        Some(Place {
            build_id: object.build_id()?,
            offset: address.wrapping_sub(object.base) as u64,
            object: object.path.clone(),
            program: object.program,
        })
    })
}

/// The address here of the function at this distance in the object with this build-id. `None`: no such object is loaded
/// here, or no code is there. If the object is loaded more than once, the one with the same path is meant, or else the
/// first.
pub(crate) fn resolve(build_id: &[u8], offset: u64, path: &str) -> Option<usize> {
    let offset = usize::try_from(offset).ok()?;
    with_objects(|objects| {
        let mut found = None;
        for object in objects.iter_mut().filter(|object| object.may_be(build_id)) {
            let address = object.base.wrapping_add(offset);
            let equal = object.holds_code(address) && object.build_id().is_some_and(|own| *own == *build_id);
            if equal && (found.is_none() || object.path == path) {
                found = Some(address);
                if object.path == path {
                    break;
                }
            }
        }
        found
    })
}

/// Whether the address is code of a loaded object.
pub(crate) fn is_code(address: usize) -> bool {
    with_objects(|objects| objects.iter().any(|object| object.holds_code(address)))
}

/// The program's path and build-id.
pub(crate) fn program() -> (String, Option<BuildId>) {
    with_objects(|objects| match objects.iter_mut().find(|object| object.program) {
        Some(program) => (program.path.clone(), program.build_id()),
        None => (loaded::program_path(), None),
    })
}

/// The build-id of another build of this object that is loaded here: an object whose file has the same name.
pub(crate) fn other_build(path: &str) -> Option<BuildId> {
    let name = file_name(path);
    with_objects(|objects| objects.iter_mut().find(|object| file_name(&object.path) == name)?.build_id())
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
