//! Defects of the past that can be put back, so that the random tests show that they would find them again.

/// Whether the defect of this name is put back: only where the crate is built with the feature `planted` and the
/// environment variable `DVM_PLANTED` names it.
#[cfg(feature = "planted")]
pub fn planted(name: &str) -> bool {
    std::env::var("DVM_PLANTED").is_ok_and(|chosen| chosen == name)
}

/// Whether the defect of this name is put back: never in this build.
#[cfg(not(feature = "planted"))]
pub const fn planted(_name: &str) -> bool {
    false
}
