//! The record of `--dvm-remarks` in an object: how many regions its source has, and how many of them are tiled. Linkers put
//! the records of all objects that become part of a program one behind the other, also of those from archives, so
//! that a later command can add them up. The section is not loaded when the program runs.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Regions, and how many of them are tiled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RegionCount {
    /// All regions.
    pub regions: usize,
    /// Those that run as tiles.
    pub tiled: usize,
}

impl RegionCount {
    /// The section with the records.
    pub const SECTION: &str = ".dvm.remarks";

    /// The record.
    pub fn record(self) -> String {
        format!("{}/{};", self.tiled, self.regions)
    }

    /// The end of a C file that puts the record into its object.
    pub fn text(self) -> String {
        let (section, record) = (RegionCount::SECTION, self.record());
        // Assemblers do not agree on how a section's type is written; one with this name has the right one.
        format!("\n__asm__(\".pushsection {section},\\\"\\\"\\n.ascii \\\"{record}\\\"\\n.popsection\");\n")
    }

    /// The sum of the records in a linked file; none if it has no records.
    pub fn of_file(path: &Path) -> Option<RegionCount> {
        RegionCount::sum(&section(&File::open(path).ok()?)?)
    }

    fn sum(records: &[u8]) -> Option<RegionCount> {
        let text = std::str::from_utf8(records).ok()?;
        let mut sum = RegionCount::default();
        for record in text.split_terminator(';') {
            // An assembler may fill the space between two records.
            let (tiled, regions) = record.trim_matches('\0').split_once('/')?;
            sum.tiled += tiled.parse::<usize>().ok()?;
            sum.regions += regions.parse::<usize>().ok()?;
        }
        Some(sum).filter(|sum| sum.regions > 0)
    }
}

/// The section with the records of an ELF file with 64 bits, as all machines have that libdvm runs on.
fn section(file: &File) -> Option<Vec<u8>> {
    let elf = ElfReader { file, length: file.metadata().ok()?.len(), big: read_byte(file, 5)? == 2 };
    if elf.bytes(0, 5)? != *b"\x7fELF\x02" {
        return None;
    }
    let (table, entry) = (elf.number(0x28, 8)?, elf.number(0x3a, 2)?);
    let (entries, names) = (elf.number(0x3c, 2)?, elf.number(0x3e, 2)?);
    let header = |at: u64| table.checked_add(at * entry).filter(|_| at < entries);
    let place = |header: u64| Some((elf.number(header + 0x18, 8)?, elf.number(header + 0x20, 8)?));
    let names = place(header(names)?)?;
    let names = elf.bytes(names.0, names.1)?;
    let found = (0..entries).filter_map(header).find(|header| {
        let name = elf.number(*header, 4).and_then(|at| names.get(usize::try_from(at).ok()?..));
        name.and_then(|name| name.split(|byte| *byte == 0).next()) == Some(RegionCount::SECTION.as_bytes())
    });
    let (at, size) = place(found?)?;
    elf.bytes(at, size)
}

fn read_byte(file: &File, at: u64) -> Option<u8> {
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).ok().map(|()| byte[0])
}

/// Reads parts of a file, and none that it has not.
struct ElfReader<'f> {
    file: &'f File,
    length: u64,
    /// The most significant byte comes first.
    big: bool,
}

impl ElfReader<'_> {
    fn bytes(&self, at: u64, size: u64) -> Option<Vec<u8>> {
        at.checked_add(size).filter(|end| *end <= self.length)?;
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        self.file.read_exact_at(&mut bytes, at).ok().map(|()| bytes)
    }

    /// A number of up to 8 bytes.
    fn number(&self, at: u64, size: u64) -> Option<u64> {
        let mut bytes = self.bytes(at, size)?;
        if !self.big {
            bytes.reverse();
        }
        Some(bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_added() {
        let count = |tiled, regions| Some(RegionCount { regions, tiled });
        assert_eq!(RegionCount::sum(b"3/4;"), count(3, 4));
        assert_eq!(RegionCount::sum(b"3/4;\x00\x000/2;1/1;"), count(4, 7));
        for wrong in [&b""[..], b"0/0;", b"3;", b"a/b;", b"1/-1;", b"\xff"] {
            assert_eq!(RegionCount::sum(wrong), None, "{wrong:?}");
        }
    }

    /// An ELF file with 64 bits, `names`, and the section with some records at its end.
    fn elf(big: bool, records: &[u8]) -> Vec<u8> {
        let number = |value: usize, size: usize| {
            let bytes = (value as u64).to_be_bytes()[8 - size..].to_vec();
            if big { bytes } else { bytes.into_iter().rev().collect() }
        };
        let names = b"\0.names\0.dvm.remarks\0";
        let mut file = vec![0; 0x40];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, if big { 2 } else { 1 }]);
        for (at, value, size) in [(0x28, 0x40, 8), (0x3a, 0x40, 2), (0x3c, 3, 2), (0x3e, 1, 2)] {
            file[at..at + size].copy_from_slice(&number(value, size));
        }
        let data = 0x40 + 3 * 0x40;
        let headers = [(0, 0, 0), (1, data, names.len()), (8, data + names.len(), records.len())];
        for (name, place, length) in headers {
            let mut header = vec![0; 0x40];
            header[..4].copy_from_slice(&number(name, 4));
            header[0x18..0x20].copy_from_slice(&number(place, 8));
            header[0x20..0x28].copy_from_slice(&number(length, 8));
            file.extend(header);
        }
        file.extend(names);
        file.extend(records);
        file
    }

    #[test]
    fn the_section_is_found_in_both_orders_of_bytes_and_cut_files_have_none() {
        let folder = testkit::scratch(&[]);
        let path = folder.join("file");
        for big in [false, true] {
            let whole = elf(big, b"2/3;");
            for length in (0..whole.len()).step_by(7) {
                std::fs::write(&path, &whole[..length]).expect("a file");
                assert_eq!(RegionCount::of_file(&path), None, "{length}");
            }
            std::fs::write(&path, &whole).expect("a file");
            assert_eq!(RegionCount::of_file(&path), Some(RegionCount { regions: 3, tiled: 2 }));
        }
        assert_eq!(RegionCount::of_file(&folder.join("none")), None);
    }
}
