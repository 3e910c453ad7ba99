//! The table of times, and the verdict.

use std::fmt::Write;

/// One program's medians, in seconds.
pub struct Row {
    /// Example.
    pub name: String,
    /// What it computes, with its sizes.
    pub subject: String,
    /// Compiled by the plain compiler.
    pub plain: f64,
    /// By dvmcc, one worker.
    pub one: f64,
    /// By dvmcc, all workers.
    pub all: f64,
    /// Whether all runs gave the same bits.
    pub equal: bool,
}

impl Row {
    /// How many times as fast as the plain program, with all workers.
    fn speedup(&self) -> f64 {
        self.plain / self.all
    }
}

/// The middle value; of an even number the lower middle one.
pub fn median(runs: &mut [f64]) -> f64 {
    runs.sort_by(f64::total_cmp);
    runs.get((runs.len().saturating_sub(1)) / 2).copied().unwrap_or(f64::NAN)
}

/// The table as text.
pub fn render(rows: &[Row], workers: usize) -> String {
    let width = rows.iter().map(|row| row.subject.chars().count()).max().unwrap_or(0).max("what it computes".len());
    let all = count(workers, "worker");
    let mut text = format!(
        "{:<8} {:<width$} {:>11} {:>11} {:>11} {:>8}  {}\n",
        "program", "what it computes", "plain", "1 worker", all, "speed", "result"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "{:<8} {:<width$} {:>9.3} s {:>9.3} s {:>9.3} s {:>6.2} x  {}",
            row.name,
            row.subject,
            row.plain,
            row.one,
            row.all,
            row.speedup(),
            if row.equal { "same bits" } else { "DIFFERENT" }
        );
    }
    let _ = writeln!(text, "plain: by the plain compiler, one core; speed: plain divided by {all}; times are medians");
    text
}

/// What the table shows, in sentences.
pub fn verdict(rows: &[Row]) -> String {
    let total = rows.len();
    let different: Vec<&str> = rows.iter().filter(|row| !row.equal).map(|row| row.name.as_str()).collect();
    let faster = rows.iter().filter(|row| row.speedup() > 1.0).count();
    let mut text = format!("Verdict: {} of {total} the same bits; {faster} of {total} faster", total - different.len());
    let speeds = || rows.iter().map(Row::speedup);
    if faster > 0 {
        let (least, most) = (speeds().fold(f64::INFINITY, f64::min), speeds().fold(0.0, f64::max));
        if total == 1 {
            let _ = write!(text, " ({most:.1} times as fast as the plain compiler's program)");
        } else {
            let _ = write!(text, " ({least:.1} to {most:.1} times as fast as the plain compiler's program)");
        }
    }
    text.push('.');
    if !different.is_empty() {
        let _ = write!(
            text,
            "\nOther results: {}. That is a defect of libdvm or of the compiler: please report it with this table and the \
             output of dvm-info.",
            different.join(", ")
        );
    }
    if faster < total {
        text.push_str("\nA program is not faster where the machine has one core or other work to do, or where sizes are small (--shrink).");
    }
    text
}

/// A number with its noun.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(all: f64, equal: bool) -> Row {
        Row { name: "x".into(), subject: "a stencil".into(), plain: 2.0, one: 1.5, all, equal }
    }

    #[test]
    fn medians() {
        assert!((median(&mut [3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(&mut [4.0, 1.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_difference_shows() {
        assert!(render(&[row(1.0, true)], 2).contains("2.00 x  same bits"));
        assert!(render(&[row(1.0, false)], 2).contains("DIFFERENT"));
    }

    #[test]
    fn the_verdict_counts_equal_and_faster_programs() {
        assert_eq!(
            verdict(&[row(1.0, true), row(0.5, true)]),
            "Verdict: 2 of 2 the same bits; 2 of 2 faster (2.0 to 4.0 times as fast as the plain compiler's program)."
        );
        let mixed = verdict(&[row(1.0, false), row(4.0, true)]);
        assert!(mixed.starts_with("Verdict: 1 of 2 the same bits; 1 of 2 faster (0.5 to 2.0 times"), "{mixed}");
        assert!(mixed.contains("\nOther results: x. "), "{mixed}");
        assert!(mixed.contains("\nA program is not faster where"), "{mixed}");
        assert!(verdict(&[row(4.0, true)]).starts_with("Verdict: 1 of 1 the same bits; 0 of 1 faster.\n"));
    }
}
