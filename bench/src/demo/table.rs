//! The table of times and ratios.

use std::fmt::Write;

/// One example's medians, in seconds.
pub struct Row {
    /// Example.
    pub name: String,
    /// Its sizes.
    pub sizes: String,
    /// Compiled by the plain compiler.
    pub plain: f64,
    /// By dvmcc, one worker.
    pub one: f64,
    /// By dvmcc, all workers.
    pub all: f64,
    /// Whether all runs gave the same bits.
    pub equal: bool,
}

/// The middle value; of an even number the lower middle one.
pub fn median(runs: &mut [f64]) -> f64 {
    runs.sort_by(f64::total_cmp);
    runs.get((runs.len().saturating_sub(1)) / 2).copied().unwrap_or(f64::NAN)
}

/// The table as text.
pub fn render(rows: &[Row], workers: usize) -> String {
    let all = format!("{workers} workers");
    let mut text = format!(
        "{:<10} {:>14} {:>12} {:>10} {:>11} {:>8}  {}\n",
        "example", "size", "sequential", "1 worker", all, "ratio", "result"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "{:<10} {:>14} {:>10.3} s {:>8.3} s {:>9.3} s {:>8.3}  {}",
            row.name,
            row.sizes,
            row.plain,
            row.one,
            row.all,
            row.all / row.plain,
            if row.equal { "same bits" } else { "DIFFERENT" }
        );
    }
    text.push_str("sequential: the plain compiler; ratio: all workers over sequential, medians");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert!((median(&mut [3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(&mut [4.0, 1.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_difference_shows() {
        let row = |equal| Row { name: "x".into(), sizes: "1".into(), plain: 2.0, one: 1.5, all: 1.0, equal };
        assert!(render(&[row(true)], 2).contains("0.500  same bits"));
        assert!(render(&[row(false)], 2).contains("DIFFERENT"));
    }
}
