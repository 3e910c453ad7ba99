//! Imagined machines: `DVM_SYNTHETIC`, in hwloc's syntax.

use super::topology::{self, Failure, Topology, TopologySource};
use crate::config::{self, MAX_WORKERS};
use crate::error::Error;

/// Parses the value of `DVM_SYNTHETIC`.
pub(super) fn read(text: &str) -> Result<Topology, Error> {
    let wrong = || {
        let reason = "it is not a machine in hwloc's synthetic syntax (an example: pack:4 core:4 pu:2; hwloc says more with HWLOC_SYNTHETIC_VERBOSE=1)";
        config::refused("DVM_SYNTHETIC", text, reason)
    };
    let arities = arities(text).ok_or_else(wrong)?;
    let pus = arities.iter().try_fold(1_u64, |product, arity| product.checked_mul(*arity));
    if pus.is_none_or(|pus| pus > MAX_WORKERS as u64) {
        return Err(config::refused("DVM_SYNTHETIC", text, &format!("it has more than {MAX_WORKERS} PUs")));
    }
    topology::read(TopologySource::Synthetic(text)).map_err(|failure| match failure {
        Failure::Syntax => wrong(),
        other => other.into(),
    })
}

/// The arities of a synthetic machine, to check its size before hwloc builds it: a wrong one could fill the memory.
///
/// Skips attributes, `(size=1GB)`, and attached memory, `[numa]`. `None` if a level has no decimal arity.
fn arities(text: &str) -> Option<Vec<u64>> {
    let mut nested = 0;
    let levels = text.chars().map(|c| {
        nested += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        if nested > 0 || matches!(c, ')' | ']') { ' ' } else { c }
    });
    levels.collect::<String>().split_whitespace().map(arity).collect()
}

/// The arity of `pack:2` or `2`. hwloc also reads signs, numbers in base 8 and 16, and unseparated levels
/// (`pack:2pu:2`); those are refused, so that hwloc builds what was counted.
fn arity(level: &str) -> Option<u64> {
    let (name, digits) = level.split_once(':').unwrap_or(("any", level));
    let named =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let decimal = !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    // A number beyond 64 bits is too large in any case.
    (named && decimal).then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    #[test]
    fn what_is_counted_is_what_hwloc_builds() {
        let parts = [
            "pack:2", "core:3", "pu:2", "numa:2", "l3:2", "[numa]", "(size=1)", "(", "]", "2", "0x9", "+3", "-1", "02",
            " ", " ", " ", ":", "l2:1",
        ];
        let mut accepted = 0;
        for mut random in testkit::seeds_from(4_091, 1_000).map(Random::new) {
            let text: String = (0..=random.below(6)).map(|_| *random.pick(&parts)).collect();
            let Ok(topology) = read(&text) else { continue };
            let counted: u64 = arities(&text).unwrap().iter().product();
            assert_eq!(topology.pus.len() as u64, counted, "PUs of {text:?}");
            accepted += 1;
        }
        assert!(testkit::selected() || accepted > 9, "only {accepted} texts were machines");
    }
}
