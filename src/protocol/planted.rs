//! Defects that the tests put back, to show that they would find them.

#[cfg(test)]
pub(crate) use chosen::{planted, with_planted};

/// True where the defect of this name is put back: never outside the tests.
#[cfg(not(test))]
#[inline(always)]
#[allow(clippy::inline_always, reason = "nothing is left of it")]
pub(crate) const fn planted(_name: &str) -> bool {
    false
}

#[cfg(test)]
mod chosen {
    use std::cell::Cell;

    thread_local! {
        static CHOSEN: Cell<&'static str> = const { Cell::new("") };
    }

    /// True where the defect of this name is put back, on this thread.
    pub(crate) fn planted(name: &str) -> bool {
        CHOSEN.get() == name
    }

    /// Puts the defect of this name back while `then` runs.
    pub(crate) fn with_planted<T>(name: &'static str, then: impl FnOnce() -> T) -> T {
        struct Restored(&'static str);
        impl Drop for Restored {
            fn drop(&mut self) {
                CHOSEN.set(self.0);
            }
        }
        let _restored = Restored(CHOSEN.replace(name));
        then()
    }
}
