//! Defects that models put back, to show that they would find them. One build has all of them, as in `codegen`: a build
//! for each would take minutes, and the code between them is the same.

/// True where the defect of this name is put back: in a model that was built with the feature `planted`, while the
/// environment variable `DVM_PLANTED` names it.
#[cfg(all(test, loom, feature = "planted"))]
pub(crate) fn planted(name: &str) -> bool {
    static CHOSEN: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    CHOSEN.get_or_init(|| std::env::var("DVM_PLANTED").ok()).as_deref() == Some(name)
}

/// True where the defect of this name is put back: never in this build.
#[cfg(not(all(test, loom, feature = "planted")))]
#[inline(always)]
#[allow(clippy::inline_always, reason = "nothing is left of it")]
pub(crate) const fn planted(_name: &str) -> bool {
    false
}
