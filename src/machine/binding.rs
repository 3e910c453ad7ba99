//! The CPUs that the process may use, and binding of threads.
//!
//! Uses the system's affinity calls: they need no loaded topology, so a machine is plain data.
#![allow(unsafe_code, reason = "system calls of the C library")]

use std::collections::BTreeSet;

use crate::system;

/// Bits per word of an affinity mask.
const WORD: usize = u64::BITS as usize;

/// Maximum number of words in an affinity mask: 2^20 CPUs.
const MOST_WORDS: usize = 1 << 14;

/// The CPUs of the process: the union over its threads, since another library may have bound the calling thread. `None`
/// if the system does not tell.
pub(super) fn process_cpus() -> Option<BTreeSet<u32>> {
    let mut cpus: BTreeSet<u32> = thread_cpus(0)?.into_iter().collect();
    for thread in system::threads::all().unwrap_or_default() {
        cpus.extend(thread_cpus(thread).unwrap_or_default());
    }
    Some(cpus)
}

/// The CPUs of a thread; 0 is the calling thread.
fn thread_cpus(thread: libc::pid_t) -> Option<Vec<u32>> {
    let mut mask = vec![0_u64; 1024 / WORD];
    while mask.len() <= MOST_WORDS {
        // SAFETY: the mask has as many bytes as are said.
        let result = unsafe { libc::sched_getaffinity(thread, size_of_val(mask.as_slice()), mask.as_mut_ptr().cast()) };
        if result == 0 {
            let has = |cpu: &u32| mask[*cpu as usize / WORD] >> (*cpu as usize % WORD) & 1 == 1;
            return Some((0..(mask.len() * WORD) as u32).filter(has).collect());
        }
        if std::io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL) {
            return None;
        }
        mask.resize(mask.len() * 2, 0); // the kernel has more CPUs than the mask has bits
    }
    None
}

/// Binds the calling thread to these CPUs. False if the system refuses.
pub(super) fn bind_thread(cpus: &[u32]) -> bool {
    let most = cpus.iter().copied().max().unwrap_or(0) as usize;
    let mut mask = vec![0_u64; (most / WORD + 1).max(1024 / WORD)];
    for &cpu in cpus {
        mask[cpu as usize / WORD] |= 1 << (cpu as usize % WORD);
    }
    // SAFETY: the mask has as many bytes as are said.
    unsafe { libc::sched_setaffinity(0, size_of_val(mask.as_slice()), mask.as_ptr().cast()) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_bound_to_the_cpu_that_was_said() {
        let cpus = process_cpus().unwrap();
        for &cpu in &cpus {
            std::thread::spawn(move || {
                assert!(bind_thread(&[cpu]));
                assert_eq!(thread_cpus(0).unwrap(), [cpu]);
            })
            .join()
            .unwrap();
        }
        assert!(!bind_thread(&[200_000]), "a CPU that does not exist is refused");
    }
}
