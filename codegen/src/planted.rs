//! Past defects that can be put back: the random tests show that they would still find them.

/// Whether to put back the defect `name`: if the crate has the feature `planted` and `DVM_PLANTED` names it.
#[cfg(feature = "planted")]
pub fn planted(name: &str) -> bool {
    std::env::var("DVM_PLANTED").is_ok_and(|chosen| chosen == name)
}

/// Whether to put back a defect: never in this build.
#[cfg(not(feature = "planted"))]
pub const fn planted(_name: &str) -> bool {
    false
}
