//! Defects that models put back, to show that they find them. One build has all of them, as in `codegen`: a build per
//! defect would take minutes, and the rest of the code is the same.

/// True if the defect of this name is put back: in a model built with the feature `planted`, if the environment
/// variable `DVM_PLANTED` names the defect.
#[cfg(all(test, loom, feature = "planted"))]
pub(crate) fn planted(name: &str) -> bool {
    static CHOSEN: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    CHOSEN.get_or_init(|| std::env::var("DVM_PLANTED").ok()).as_deref() == Some(name)
}

/// Always false: this build puts no defect back.
#[cfg(not(all(test, loom, feature = "planted")))]
#[inline(always)]
#[allow(clippy::inline_always, reason = "nothing is left of it")]
pub(crate) const fn planted(_name: &str) -> bool {
    false
}
