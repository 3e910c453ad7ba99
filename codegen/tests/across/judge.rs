//! The judge: what the program prints that a plain compiler made, for each setting.

use super::built::{Built, built};
use super::program::{Program, Setting};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What came of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Judged {
    pub runs: usize,
    pub regions: usize,
    /// Regions that make the processes one program.
    pub known: usize,
    /// Regions that were accepted to run across processes.
    pub accepted: usize,
    /// Regions that have run across processes.
    pub across: usize,
    /// How often, and the bytes that regions had sent before their tiles ran.
    pub entries: usize,
    pub sent: u64,
    /// Runs that were given up: they take long in one process, too.
    pub slow: usize,
}

/// Runs programs of several processes.
pub struct Judge {
    built: Built,
    dvmcc: PathBuf,
}

/// What libdvm tells with `DVM_VERBOSE=1` of a region that has run across.
const TRAFFIC: &str = " processes: process ";

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains(TRAFFIC)).collect();
    format!("{}: {}", output.status, lines.join("\n").chars().take(1500).collect::<String>())
}

/// What processes have left, and what libdvm has told.
struct Ran {
    left: Vec<String>,
    told: String,
}

impl Judged {
    /// Counts the regions that have run across; adds their names.
    fn count(&mut self, told: &str, names: &mut BTreeSet<String>) {
        for line in told.lines().filter(|line| line.contains(TRAFFIC)) {
            let name = line.split('\'').nth(1).unwrap_or_default();
            names.insert(name.to_owned());
            self.entries += usize::from(line.contains("process 0 has sent"));
            let before = line.split(" has sent ").nth(1).and_then(|rest| rest.split_once(" bytes from before it"));
            self.sent += before.and_then(|(bytes, _)| bytes.parse::<u64>().ok()).unwrap_or(0);
        }
    }
}

/// The lines in an order that does not depend on which process was first.
fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n") + "\n"
}

impl Judge {
    pub fn new() -> Judge {
        Judge { built: Built::new(), dvmcc: built("DVMCC", "dvmcc") }
    }

    fn compile(&self, program: &Program, folder: &Path) -> Result<Judged, String> {
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
        let mut plain = Command::new("gcc");
        plain.current_dir(folder).args(["-O1", "-w", "program.c", "-o", "plain"]);
        let mut tiled = Command::new(&self.dvmcc);
        tiled.current_dir(folder).args(["-O1", "-w", "--dvm-remarks", "program.c", "-o", "tiled", "-ldvm"]);
        tiled.arg("-I").arg(include).arg("-L").arg(&*self.built.library);
        if program.option {
            tiled.arg("--across");
        }
        if program.collective {
            tiled.arg("-DCOLLECTIVE");
        }
        let mut regions = Judged { regions: program.nests.len(), ..Judged::default() };
        let mut remarks = String::new();
        for command in [&mut plain, &mut tiled] {
            let output = command.output().expect("a compiler runs");
            if !output.status.success() {
                return Err(format!("it does not compile: {}", said(&output)));
            }
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            remarks += &text;
            if std::env::var_os("DVM_TEST_SHOW").is_some() {
                println!("{text}");
            }
        }
        let file = std::fs::read(folder.join("tiled")).expect("a program");
        // Each region with the clause has a constructor that makes it known, also one that runs in its own process.
        let makes_known = |name: &&[u8]| name.starts_with(b"dvm__") && name.ends_with(b"_known");
        regions.known = file.split(|byte| *byte == 0).filter(makes_known).count();
        regions.accepted = regions.known.saturating_sub(remarks.matches("it runs in its own process").count());
        Ok(regions)
    }

    fn run(&self, program: &Program, setting: &Setting, folder: &Path, seconds: &str) -> Result<Ran, String> {
        let left = |process| folder.join(format!("left.{process}"));
        (0..setting.processes).for_each(|process| drop(std::fs::remove_file(left(process))));
        let mut command = Command::new("timeout");
        command.current_dir(folder).args(["-s", "KILL", "80"]).arg(&self.built.run);
        command.args(["-n", &setting.processes.to_string(), "--timeout", seconds]);
        command.args(["./tiled", "left"]).env("LD_LIBRARY_PATH", &*self.built.library).env("DVM_VERBOSE", "1");
        command.envs(setting.environment.iter().map(|(name, value)| (name, value)));
        let output = command.output().expect("timeout runs");
        if !output.status.success() {
            return Err(said(&output));
        }
        let left = if program.collective {
            (0..setting.processes).map(|process| std::fs::read_to_string(left(process)).unwrap_or_default()).collect()
        } else {
            vec![String::from_utf8_lossy(&output.stdout).into_owned()]
        };
        Ok(Ran { left, told: String::from_utf8_lossy(&output.stderr).into_owned() })
    }

    /// Whether these tiles take long in one process, too: there may be many, for hardly any iterations.
    fn is_slow(&self, program: &Program, setting: &Setting, folder: &Path) -> bool {
        let alone = Setting { processes: 1, ..setting.clone() };
        self.run(program, &alone, folder, "10").is_err_and(|why| why.contains("the time is over"))
    }

    /// What is wrong with a program, if anything is.
    pub fn judge(&self, program: &Program) -> Result<Judged, String> {
        let folder = testkit::scratch(&[("program.c", &program.text())]);
        let mut judged = self.compile(program, &folder)?;
        let mut plain = Command::new("timeout");
        let output = plain.current_dir(&*folder).args(["60", "./plain"]).output().expect("timeout runs");
        if !output.status.success() {
            return Err(format!("the plain program: {}", said(&output)));
        }
        let wanted = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut names = BTreeSet::new();
        for setting in &program.shapes {
            judged.runs += 1;
            // Without such a region nothing makes the processes one program: each prints.
            let one = program.collective || judged.known > 0 || program.asks_across();
            let copies = if one { 1 } else { setting.processes };
            let right = |got: &str| got == wanted || copies > 1 && sorted(got) == sorted(&wanted.repeat(copies));
            let all = match self.run(program, setting, &folder, "60") {
                Ok(Ran { left, told }) => {
                    judged.count(&told, &mut names);
                    left
                }
                Err(why) if why.contains("the time is over") && self.is_slow(program, setting, &folder) => {
                    judged.slow += 1;
                    continue;
                }
                Err(why) => return Err(format!("{setting:?}: {why}")),
            };
            if let Some((process, got)) = all.iter().enumerate().find(|(_, got)| !right(got)) {
                return Err(format!(
                    "{setting:?}: process {process} prints something else: {} lines instead of {}{}",
                    got.lines().count(),
                    wanted.lines().count(),
                    if program.collective { "; all run main" } else { "" },
                ));
            }
        }
        judged.across = names.len();
        Ok(judged)
    }
}
