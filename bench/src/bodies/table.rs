//! The table of speeds and ratios.

use std::fmt::Write;

/// A nest's medians.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Its size.
    pub size: usize,
    /// Operations of a pass.
    pub operations: f64,
    /// The least bytes that a pass moves.
    pub bytes: f64,
    /// Seconds of a pass: plain, one worker, all workers, Polly, a library; `None`: not there.
    pub medians: [Option<f64>; 5],
}

/// The middle value; of an even number the lower middle one.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

/// What the columns are.
pub fn head(workers: usize) -> String {
    format!(
        "Speeds over the plain compiler's, medians; GFLOP/s and GB/s (operations, and the least bytes) with {workers} workers\n\
         {:<13} {:>6} {:>10} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8}",
        "nest",
        "size",
        "plain ms",
        "1 worker",
        format!("{workers} workers"),
        "Polly",
        "BLAS",
        "GFLOP/s",
        "GB/s"
    )
}

/// A nest's line.
pub fn line(row: &Row) -> String {
    let [plain, one, all, polly, library] = row.medians;
    let mut text = format!("{:<13} {:>6} {:>10.3}", row.name, row.size, 1e3 * plain.unwrap_or(f64::NAN));
    for (width, other) in [(8, one), (9, all), (8, polly), (8, library)] {
        let ratio = plain.zip(other).map_or("-".to_owned(), |(plain, other)| format!("{:.2}", plain / other));
        let _ = write!(text, " {ratio:>width$}");
    }
    let rate = |amount: f64| all.map_or(f64::NAN, |all| 1e-9 * amount / all);
    let _ = write!(text, " {:>8.1} {:>8.1}", rate(row.operations), rate(row.bytes));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_over_the_plain_compilers_time_and_peers_may_be_missing() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        let medians = [Some(2.0), Some(1.0), Some(0.5), None, Some(4.0)];
        let row = Row { name: "x", size: 7, operations: 1e9, bytes: 2e9, medians };
        let words: Vec<String> = line(&row).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["x", "7", "2000.000", "2.00", "4.00", "-", "0.50", "2.0", "4.0"]);
        assert_eq!(head(2).lines().count(), 2);
    }
}
