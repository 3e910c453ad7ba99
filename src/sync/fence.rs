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

pub(crate) use asymmetric::{heavy, light};

#[cfg(all(target_os = "linux", not(loom)))]
mod asymmetric {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering, compiler_fence};

    /// Of `linux/membarrier.h`.
    const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

    /// True once the kernel interrupts the other threads of this process on behalf of `heavy`.
    static CHEAP: AtomicBool = AtomicBool::new(false);
    static REGISTERED: OnceLock<bool> = OnceLock::new();

    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: the system call takes two numbers and touches no memory of the program.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0) == 0 }
    }

    fn registered() -> bool {
        *REGISTERED.get_or_init(|| {
            let there = membarrier(REGISTER_PRIVATE_EXPEDITED);
            CHEAP.store(there, Ordering::SeqCst);
            there
        })
    }

    /// The half of a pair of fences that runs often: keeps the compiler in order, and leaves the processor to `heavy`.
    #[inline]
    pub(crate) fn light() {
        if CHEAP.load(Ordering::Relaxed) {
            compiler_fence(Ordering::SeqCst);
        } else {
            super::full();
        }
    }

    /// The half that runs rarely: when it returns, every thread of the process has passed a full fence meanwhile.
    #[cold]
    pub(crate) fn heavy() {
        super::full();
        if registered() {
            membarrier(PRIVATE_EXPEDITED);
        }
        super::full();
    }
}

#[cfg(not(all(target_os = "linux", not(loom))))]
mod asymmetric {
    pub(crate) use super::full as heavy;
    pub(crate) use super::full as light;
}
