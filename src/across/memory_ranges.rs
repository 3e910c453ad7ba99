//! What memory the process has, as the system says.
#![allow(unsafe_code, reason = "asks the system about ranges of memory, one of which is its own")]

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::ptr;

use super::spans::Spans;
use crate::system;

/// A question about the memory at or after an address, and the answer (`struct procmap_query` of Linux 6.11).
#[repr(C)]
#[derive(Default)]
struct Query {
    size: u64,
    flags: u64,
    address: u64,
    first: u64,
    end: u64,
    rights: u64,
    page: u64,
    offset: u64,
    inode: u64,
    device: [u32; 2],
    not_asked: [u64; 3],
}

/// Number 17 of the file's operations, which reads and writes a [`Query`].
const PROCMAP_QUERY: libc::c_ulong = libc::_IOWR::<Query>(b'f' as u32, 17);

/// The memory at the address, or else the next one.
const COVERING_OR_NEXT: u64 = 1 << 4;

/// The letters of the rights, by bit, and of what is private or shared.
const RIGHTS: [u8; 4] = *b"rwxs";

/// The memory of the process, in order of addresses.
pub(super) struct MemoryRanges(Vec<MemoryRange>);

/// Device, as major and minor number, and inode.
pub(super) type MappedFile = (u32, u32, u64);

pub(super) struct MemoryRange {
    pub(super) first: i64,
    pub(super) end: i64,
    /// As `rw-p`.
    pub(super) rights: [u8; 4],
    /// The file that is mapped: its device and inode, which are 0 for memory of no file.
    pub(super) file: MappedFile,
    /// The heap that grows at its end, as the C library's `malloc` uses it; [`MemoryRanges::over`] does not ask for it.
    pub(super) is_heap: bool,
}

impl MemoryRanges {
    pub(super) fn read() -> MemoryRanges {
        let text = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let maps = text.lines().filter_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (first, end) = range.split_once('-')?;
            let number = |text| i64::from_str_radix(text, 16).ok();
            let rights = rest.as_bytes().get(..4)?.try_into().ok()?;
            let mut words = rest.split_whitespace().skip(2);
            let (major, minor) = words.next()?.split_once(':')?;
            let device = |text| u32::from_str_radix(text, 16).ok();
            let file = (device(major)?, device(minor)?, words.next()?.parse().ok()?);
            let (first, end, is_heap) = (number(first)?, number(end)?, rest.ends_with("[heap]"));
            Some(MemoryRange { first, end, rights, file, is_heap })
        });
        MemoryRanges(maps.collect())
    }

    /// The memory at these addresses, each as a first one and an end.
    pub(super) fn over(spans: &[(i64, i64)]) -> MemoryRanges {
        let asked = File::open("/proc/self/maps").ok().and_then(|maps| Self::ask(&maps, spans));
        asked.unwrap_or_else(Self::read)
    }

    /// The same by a question for each range; nothing: the system cannot answer.
    fn ask(maps: &File, spans: &[(i64, i64)]) -> Option<MemoryRanges> {
        let mut all: Vec<MemoryRange> = Vec::new();
        for &(first, end) in spans {
            let mut at = first;
            while at < end {
                let mut query = Query {
                    size: size_of::<Query>() as u64,
                    flags: COVERING_OR_NEXT,
                    address: at as u64,
                    ..Query::default()
                };
                // SAFETY: the system reads and writes the query.
                let answered = unsafe { libc::ioctl(maps.as_raw_fd(), PROCMAP_QUERY, &raw mut query) };
                match (answered, std::io::Error::last_os_error().raw_os_error()) {
                    (0, _) => {}
                    (_, Some(libc::ENOENT)) => break, // nothing from here on
                    _ => return None,
                }
                let mut rights = *b"---p";
                for (bit, letter) in RIGHTS.iter().enumerate().filter(|(bit, _)| query.rights >> bit & 1 == 1) {
                    rights[bit] = *letter;
                }
                let (first, end) = (query.first as i64, query.end as i64);
                if end <= at {
                    return None;
                }
                let file = (query.device[0], query.device[1], query.inode);
                all.push(MemoryRange { first, end, rights, file, is_heap: false });
                at = end;
            }
        }
        all.sort_by_key(|range| range.first);
        all.dedup_by_key(|range| range.first);
        Some(MemoryRanges(all))
    }

    /// The files of which a span has parts.
    pub(super) fn files(&self, (first, end): (i64, i64)) -> impl Iterator<Item = MappedFile> + '_ {
        self.0.iter().filter(move |map| map.end > first && map.first < end).map(|map| map.file)
    }

    /// The parts of a span that have these rights, of these files.
    pub(super) fn with_rights(&self, (first, end): (i64, i64), rights: [u8; 4], files: &BTreeSet<MappedFile>) -> Spans {
        let maps = self.0.iter().filter(|map| map.rights == rights && files.contains(&map.file));
        Spans::of(maps.map(|map| (map.first, map.end)).collect()).common(&Spans::one(first, end))
    }

    /// Whether all of a span lies in memory of which this holds.
    pub(super) fn all(&self, (first, end): (i64, i64), holds: impl Fn(&MemoryRange) -> bool) -> bool {
        let mut at = first;
        for map in self.0.iter().filter(|map| map.end > first && map.first < end) {
            if map.first > at || !holds(map) {
                return false;
            }
            at = map.end;
        }
        at >= end
    }

    /// The memory that has this address, as first one and end.
    pub(super) fn around(&self, address: i64) -> Option<(i64, i64)> {
        self.0.iter().map(|map| (map.first, map.end)).find(|(first, end)| (*first..*end).contains(&address))
    }

    /// Whether the bytes at these addresses can be written.
    pub(super) fn are_writable(&self, addresses: &[i64]) -> bool {
        let writable = |at: &i64| self.0.iter().any(|map| map.rights[1] == b'w' && (map.first..map.end).contains(at));
        addresses.iter().all(writable)
    }
}

/// Memory that is left out of images of the program (`madvise(MADV_DONTDUMP)`), as
/// [`guarded_pages::allow`](super::guarded_pages::allow) has closed pages; memory that is mapped anew is not. It takes
/// some 12 ms for a gigabyte in pages of 4 KiB. Nothing: the system does not tell.
pub(super) fn not_dumped() -> Option<Spans> {
    let bytes = system::page();
    let page = OwnPage::not_dumped(bytes)?;
    let spans = left_out(&fs::read_to_string("/proc/self/smaps").ok()?);
    spans.contains(page.0.addr() as i64).then_some(spans)
}

/// The ranges that this text of `/proc/PROCESS/smaps` gives the flag of `MADV_DONTDUMP`.
fn left_out(text: &str) -> Spans {
    let (mut range, mut all) = (None, Vec::new());
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "VmFlags:" && rest.split_whitespace().any(|flag| flag == "dd") {
            all.extend(range);
        } else if let Some((first, end)) = word.split_once('-') {
            let number = |text| i64::from_str_radix(text, 16).ok();
            range = number(first).zip(number(end));
        }
    }
    Spans::of(all)
}

/// A page that shows whether the system tells of `MADV_DONTDUMP`: emulators ignore it.
struct OwnPage(*mut c_void, usize);

impl OwnPage {
    fn not_dumped(bytes: usize) -> Option<OwnPage> {
        let (rights, kind) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a page at a place of the system's choice.
        let place = unsafe { libc::mmap(ptr::null_mut(), bytes, rights, kind, -1, 0) };
        let page = (place != libc::MAP_FAILED).then_some(OwnPage(place, bytes))?;
        // SAFETY: its own page.
        (unsafe { libc::madvise(page.0, bytes, libc::MADV_DONTDUMP) } == 0).then_some(page)
    }
}

impl Drop for OwnPage {
    fn drop(&mut self) {
        // SAFETY: its own page, of which nobody else knows.
        unsafe { libc::munmap(self.0, self.1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system;

    #[test]
    fn ranges_left_out_of_images_are_read() {
        let text = "1000-3000 ---p 00000000 00:00 0 \nSize: 8 kB\nVmFlags: mr mw me ac dd \n\
                    7fff00000000-7fff00001000 rw-p 00000000 00:00 0 [stack]\nVmFlags: rd wr ddx\n\
                    4000-5000 r--p 00001000 fd:00 7 /a file\nVmFlags: rd dd sd\n";
        assert_eq!(left_out(text), Spans::of(vec![(0x1000, 0x3000), (0x4000, 0x5000)]));
    }

    #[test]
    #[cfg(not(miri))]
    fn memory_mapped_anew_is_not_left_out() {
        let bytes = 2 * system::page();
        let old = OwnPage::not_dumped(bytes).expect("there is memory");
        let place = old.0.addr() as i64;
        let Some(all) = not_dumped() else {
            println!("the system does not tell what is left out");
            return;
        };
        assert!(all.contains(place) && all.contains(place + bytes as i64 - 1));
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: its own pages.
        let new = unsafe { libc::mmap(old.0, bytes / 2, libc::PROT_NONE, kind, -1, 0) };
        assert_eq!(new, old.0);
        let all = not_dumped().expect("it did before");
        assert!(!all.contains(place) && all.contains(place + bytes as i64 - 1));
    }

    #[test]
    fn asked_and_read_memory_are_the_same() {
        let page = system::page() as i64;
        let all = MemoryRanges::read().0;
        let maps = File::open("/proc/self/maps").expect("there is one");
        let spans: Vec<(i64, i64)> = all.windows(3).map(|three| (three[0].end - page, three[2].first + page)).collect();
        let Some(asked) = MemoryRanges::ask(&maps, &spans) else {
            println!("the system answers no questions about memory");
            return;
        };
        let asked: Vec<_> = asked.0.iter().map(|range| (range.first, range.end, range.rights, range.file)).collect();
        let known = all.iter().map(|range| (range.first, range.end, range.rights, range.file));
        // What changes meanwhile, other threads' memory, is not compared.
        let same = known.filter(|range| asked.contains(range)).count();
        assert!(same + 4 >= asked.len() && same > 4, "{same} of {}", asked.len());
    }
}
