//! `dvm-info --check`: what libdvm and its programs need, whether it is there, and what to do where it is not.

use dvm::report::Report;
use std::fmt::Write as _;
use std::process::Command;

/// How a finding is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Fine,
    /// libdvm works, but perhaps not as meant.
    Notice,
    /// Something would fail.
    Wrong,
}

/// One thing that was looked at.
struct Finding {
    verdict: Verdict,
    subject: &'static str,
    text: String,
    /// What to do; empty if nothing is to be done.
    remedy: String,
}

impl Finding {
    fn fine(subject: &'static str, text: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Fine, subject, text: text.into(), remedy: String::new() }
    }

    fn notice(subject: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Notice, subject, text: text.into(), remedy: remedy.into() }
    }

    fn wrong(subject: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { verdict: Verdict::Wrong, subject, text: text.into(), remedy: remedy.into() }
    }
}

/// The findings as text, and whether nothing would fail.
pub fn check(report: &Report) -> (String, bool) {
    let mut findings = machine(report);
    findings.extend(options(report));
    findings.push(clang());
    findings.push(code_generator());
    findings.extend(transports(report));
    let mut text = String::new();
    for Finding { verdict, subject, text: said, remedy } in &findings {
        let mark = match verdict {
            Verdict::Fine => "ok",
            Verdict::Notice => "note",
            Verdict::Wrong => "WRONG",
        };
        let _ = writeln!(text, "{mark:<6}{subject:<16}{said}");
        if !remedy.is_empty() {
            let _ = writeln!(text, "{:22}-> {remedy}", "");
        }
    }
    (text, findings.iter().all(|finding| finding.verdict != Verdict::Wrong))
}

fn machine(report: &Report) -> Vec<Finding> {
    let machine = match &report.machine {
        Ok(machine) => machine,
        Err(why) => {
            let remedy = "correct what the message names; `dvm-info --options` says what each variable does";
            return vec![Finding::wrong("machine", why.clone(), remedy)];
        }
    };
    let workers = machine.ranks.len();
    let mut findings = vec![Finding::fine("machine", format!("{workers} workers: {}", machine.limits))];
    findings.push(match (&machine.bound, machine.real) {
        (Some(_), _) => Finding::fine("binding", "each worker is bound to its CPU"),
        (None, false) => {
            Finding::notice("binding", "an imagined machine: workers are not bound", "unset DVM_SYNTHETIC")
        }
        (None, true) => Finding::notice(
            "binding",
            "workers are not bound",
            "unset DVM_BIND, unless other busy programs share these CPUs",
        ),
    });
    if machine.oversubscribed {
        let text = "there are more workers than CPUs";
        findings.push(Finding::notice("binding", text, "unset DVM_WORKERS, or give the process more CPUs"));
    }
    findings.push(match machine.quota {
        Some(quota) if quota < workers => Finding::notice(
            "quota",
            format!("the CPU quota allows about {quota} workers, and {workers} would start"),
            "set DVM_WORKERS to that number, or raise the container's quota",
        ),
        Some(quota) => Finding::fine("quota", format!("the CPU quota allows about {quota} workers")),
        None => Finding::fine("quota", "no CPU quota"),
    });
    findings
}

fn options(report: &Report) -> Vec<Finding> {
    let refused = report.options.iter().filter_map(|option| option.refusal.as_ref());
    let mut findings: Vec<Finding> =
        refused.map(|why| Finding::wrong("options", why.clone(), "correct the value, or unset the variable")).collect();
    for found in &report.misspellings {
        let text = format!("{} is set, and nothing reads it", found.variable);
        findings.push(Finding::notice("options", text, format!("did you mean {}?", found.meant)));
    }
    if findings.is_empty() {
        findings.push(Finding::fine("options", "all variables are known, and their values are allowed"));
    }
    findings
}

/// The first line that a command prints, if it succeeds.
fn first_line(command: &str, argument: &str) -> Option<String> {
    let output = Command::new(command).arg(argument).output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

fn clang() -> Finding {
    let named = std::env::var("DVM_CLANG").ok().filter(|name| !name.trim().is_empty());
    let command = named.clone().unwrap_or_else(|| "clang".to_owned());
    match first_line(&command, "--version") {
        Some(version) => Finding::fine("clang", version),
        None if named.is_some() => {
            Finding::wrong("clang", format!("`{command}` does not run"), "correct or unset DVM_CLANG")
        }
        None => Finding::notice(
            "clang",
            "there is no clang: dvmcc leaves loops as they are",
            "install clang 14 or later (Debian: apt-get install clang), or name one with DVM_CLANG",
        ),
    }
}

/// `dvm-codegen` is linked with isl, so where one is missing, the program does not start.
fn code_generator() -> Finding {
    let beside = std::env::current_exe().ok().map(|program| program.with_file_name("dvm-codegen"));
    let command =
        beside.filter(|path| path.is_file()).map_or("dvm-codegen".to_owned(), |path| path.display().to_string());
    match first_line(&command, "--version") {
        Some(version) => Finding::fine("isl", format!("{version} runs, with the system's isl")),
        None => Finding::notice(
            "isl",
            "dvm-codegen is not there, or does not start",
            "install isl 0.22 or later (Debian: apt-get install libisl23), then dvm-codegen",
        ),
    }
}

fn transports(report: &Report) -> Vec<Finding> {
    let choices = &report.transports;
    let mut findings = vec![match &choices.chosen {
        Ok(chosen) => Finding::fine("transport", chosen.clone()),
        Err(why) => Finding::wrong("transport", why.clone(), "`dvm-info --transports` says what is there"),
    }];
    for (family, file, place) in &choices.plugins {
        findings.push(match place {
            Some(place) => Finding::fine("MPI plugin", format!("{family}: {}", place.display())),
            None => Finding::notice(
                "MPI plugin",
                format!("{family}: {file} is not there"),
                "only programs under that MPI need it: `make plugins` with its mpicc, or DVM_PLUGIN_DIR",
            ),
        });
    }
    findings
}
