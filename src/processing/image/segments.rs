//! Reads what the dynamic linker says of the loaded objects.

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::ptr;
use std::slice;

#[cfg(target_pointer_width = "64")]
pub(super) type Segment = libc::Elf64_Phdr;
#[cfg(target_pointer_width = "32")]
pub(super) type Segment = libc::Elf32_Phdr;

/// What the linker says of a loaded object.
pub(super) struct ObjectDescription<'a> {
    /// The difference between addresses here and in its file.
    pub(super) base: usize,
    /// As the linker knows it; empty for the program.
    pub(super) path: &'a CStr,
    /// The executable parts of it.
    pub(super) code: Vec<CodeSegment>,
    /// The contents of the linker's note with the build-id.
    pub(super) note: Option<&'a [u8]>,
}

/// An executable segment.
#[derive(Clone, Debug)]
pub(super) struct CodeSegment {
    /// The addresses here.
    pub(super) addresses: Range<usize>,
    /// Where it begins in the file.
    pub(super) at: usize,
    /// How many bytes are from the file.
    pub(super) from_file: usize,
}

/// How often the linker has loaded and unloaded objects. Both only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Changes {
    loads: u64,
    unloads: u64,
}

/// What `look` is called with.
struct Visit<'a> {
    /// What the caller knows: while it holds, nothing is visited.
    known: Option<Changes>,
    now: Changes,
    body: &'a mut dyn FnMut(&ObjectDescription<'_>),
}

/// Visits all loaded objects, the program first, unless nothing has changed since; gives the state of now.
/// Meanwhile nothing is unloaded: `visit` calls nothing of the linker.
pub(super) fn each_object(known: Option<Changes>, visit: &mut dyn FnMut(&ObjectDescription<'_>)) -> Changes {
    let mut visit = Visit { known, now: Changes::default(), body: visit };
    // SAFETY: `look` gets the visit, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut visit).cast()) };
    visit.now
}

unsafe extern "C" fn look(object: *mut libc::dl_phdr_info, _size: usize, visit: *mut c_void) -> c_int {
    // SAFETY: the linker describes a loaded object; `each_object` gives its visit.
    let (object, visit) = unsafe { (&*object, &mut *visit.cast::<Visit<'_>>()) };
    visit.now = Changes { loads: object.dlpi_adds, unloads: object.dlpi_subs };
    if visit.known == Some(visit.now) {
        return 1;
    }
    if object.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the linker says how many headers there are, and keeps the object meanwhile; so the path.
    let (segments, path) = unsafe {
        let segments = slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum));
        (segments, if object.dlpi_name.is_null() { c"" } else { CStr::from_ptr(object.dlpi_name) })
    };
    let base = object.dlpi_addr as usize;
    let code = segments.iter().filter_map(|segment| code(base, segment)).collect();
    let note = segments
        .iter()
        .filter(|segment| segment.p_type == libc::PT_NOTE && is_loaded(segment, segments))
        .find_map(|segment| {
            let begin = ptr::with_exposed_provenance(base.wrapping_add(segment.p_vaddr as usize));
            // SAFETY: the notes lie in a part that was loaded to be read, and the linker keeps the object meanwhile.
            let notes = unsafe { slice::from_raw_parts(begin, segment.p_memsz as usize) };
            build_id_note(notes, segment.p_align as usize)
        });
    (visit.body)(&ObjectDescription { base, path, code, note });
    0
}

/// The segment, if it can be executed.
fn code(base: usize, segment: &Segment) -> Option<CodeSegment> {
    let begin = base.wrapping_add(segment.p_vaddr as usize);
    (segment.p_type == libc::PT_LOAD && segment.p_flags & libc::PF_X != 0).then(|| CodeSegment {
        addresses: begin..begin.wrapping_add(segment.p_memsz as usize),
        at: segment.p_offset as usize,
        from_file: segment.p_filesz as usize,
    })
}

/// Whether all of this part lies in a segment that was loaded to be read.
fn is_loaded(part: &Segment, segments: &[Segment]) -> bool {
    segments.iter().any(|segment| {
        let skipped = part.p_vaddr.wrapping_sub(segment.p_vaddr);
        segment.p_type == libc::PT_LOAD
            && segment.p_flags & libc::PF_R != 0
            && part.p_vaddr >= segment.p_vaddr
            && skipped.checked_add(part.p_memsz).is_some_and(|end| end <= segment.p_memsz)
    })
}

/// The contents of the note that has the build-id. A note is the lengths of its owner's name and of its contents, its
/// kind, the name and the contents, the last two padded to `align` bytes.
pub(super) fn build_id_note(mut notes: &[u8], align: usize) -> Option<&[u8]> {
    const BUILD_ID: u32 = 3;
    let padded = |length: u32| (length as usize).checked_next_multiple_of(if align == 8 { 8 } else { 4 });
    loop {
        let (head, rest) = notes.split_at_checked(12)?;
        let [name, length, kind] =
            [0, 4, 8].map(|at| u32::from_ne_bytes(head[at..at + 4].try_into().expect("four bytes")));
        // The name is padded from the note's beginning, whose head has 12 bytes.
        let skipped = padded(name.checked_add(12)?)? - 12;
        let (owner, rest) = rest.split_at_checked(skipped)?;
        let contents = rest.get(..length as usize)?;
        if kind == BUILD_ID && owner.starts_with(b"GNU\0") {
            return Some(contents);
        }
        notes = rest.get(padded(length)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kind: u32, name: &[u8], contents: &[u8]) -> Vec<u8> {
        let mut note = Vec::new();
        for word in [name.len() as u32, contents.len() as u32, kind] {
            note.extend(word.to_ne_bytes());
        }
        for part in [name, contents] {
            note.extend(part);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        note
    }

    #[test]
    fn the_build_id_is_found_among_notes() {
        let id = note(3, b"GNU\0", &[1, 2, 3, 4, 5]);
        assert_eq!(build_id_note(&id, 4), Some(&[1, 2, 3, 4, 5][..]));
        let many = [note(1, b"GNU\0", &[9; 16]), note(3, b"stapsdt\0", &[8; 3]), id.clone()].concat();
        assert_eq!(build_id_note(&many, 4), Some(&[1, 2, 3, 4, 5][..]));
        assert_eq!(build_id_note(&note(3, b"Go\0\0", &[1]), 4), None);
    }

    #[test]
    fn notes_that_were_cut_off_have_no_build_id() {
        let id = note(3, b"GNU\0", &[1, 2, 3, 4]);
        for length in 0..id.len() {
            assert_eq!(build_id_note(&id[..length], 4), None, "{length}");
        }
        let endless = [u32::MAX.to_ne_bytes(), u32::MAX.to_ne_bytes(), 3_u32.to_ne_bytes()].concat();
        assert_eq!(build_id_note(&endless, 4), None);
    }
}
