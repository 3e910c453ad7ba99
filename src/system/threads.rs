//! The threads of the process, listed without memory of the program's allocator, which `opendir` takes.

use std::fs::File;
use std::os::fd::AsRawFd;

/// Where the length and the name of an entry are, in bytes: it begins with a number and an offset.
const LENGTH: usize = 16;
const NAME: usize = 19;

/// Some entries of a directory, as the kernel writes them.
#[repr(align(8))]
struct Entries([u8; 4096]);

/// The numbers of all threads. `None`: the system does not tell.
pub(crate) fn all() -> Option<Vec<libc::pid_t>> {
    let directory = File::open("/proc/self/task").ok()?;
    let mut entries = Entries([0; 4096]);
    let mut all = Vec::new();
    loop {
        let place = &mut entries.0;
        // SAFETY: the kernel writes at most so many bytes there.
        let count =
            unsafe { libc::syscall(libc::SYS_getdents64, directory.as_raw_fd(), place.as_mut_ptr(), place.len()) };
        match usize::try_from(count).ok()? {
            0 => return Some(all),
            count => all.extend(names(&entries.0[..count]).filter_map(|name| name.parse::<libc::pid_t>().ok())),
        }
    }
}

/// The names of entries.
fn names(mut entries: &[u8]) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let length = entries.get(LENGTH..LENGTH + 2)?.try_into().map(u16::from_ne_bytes).ok()?;
        let (entry, rest) = entries.split_at_checked(usize::from(length)).filter(|_| usize::from(length) > NAME)?;
        entries = rest;
        Some(entry[NAME..].split(|byte| *byte == 0).next().and_then(|name| str::from_utf8(name).ok()).unwrap_or(""))
    })
}

#[cfg(all(test, not(miri), not(loom)))]
mod tests {
    use super::*;
    use crate::system;
    use std::collections::BTreeSet;
    use std::sync::mpsc;

    #[test]
    fn every_thread_is_listed_however_many_there_are() {
        let (tell, told) = mpsc::channel();
        let threads: Vec<_> = (0..300)
            .map(|_| {
                let (open, opened) = mpsc::channel::<()>();
                let tell = tell.clone();
                let thread = std::thread::spawn(move || {
                    tell.send(system::thread_number()).unwrap();
                    let _ = opened.recv();
                });
                (thread, open)
            })
            .collect();
        let begun: BTreeSet<_> = threads.iter().map(|_| told.recv().unwrap()).collect();
        let listed = all().unwrap();
        assert!(begun.iter().all(|number| listed.contains(number)) && listed.contains(&system::thread_number()));
        assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len());
        for (thread, open) in threads {
            drop(open);
            thread.join().unwrap();
        }
    }

    #[test]
    fn entries_that_are_cut_off_are_no_names() {
        let mut entry = vec![0; 24];
        entry[LENGTH] = 24;
        entry[NAME..NAME + 3].copy_from_slice(b"123");
        assert_eq!(names(&entry).collect::<Vec<_>>(), ["123"]);
        assert_eq!(names(&entry[..23]).count(), 0);
        entry[LENGTH] = 0;
        assert_eq!(names(&entry).count(), 0);
    }
}
