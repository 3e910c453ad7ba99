//! What tells two builds of a program or shared object apart.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::os::unix::fs::FileExt;

use super::segments::CodeSegment;
use crate::wire::BUILD_ID_BYTES;

/// The build-id that the linker has given an object, or, for an object without one, a digest of its file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BuildId {
    bytes: [u8; BUILD_ID_BYTES],
    length: u8,
}

/// What a digest of a file begins with.
const OF_FILE: &[u8] = b"file";
/// The bytes of the digest of a file: the mark, the file's length, 16 bytes for its contents.
const OF_FILE_BYTES: usize = OF_FILE.len() + 8 + 16;

impl BuildId {
    /// From the contents of the linker's note.
    pub(super) fn of_note(note: &[u8]) -> Option<BuildId> {
        if note.is_empty() {
            return None;
        }
        if note.len() > BUILD_ID_BYTES {
            let mut digest = Digest::new();
            digest.add(note);
            return Some(BuildId::of_digest(&digest, note.len() as u64));
        }
        let mut bytes = [0; BUILD_ID_BYTES];
        bytes[..note.len()].copy_from_slice(note);
        Some(BuildId { bytes, length: note.len() as u8 })
    }

    /// A digest of the whole file. `None`: it cannot be read, or does not hold this code, and so is not what was loaded.
    pub(super) fn of_file(path: &str, code: &CodeSegment) -> Option<BuildId> {
        let file = File::open(path).ok()?;
        if !holds(&file, code)? {
            return None;
        }
        let mut digest = FileDigest::new();
        let mut reader = BufReader::with_capacity(1 << 16, file);
        loop {
            let part = reader.fill_buf().ok()?;
            if part.is_empty() {
                return Some(digest.build_id());
            }
            digest.add(part);
            let read = part.len();
            reader.consume(read);
        }
    }

    fn of_digest(digest: &Digest, length: u64) -> BuildId {
        let mut bytes = [0; BUILD_ID_BYTES];
        let parts = [OF_FILE, &length.to_le_bytes(), &digest.0.to_le_bytes()];
        parts.iter().copied().flatten().zip(&mut bytes).for_each(|(from, to)| *to = *from);
        BuildId { bytes, length: OF_FILE_BYTES as u8 }
    }

    /// Whether these bytes are the digest of a file.
    pub(super) fn is_of_file(bytes: &[u8]) -> bool {
        bytes.len() == OF_FILE_BYTES && bytes.starts_with(OF_FILE)
    }
}

impl Deref for BuildId {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// As tools print it, but no more than its beginning: it tells builds apart in errors.
pub(crate) struct Short<'a>(pub(crate) &'a [u8]);

/// So many bytes of a build-id stand in errors.
const SHOWN: usize = 6;

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The length of a file tells less than its contents.
        let from = if BuildId::is_of_file(self.0) { OF_FILE_BYTES - 16 } else { 0 };
        self.0[from..].iter().take(SHOWN).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Whether a file has what is in memory as this code. `None`: one of them cannot be read. Memory is read as a file as
/// well: then nothing bad happens when another thread unloads the object meanwhile.
pub(super) fn holds(file: &File, code: &CodeSegment) -> Option<bool> {
    const PART: usize = 1 << 14;
    let memory = File::open("/proc/self/mem").ok()?;
    let (mut here, mut there) = (vec![0; PART], vec![0; PART]);
    for skipped in (0..code.from_file).step_by(PART) {
        let length = PART.min(code.from_file - skipped);
        memory.read_exact_at(&mut here[..length], (code.addresses.start + skipped) as u64).ok()?;
        file.read_exact_at(&mut there[..length], (code.at + skipped) as u64).ok()?;
        if here[..length] != there[..length] {
            return Some(false);
        }
    }
    Some(true)
}

/// What an object without a build-id is called: made of its bytes, one part after the other.
pub(super) struct FileDigest {
    digest: Digest,
    length: u64,
}

impl FileDigest {
    pub(super) fn new() -> FileDigest {
        FileDigest { digest: Digest::new(), length: 0 }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.digest.add(bytes);
        self.length += bytes.len() as u64;
    }

    pub(super) fn build_id(&self) -> BuildId {
        BuildId::of_digest(&self.digest, self.length)
    }
}

/// FNV-1a of 128 bits: it tells builds of one source apart, and defends against nobody.
struct Digest(u128);

impl Digest {
    const fn new() -> Digest {
        Digest(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn add(&mut self, bytes: &[u8]) {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        self.0 = bytes.iter().fold(self.0, |sum, &byte| (sum ^ u128::from(byte)).wrapping_mul(PRIME));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_published_one() {
        let of = |text: &[u8]| {
            let mut digest = Digest::new();
            digest.add(text);
            digest.0
        };
        assert_eq!(of(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(of(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(of(b"foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn notes_are_kept_as_they_are_while_they_fit() {
        assert_eq!(BuildId::of_note(&[]), None);
        assert_eq!(*BuildId::of_note(&[1, 2, 3]).unwrap(), [1, 2, 3]);
        let long = BuildId::of_note(&[7; BUILD_ID_BYTES + 1]).unwrap();
        assert!(long.len() <= BUILD_ID_BYTES);
        assert_ne!(BuildId::of_note(&[8; BUILD_ID_BYTES + 1]).unwrap(), long);
        assert_eq!(Short(&[0xab; 20]).to_string(), "abababababab");
    }
}
