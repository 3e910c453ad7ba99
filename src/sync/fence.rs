//! Full fences, and fences whose cost one side bears (see `README.md`).

/// A sequentially consistent fence. On x86-64 a locked instruction on the stack is one, at half the price of `mfence`.
#[inline]
pub(crate) fn full() {
    #[cfg(all(target_arch = "x86_64", not(loom)))]
    // SAFETY: adds nothing to a word of this thread's own stack; as a locked instruction it orders all accesses.
    unsafe {
        core::arch::asm!("lock or dword ptr [rsp], 0", options(nostack));
    }
    #[cfg(loom)]
    loom::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    #[cfg(not(any(loom, target_arch = "x86_64")))]
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

#[cfg(all(test, target_os = "linux", not(loom)))]
pub(crate) use asymmetric::is_prepared;
pub(crate) use asymmetric::{heavy, light, prepare};

#[cfg(all(target_os = "linux", not(loom)))]
mod asymmetric {
    use std::sync::atomic::{AtomicU8, Ordering, compiler_fence};

    /// Of `linux/membarrier.h`.
    const GLOBAL: libc::c_int = 1;
    const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

    /// Whether the kernel interrupts the other threads of this process on behalf of `heavy`.
    static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
    const UNKNOWN: u8 = 0;
    const REGISTERED: u8 = 1;
    const REFUSED: u8 = 2;
    /// It has agreed, and refuses now: a light fence that was passed before this was stored may have kept only the compiler
    /// in order.
    const REVOKED: u8 = 3;

    /// No store stays in a processor's buffer for so long, and a thread that is interrupted passes a full fence.
    const DRAINED: std::time::Duration = std::time::Duration::from_millis(10);

    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: the system call takes two numbers and touches no memory of the program.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0) == 0 }
    }

    /// Asks the kernel for its help. To be called while the process has one thread, if it ever has: later the kernel takes
    /// tens of milliseconds to answer, because it waits until each core has switched tasks.
    pub(crate) fn prepare() {
        registered();
    }

    /// Whether the kernel has been asked.
    #[cfg(test)]
    pub(crate) fn is_prepared() -> bool {
        STATE.load(Ordering::Relaxed) != UNKNOWN
    }

    /// Asks the kernel once; to ask again does no harm.
    fn registered() -> bool {
        match STATE.load(Ordering::Relaxed) {
            UNKNOWN => {
                let there = membarrier(REGISTER_PRIVATE_EXPEDITED);
                STATE.store(if there { REGISTERED } else { REFUSED }, Ordering::SeqCst);
                there
            }
            state => state == REGISTERED,
        }
    }

    /// The half of a pair of fences that runs often: keeps the compiler in order, and leaves the processor to `heavy`.
    #[inline]
    pub(crate) fn light() {
        if STATE.load(Ordering::Relaxed) == REGISTERED {
            compiler_fence(Ordering::SeqCst);
        } else {
            super::full();
        }
    }

    /// The half that runs rarely: when it returns, every thread of the process has passed a full fence meanwhile.
    #[cold]
    pub(crate) fn heavy() {
        super::full();
        if registered() && !membarrier(PRIVATE_EXPEDITED) {
            // A filter of system calls that came after the start. From now on light fences are full ones.
            STATE.store(REVOKED, Ordering::SeqCst);
        }
        super::full();
        if STATE.load(Ordering::SeqCst) == REVOKED {
            if !membarrier(GLOBAL) {
                std::thread::sleep(DRAINED);
            }
            STATE.store(REFUSED, Ordering::SeqCst);
            super::full();
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Has the kernel refuse this thread's `membarrier`, as sandboxes do that a program enters after its start.
        fn forbid_membarrier() {
            const LOAD_NUMBER: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
            const IF_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
            const RETURN: u16 = 0x06; // BPF_RET | BPF_K
            let line = |code, jf, k| libc::sock_filter { code, jt: 0, jf, k };
            let mut lines = [
                line(LOAD_NUMBER, 0, 0),
                line(IF_EQUAL, 1, libc::SYS_membarrier as u32),
                line(RETURN, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
                line(RETURN, 0, libc::SECCOMP_RET_ALLOW),
            ];
            let filter = libc::sock_fprog { len: lines.len() as u16, filter: lines.as_mut_ptr() };
            // SAFETY: the filter lives until it has been copied; it says yes to all other calls.
            unsafe {
                assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
                assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter), 0);
            }
        }

        #[test]
        fn light_fences_are_full_ones_once_the_kernel_refuses_its_help() {
            prepare();
            let refused = std::thread::spawn(|| {
                forbid_membarrier();
                heavy();
                STATE.load(Ordering::SeqCst)
            });
            assert_eq!(refused.join().unwrap(), REFUSED);
        }
    }
}

#[cfg(not(all(target_os = "linux", not(loom))))]
mod asymmetric {
    pub(crate) use super::full as heavy;
    pub(crate) use super::full as light;
    pub(crate) fn prepare() {}
}
