//! The objects that the process has loaded.

use std::ffi::CStr;

use super::build_id::BuildId;
use super::segments::{Changes, CodeSegment, ObjectDescription, each_object};
use crate::sync::lock::Mutex;

/// A loaded object.
pub(super) struct Object {
    /// The difference between addresses here and in its file.
    pub(super) base: usize,
    /// Its path.
    pub(super) path: String,
    /// Whether it is the program.
    pub(super) program: bool,
    pub(super) code: Vec<CodeSegment>,
    identity: Identity,
}

/// What is known of an object's build-id.
enum Identity {
    /// The linker has written it into the object.
    Noted(BuildId),
    /// Its file has to be read.
    Unread,
    /// A digest of its file, if that could be taken.
    Read(Option<BuildId>),
}

/// The list, and when it was made.
struct Objects {
    list: Vec<Object>,
    made: Option<Changes>,
}

static OBJECTS: Mutex<Objects> = Mutex::new(Objects { list: Vec::new(), made: None });

/// Lends the list of what is loaded now. What the list says holds as long as nothing is unloaded: whoever unloads the code
/// of a processing has unregistered it before.
pub(super) fn with_objects<R>(body: impl FnOnce(&mut [Object]) -> R) -> R {
    let known = OBJECTS.lock().made;
    let mut list: Vec<Object> = Vec::new();
    // Not under the lock: the linker has a lock of its own, which a thread may hold that comes here.
    let now = each_object(known, &mut |description| {
        let program = list.is_empty();
        list.push(Object::new(description, program));
    });
    let mut objects = OBJECTS.lock();
    // Another thread may have been here meanwhile, with a newer list.
    if objects.made < Some(now) {
        // The program stays what it is; the others may be other files by now.
        if let (Some(before), Some(program)) = (objects.list.first_mut(), list.first_mut()) {
            std::mem::swap(&mut before.identity, &mut program.identity);
        }
        *objects = Objects { list, made: Some(now) };
    }
    body(&mut objects.list)
}

impl Object {
    fn new(description: &ObjectDescription<'_>, program: bool) -> Object {
        let identity = description.note.and_then(BuildId::of_note).map_or(Identity::Unread, Identity::Noted);
        let path = if program { program_path() } else { text(description.path) };
        Object { base: description.base, path, program, code: description.code.clone(), identity }
    }

    /// Whether the address is code of this object.
    pub(super) fn holds_code(&self, address: usize) -> bool {
        self.code.iter().any(|code| code.addresses.contains(&address))
    }

    /// Whether this may be its build-id, as far as can be said without reading its file.
    pub(super) fn may_be(&self, build_id: &[u8]) -> bool {
        match &self.identity {
            Identity::Noted(own) => **own == *build_id,
            Identity::Unread => BuildId::is_of_file(build_id),
            Identity::Read(own) => own.is_some_and(|own| *own == *build_id),
        }
    }

    /// The build-id. An object that the linker gave none is read once.
    pub(super) fn build_id(&mut self) -> Option<BuildId> {
        let read = match &self.identity {
            Identity::Noted(own) => return Some(*own),
            Identity::Read(own) => return *own,
            Identity::Unread => self.read(),
        };
        self.identity = Identity::Read(read);
        read
    }

    /// A digest of its file, if that has the code that was loaded.
    fn read(&self) -> Option<BuildId> {
        BuildId::of_file(if self.program { PROGRAM } else { &self.path }, self.code.first()?)
    }
}

/// The program's file, also when another one has taken its name.
pub(super) const PROGRAM: &str = "/proc/self/exe";

/// The program's path.
pub(super) fn program_path() -> String {
    let unknown = || "the program".to_owned();
    std::fs::read_link(PROGRAM).map_or_else(|_| unknown(), |path| path.to_string_lossy().into_owned())
}

fn text(path: &CStr) -> String {
    path.to_string_lossy().into_owned()
}
