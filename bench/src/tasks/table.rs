//! The table for readers.

use std::fmt::Write;

use crate::measure::{Entrant, Figures};
use crate::samples::{Failure, Samples};
use crate::systems::{Kind, System};

/// The least median of the peers that deferred their tasks.
pub fn best_peer<'a>(rows: &'a [(&'static System, Samples)]) -> Option<(&'static System, f64)> {
    let usable = |(system, samples): &'a (&'static System, Samples)| {
        let median = samples.median().filter(|_| system.kind.is_peer() && samples.deferred())?;
        Some((*system, median))
    };
    rows.iter().filter_map(usable).min_by(|a, b| a.1.total_cmp(&b.1))
}

fn floor(rows: &[(&'static System, Samples)]) -> Option<f64> {
    rows.iter().find(|(system, _)| system.kind == Kind::Floor)?.1.median()
}

/// Three digits that count, more only in front of the point.
fn figure(value: f64) -> String {
    match value {
        value if value < 9.995 => format!("{value:.2}"),
        value if value < 99.95 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

fn ratio(value: f64, to: Option<f64>) -> String {
    to.map_or_else(String::new, |to| format!("{}x", figure(value / to)))
}

/// The table of one work, for each number of workers.
pub fn render(figures: &Figures, rounds: usize, quick: bool) -> String {
    let work = figures.work;
    let mut text = format!("{}: {}\n", work.key, work.title(quick));
    for (&workers, rows) in &figures.by_workers {
        let plural = if workers == 1 { "" } else { "s" };
        let _ = write!(text, "  {workers} worker{plural}, {}", work.measure.unit());
        if let Some(goal) = work.goal(workers) {
            let _ = write!(text, ", goal {goal:.0}");
        }
        if workers > 1
            && let Some(hand_over) = figures.probes.hand_over()
        {
            let _ = write!(text, "; {hand_over}");
        }
        let (best, floor) = (best_peer(rows).map(|(_, median)| median), floor(rows));
        let _ = writeln!(
            text,
            "\n    {:<10} {:<12} {:>9}   {:>19} {:>12} {:>9}",
            "system", "", "median", "least .. greatest", "best peer x", "floor x"
        );
        for (system, samples) in rows {
            text.push_str(&row(system, samples, best, floor, rounds));
        }
    }
    text
}

fn row(system: &System, samples: &Samples, best: Option<f64>, floor: Option<f64>, rounds: usize) -> String {
    let start = format!("    {:<10} {:<12}", system.name, system.kind.word());
    match (&samples.failure, samples.median(), samples.spread()) {
        (Some(Failure::TimedOut(limit)), ..) => format!("{start}   not within {limit} s\n"),
        (Some(Failure::NoFigure(message)), ..) => format!("{start}   no figure: {message}\n"),
        (Some(Failure::Failed(message)), ..) => {
            let indented = message.lines().take(3).collect::<Vec<_>>().join("\n      ");
            format!("{start}   FAILED: {indented}\n")
        }
        (None, Some(median), Some((least, greatest))) => {
            let spread = format!("{} .. {}", figure(least), figure(greatest));
            let (to_best, to_floor) = (ratio(median, best), ratio(median, floor));
            let mut note = String::from(if samples.deferred() { "" } else { "  not deferred" });
            if samples.runs.len() < rounds {
                let _ = write!(note, "  {} runs", samples.runs.len());
            }
            format!("{start} {:>9}   {spread:>19} {to_best:>12} {to_floor:>9}{note}\n", figure(median))
        }
        _ => format!("{start}   no run\n"),
    }
}

/// What the names of the systems stand for, and which of them are not there.
pub fn legend(entrants: &[Entrant]) -> String {
    let mut text = String::from("systems\n");
    for Entrant { system, absent } in entrants {
        let _ = writeln!(text, "    {:<10} {:<12} {}", system.name, system.kind.word(), system.note);
        if let Some(reason) = absent {
            let first = reason.lines().next().unwrap_or_default();
            let _ = match system.kind {
                Kind::Own => writeln!(text, "      NOT BUILT: {reason}"),
                _ => writeln!(text, "      not installed ({first}): apt-get install {}", system.packages),
            };
        }
    }
    text.push_str(
        "  best peer x: over the least median of the peers that defer their tasks; floor x: over the one by hand\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Run;
    use crate::systems::SYSTEMS;

    fn system(name: &str) -> &'static System {
        SYSTEMS.iter().find(|system| system.name == name).unwrap()
    }

    fn of(value: f64, deferred: bool) -> Samples {
        Samples { runs: vec![Run { value, peak_kib: 0, deferred }], failure: None }
    }

    #[test]
    fn the_best_peer_defers_and_is_no_floor() {
        let rows = vec![
            (system("serial"), of(1.0, true)),
            (system("floor"), of(2.0, true)),
            (system("dvm"), of(3.0, true)),
            (system("libomp"), of(4.0, false)),
            (system("tbb"), of(6.0, true)),
            (system("starpu"), of(5.0, true)),
        ];
        assert_eq!(best_peer(&rows).map(|(system, median)| (system.name, median)), Some(("starpu", 5.0)));
        assert_eq!(floor(&rows), Some(2.0));
        let line = row(rows[2].0, &rows[2].1, Some(5.0), Some(2.0), 1);
        assert!(line.contains("0.60x") && line.contains("1.50x"), "{line}");
        assert!(row(rows[3].0, &rows[3].1, None, None, 1).contains("not deferred"));
    }

    #[test]
    fn failures_show() {
        let mut samples = of(1.0, true);
        samples.failure = Some(Failure::Failed("tasks: 9, not 10".into()));
        assert!(row(system("dvm"), &samples, None, None, 1).contains("FAILED: tasks: 9, not 10"));
        samples.failure = Some(Failure::NoFigure("fft: under one half".into()));
        assert!(row(system("gomp"), &samples, None, None, 1).contains("no figure: fft: under one half"));
        samples.failure = Some(Failure::TimedOut(60));
        assert!(row(system("gomp"), &samples, None, None, 1).contains("not within 60 s"));
    }

    #[test]
    fn figures_have_three_digits() {
        assert_eq!([9.994, 9.996, 99.9, 123.4].map(figure), ["9.99", "10.0", "99.9", "123"]);
    }
}
