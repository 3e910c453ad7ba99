//! Reads what an ELF file says of itself, before anything of it is loaded: the machine, the build-id, what it needs.
//!
//! The bytes may be anybody's. Tables are read where the headers say that they are, as far as these fit into the file and
//! are no longer than `MOST_TABLE` bytes; what cannot be read is refused.

use super::build_id::BuildId;
use super::segments::{Segment, build_id_note};

/// The bytes of an ELF file.
pub(crate) trait ElfBytes {
    /// Fills the memory from this place of the file on; false if there is not so much.
    fn read(&self, at: u64, into: &mut [u8]) -> bool;
}

impl ElfBytes for [u8] {
    fn read(&self, at: u64, into: &mut [u8]) -> bool {
        let rest = usize::try_from(at).ok().and_then(|at| self.get(at..));
        let Some(bytes) = rest.and_then(|rest| rest.get(..into.len())) else { return false };
        into.copy_from_slice(bytes);
        true
    }
}

/// No table that is read is longer.
const MOST_TABLE: u64 = 1 << 20;
/// No object has more segments, or needs more objects: their tables would take long to read.
const MOST_ENTRIES: usize = 1000;
/// No notes of an object are longer.
const MOST_NOTES: u64 = 1 << 16;
/// No name that is read is longer.
const MOST_NAME: usize = 4096;

/// For what a file was made: its class (32 or 64 bits), the order of its bytes, its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElfMachine {
    class: u8,
    order: u8,
    machine: u16,
}

/// What a shared object says of itself.
#[derive(Debug)]
pub(crate) struct ElfObject {
    pub(crate) build_id: Option<BuildId>,
    /// The names of the objects that it needs.
    pub(crate) needed: Vec<String>,
}

const MAGIC: &[u8] = b"\x7fELF";
/// Where the fields of the header are: those of the class of this process, as only such files go on.
#[cfg(target_pointer_width = "64")]
mod header {
    pub(super) const BYTES: usize = 64;
    pub(super) const SEGMENTS: usize = 32;
    pub(super) const SEGMENT_BYTES: usize = 54;
    pub(super) const SEGMENT_COUNT: usize = 56;
}
#[cfg(target_pointer_width = "32")]
mod header {
    pub(super) const BYTES: usize = 52;
    pub(super) const SEGMENTS: usize = 28;
    pub(super) const SEGMENT_BYTES: usize = 42;
    pub(super) const SEGMENT_COUNT: usize = 44;
}
/// The kind of a file that can be loaded anywhere: a shared object, or a program that is independent of its place.
const DYNAMIC: u16 = 3;
const WORD: usize = size_of::<usize>();
/// Entries of the dynamic section.
const NEEDED: usize = 1;
const STRINGS: usize = 5;
const STRINGS_BYTES: usize = 10;
const FLAGS_1: usize = 0x6fff_fffb;
/// In `FLAGS_1`: a program.
const PROGRAM: usize = 0x0800_0000;

impl ElfMachine {
    /// The machine of a file; `None` if it is no ELF file.
    pub(crate) fn of(file: &(impl ElfBytes + ?Sized)) -> Option<ElfMachine> {
        let mut head = [0; 20];
        if !file.read(0, &mut head) || !head.starts_with(MAGIC) {
            return None;
        }
        let pair = [head[18], head[19]];
        let machine = if head[5] == 2 { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) };
        Some(ElfMachine { class: head[4], order: head[5], machine })
    }
}

impl std::fmt::Display for ElfMachine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.machine {
            3 => "x86",
            20 | 21 => "POWER",
            22 => "S/390",
            40 => "Arm",
            62 => "x86-64",
            183 => "AArch64",
            243 => "RISC-V",
            258 => "LoongArch",
            _ => "",
        };
        let bits = if self.class == 1 { 32 } else { 64 };
        let order = if self.order == 2 { ", big-endian" } else { "" };
        if name.is_empty() {
            write!(f, "machine {}", self.machine)?;
        } else {
            f.write_str(name)?;
        }
        write!(f, " ({bits} bits{order})")
    }
}

/// A number in the order of this machine; the bytes are there.
fn number(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> usize {
    usize::from_ne_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

/// A part of the file.
fn table(file: &(impl ElfBytes + ?Sized), what: &str, at: u64, bytes: u64) -> Result<Vec<u8>, String> {
    if bytes > MOST_TABLE {
        return Err(format!("its {what} are of {bytes} bytes, more than such a file has"));
    }
    let mut table = vec![0; bytes as usize];
    if file.read(at, &mut table) { Ok(table) } else { Err(format!("its {what} lie behind its end")) }
}

impl ElfObject {
    /// Reads a shared object for this machine, which `own` is.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn read(file: &(impl ElfBytes + ?Sized), own: ElfMachine) -> Result<ElfObject, String> {
        let machine = ElfMachine::of(file).ok_or("it is no ELF file")?;
        if machine != own {
            return Err(format!("it is for {machine}, and this machine is {own}"));
        }
        let head = table(file, "headers", 0, header::BYTES as u64)?;
        if number(&head, 16) != DYNAMIC {
            return Err("it is no shared object".into());
        }
        if usize::from(number(&head, header::SEGMENT_BYTES)) != size_of::<Segment>() {
            return Err("its headers have another length than this machine's".into());
        }
        let count = usize::from(number(&head, header::SEGMENT_COUNT));
        if count > MOST_ENTRIES {
            return Err(format!("it has {count} segments, more than such a file has"));
        }
        let at = word(&head, header::SEGMENTS) as u64;
        let segments = table(file, "headers", at, (count * size_of::<Segment>()) as u64)?;
        let segments: Vec<FileSegment> = segments.chunks_exact(size_of::<Segment>()).map(FileSegment::read).collect();
        let mut build_id = None;
        let noted = |segment: &&FileSegment| segment.kind == libc::PT_NOTE && segment.bytes <= MOST_NOTES;
        for note in segments.iter().filter(noted) {
            let notes = table(file, "notes", note.at, note.bytes)?;
            build_id = build_id_note(&notes, note.align).and_then(BuildId::of_note);
            if build_id.is_some() {
                break;
            }
        }
        let needed = needed(file, &segments)?;
        Ok(ElfObject { build_id, needed })
    }
}

/// A segment as the file describes it.
struct FileSegment {
    kind: u32,
    at: u64,
    address: u64,
    bytes: u64,
    align: usize,
}

impl FileSegment {
    fn read(entry: &[u8]) -> FileSegment {
        let field = |at: usize| word(entry, at);
        let kind = u32::from_ne_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let (at, address, bytes, align) = (
            field(std::mem::offset_of!(Segment, p_offset)) as u64,
            field(std::mem::offset_of!(Segment, p_vaddr)) as u64,
            field(std::mem::offset_of!(Segment, p_filesz)) as u64,
            field(std::mem::offset_of!(Segment, p_align)),
        );
        FileSegment { kind, at, address, bytes, align }
    }
}

/// What the dynamic section says that the object needs.
fn needed(file: &(impl ElfBytes + ?Sized), segments: &[FileSegment]) -> Result<Vec<String>, String> {
    let Some(dynamic) = segments.iter().find(|segment| segment.kind == libc::PT_DYNAMIC) else {
        return Err("it has no dynamic section".into());
    };
    let entries = table(file, "dynamic entries", dynamic.at, dynamic.bytes)?;
    let (mut names, mut strings, mut length) = (Vec::new(), None, 0);
    for entry in entries.chunks_exact(2 * WORD) {
        let value = word(entry, WORD);
        match word(entry, 0) {
            0 => break,
            NEEDED if names.len() == MOST_ENTRIES => return Err("it needs too many objects".into()),
            NEEDED => names.push(value as u64),
            STRINGS => strings = Some(value as u64),
            STRINGS_BYTES => length = value as u64,
            FLAGS_1 if value & PROGRAM != 0 => return Err("it is a program, no shared object".into()),
            _ => {}
        }
    }
    let lies = |segment: &&FileSegment, address: u64| {
        segment.kind == libc::PT_LOAD
            && address.checked_sub(segment.address).is_some_and(|skipped| skipped < segment.bytes)
    };
    let Some(strings) = strings else { return Err("it has no names".into()) };
    let Some(segment) = segments.iter().find(|segment| lies(segment, strings)) else {
        return Err("its names lie behind its end".into());
    };
    let at = segment.at.saturating_add(strings - segment.address);
    names.into_iter().map(|name| text(file, at, name, length)).collect()
}

/// A name in the table of names.
fn text(file: &(impl ElfBytes + ?Sized), at: u64, name: u64, length: u64) -> Result<String, String> {
    let most = length.saturating_sub(name).min(MOST_NAME as u64);
    let mut bytes = vec![0; most as usize];
    let read = at.checked_add(name).is_some_and(|at| file.read(at, &mut bytes));
    let end = bytes.iter().position(|byte| *byte == 0).filter(|end| read && *end > 0);
    let end = end.ok_or("a name in it lies behind its end")?;
    Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    /// A shared object that the tests have loaded.
    fn object() -> Vec<u8> {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let path = maps.lines().find_map(|line| line.split_whitespace().nth(5).filter(|path| path.contains("libc.so")));
        std::fs::read(path.expect("the C library is loaded")).unwrap()
    }

    fn own() -> ElfMachine {
        ElfMachine::of(&std::fs::File::open("/proc/self/exe").unwrap()).unwrap()
    }

    #[test]
    fn a_shared_object_says_what_it_is_and_needs() {
        let object = object();
        let read = ElfObject::read(&object[..], own()).unwrap();
        assert!(read.build_id.is_some());
        assert!(read.needed.iter().any(|name| name.starts_with("ld-linux")), "{:?}", read.needed);
    }

    #[test]
    fn what_is_no_shared_object_of_this_machine_is_refused() {
        let object = object();
        let refused = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = object.clone();
            change(&mut bytes);
            ElfObject::read(&bytes[..], own()).unwrap_err()
        };
        let other = if number(&object, 18) == 183 { (62, "x86-64") } else { (183, "AArch64") };
        let told = refused(&|bytes| bytes[18..20].copy_from_slice(&u16::to_ne_bytes(other.0)));
        assert!(told.contains(other.1) && told.contains("this machine is"), "{told}");
        assert!(refused(&|bytes| bytes[4] ^= 3).contains("bits)"));
        assert_eq!(refused(&|bytes| bytes[1] = b'e'), "it is no ELF file");
        assert_eq!(refused(&|bytes| bytes[16] = 2), "it is no shared object");
        assert_eq!(refused(&|bytes| bytes.truncate(40)), "its headers lie behind its end");
        let program = std::fs::read("/proc/self/exe").unwrap();
        let told = ElfObject::read(&program[..], own()).unwrap_err();
        assert!(told.contains("no shared object"), "{told}");
    }

    #[test]
    fn spoiled_bytes_are_read_or_refused() {
        let object = object();
        let (own, mut read, mut refused) = (own(), 0, 0);
        for seed in testkit::seeds_from(0, 500) {
            let mut random = Random::new(seed);
            let mut bytes = object.clone();
            for _ in 0..=random.below(4) {
                let most = *random.pick(&[64, 1000]);
                let place = random.below(most);
                bytes[place] = random.number() as u8;
            }
            if random.one_in(4) {
                bytes.truncate(random.below(bytes.len()));
            }
            match ElfObject::read(&bytes[..], own) {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(testkit::selected() || read > 0 && refused > 0, "{read} read, {refused} refused");
    }
}
