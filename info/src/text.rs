//! The report as text for humans.

use std::fmt::Write as _;

use dvm::report::{Branch, Choices, Description, Report, Setting};

/// Number of workers up to which the distance matrix fits a screen; JSON always has it.
const MOST_COLUMNS: usize = 32;

/// Columns of wrapped documentation.
const WIDTH: usize = 100;

/// The requested parts; none means all.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub machine: bool,
    pub options: bool,
    pub transports: bool,
}

impl Parts {
    /// Whether all parts are requested.
    pub fn all(self) -> bool {
        !self.machine && !self.options && !self.transports
    }
}

/// The report as text.
pub fn show(report: &Report, parts: Parts) -> String {
    let mut text = String::new();
    if parts.all() {
        let _ = writeln!(text, "libdvm {}", report.version);
        for (what, value) in &report.build {
            let _ = writeln!(text, "  {what:<10} {value}");
        }
        text.push('\n');
    }
    if parts.all() || parts.machine {
        match &report.machine {
            Ok(machine) => show_machine(&mut text, machine),
            Err(why) => {
                let _ = writeln!(text, "Machine: cannot be read: {why}");
            }
        }
    }
    if parts.all() {
        text.push('\n');
    }
    if parts.all() || parts.transports {
        show_transports(&mut text, &report.transports);
    }
    if parts.all() {
        text.push_str("\nOptions (dvm-info --options says what they do)\n");
        report.options.iter().for_each(|option| show_option(&mut text, option, "  "));
    }
    if parts.options {
        for option in &report.options {
            show_option(&mut text, option, "");
            let unit = if option.unit.is_empty() { String::new() } else { format!(" ({})", option.unit) };
            let _ = writeln!(text, "    allowed: {}{unit}; default: {}", option.allowed, option.default);
            for line in wrapped(option.documentation, WIDTH - 4) {
                let _ = writeln!(text, "    {line}");
            }
            text.push('\n');
        }
    }
    text
}

fn show_transports(text: &mut String, transports: &Choices) {
    let chosen = match &transports.chosen {
        Ok(chosen) => chosen.clone(),
        Err(why) => format!("dvm_init fails: {why}"),
    };
    let _ = writeln!(text, "Transport: {chosen}");
    if let Some(mpi) = &transports.mpi {
        let _ = writeln!(text, "  this process's MPI: {}", mpi.lines().next().unwrap_or_default());
    }
    for (family, file, place) in &transports.plugins {
        let place = place.as_ref().map_or("not there".to_owned(), |place| place.display().to_string());
        let _ = writeln!(text, "  {file:<22} for {family}: {place}");
    }
    let folders: Vec<String> = transports.folders.iter().map(|folder| folder.display().to_string()).collect();
    let _ = writeln!(text, "  looked for in {}", folders.join(", "));
}

fn show_option(text: &mut String, option: &Setting, indent: &str) {
    let value = option.value.as_deref().unwrap_or(option.default);
    let origin = match (&option.value, &option.refusal) {
        (None, _) => "default",
        (Some(_), None) => "environment",
        (Some(_), Some(_)) => "environment; not allowed",
    };
    let _ = writeln!(text, "{indent}{:<19} {value} [{origin}]", option.variable);
}

fn show_machine(text: &mut String, machine: &Description) {
    let workers = machine.ranks.len();
    let _ = writeln!(text, "Machine: {workers} worker{} ({})", if workers == 1 { "" } else { "s" }, machine.limits);
    show_tree(text, &machine.tree, machine, 1);
    let _ = writeln!(text, "Ranks: {} components, sizes {}", machine.sizes.len(), list(&machine.sizes));
    match &machine.bound {
        Some(cpus) => {
            let _ = writeln!(text, "Binding: the workers are bound to the CPUs {}", list(cpus));
        }
        None => text.push_str("Binding: the workers are not bound\n"),
    }
    if machine.real {
        let cpuset = machine.cpuset.as_deref().map_or("not known".into(), ranges);
        let quota = machine.quota.map_or("none".into(), |workers| format!("worth {workers}"));
        let _ = writeln!(text, "Limits: cpuset {cpuset}; CPU quota of the control groups: {quota}");
    }
    if machine.oversubscribed {
        text.push_str("There are more workers than CPUs: idle workers sleep at once.\n");
    }
    show_distances(text, machine);
}

/// An object with its subtree; objects that are alone on their level share a line.
fn show_tree(text: &mut String, object: &Branch, machine: &Description, depth: usize) {
    let _ = write!(text, "{:indent$}", "", indent = 2 * depth);
    let mut object = object;
    loop {
        let _ = write!(text, "{} {}", object.kind, object.index);
        let sizes = std::iter::once(object.bytes).filter(|&bytes| bytes > 0).map(bytes);
        let nodes = object.memory.iter().map(|(node, size)| format!("NUMANode {node}: {}", bytes(*size)));
        let cpu = object.cpu.map(|cpu| format!("CPU {cpu}"));
        let notes: Vec<String> = sizes.chain(nodes).chain(cpu).collect();
        if !notes.is_empty() {
            let _ = write!(text, " ({})", notes.join(", "));
        }
        let [alone] = object.below.as_slice() else { break };
        text.push_str(" + ");
        object = alone;
    }
    if object.cpu.is_some() {
        let worker = |&worker: &usize| format!("worker {worker}, rank {}", list(&machine.ranks[worker]));
        let workers: Vec<String> = object.workers.iter().map(worker).collect();
        let _ = write!(text, ": {}", if workers.is_empty() { "no worker".into() } else { workers.join("; ") });
    }
    text.push('\n');
    object.below.iter().for_each(|below| show_tree(text, below, machine, depth + 1));
}

fn show_distances(text: &mut String, machine: &Description) {
    let workers = machine.ranks.len();
    if workers > MOST_COLUMNS {
        let _ = writeln!(text, "Distances: of {workers} workers, too wide to show: dvm-info --json has them");
        return;
    }
    let most = machine.distances.iter().flatten().max().copied().unwrap_or(0).max(workers as u64);
    let width = most.to_string().len() + 1;
    let _ = write!(text, "Distances between workers\n  {:width$}", "");
    (0..workers).for_each(|worker| {
        let _ = write!(text, "{worker:>width$}");
    });
    for (worker, row) in machine.distances.iter().enumerate() {
        let _ = write!(text, "\n  {worker:>width$}");
        for distance in row {
            let _ = write!(text, "{distance:>width$}");
        }
    }
    text.push('\n');
}

/// Numbers in the form `1 2 3`.
fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// Numbers in the form `0-3,8`.
fn ranges(cpus: &[u32]) -> String {
    let runs = cpus.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[u32]| match run {
        [only] => only.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    runs.map(run).collect::<Vec<_>>().join(",")
}

/// A size in the largest unit that gives at least 1.
fn bytes(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let unit = (1..units.len()).take_while(|&unit| bytes >> (10 * unit) > 0).last().unwrap_or(0);
    let whole = 1_u64 << (10 * unit);
    if bytes.is_multiple_of(whole) {
        format!("{} {}", bytes / whole, units[unit])
    } else {
        format!("{:.1} {}", bytes as f64 / whole as f64, units[unit])
    }
}

/// Wraps text between words into lines of at most `width` letters.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push(word.into());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_cpus_are_told_short() {
        assert_eq!([0, 1023, 1024, 1536, 3 << 30].map(bytes), ["0 bytes", "1023 bytes", "1 KiB", "1.5 KiB", "3 GiB"]);
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable a", 3), ["unbreakable", "a"]);
    }
}
