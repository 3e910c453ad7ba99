//! The transport between processes that an MPI has started: this test program itself, which then plays one of its roles,
//! with an MPI of its own or without. An MPI that is not there, or has no plugin in `target/release`, is left out by name.
//! `DVM_TEST_MPI=all` runs the whole matrix, otherwise a part of it.
#![allow(unsafe_code, reason = "calls an MPI by the names of its functions")]

mod host_mpi;
mod job;
mod roles;

use std::path::{Path, PathBuf};
use std::process::Command;

use host_mpi::HostMpi;
use job::{Ended, Job};

/// An MPI, by its name of `tools/mpis.sh`, which starts programs with it.
#[derive(Clone, Debug)]
struct Launcher {
    name: String,
    options: &'static [&'static str],
}

/// `tools/mpis.sh`, for the plugins of this build.
fn mpis() -> (PathBuf, PathBuf) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/mpis.sh");
    let release = Path::new(env!("CARGO_BIN_EXE_dvmrun")).parent().unwrap();
    (script, release.parent().unwrap().to_owned())
}

/// The MPIs that are there.
fn launchers() -> Vec<Launcher> {
    let (script, target) = mpis();
    let mut command = Command::new(script);
    command.env("CARGO_TARGET_DIR", target).arg("list").args(all().then_some("all"));
    let listed = command.output().unwrap();
    print!("{}", String::from_utf8_lossy(&listed.stderr));
    assert!(listed.status.success());
    let names = String::from_utf8(listed.stdout).unwrap();
    names.lines().map(|name| Launcher { name: name.to_owned(), options: &[] }).collect()
}

/// Whether the whole matrix is asked for.
fn all() -> bool {
    std::env::var_os("DVM_TEST_MPI").is_some_and(|value| value == "all")
}

impl Launcher {
    /// This program in a role, as so many processes. `settings` are variables.
    fn command(&self, processes: usize, role: &str, settings: &[(&str, &str)]) -> Command {
        let (script, target) = mpis();
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "50"]).arg(script).args(["run", &self.name, &processes.to_string()]);
        command.args(self.options).arg("--").env("CARGO_TARGET_DIR", target);
        for variable in ["DVM_PROCESS", "DVM_PROCESSES", "DVM_JOB", "DVM_PULL", "DVM_TRANSPORT", "DVM_RINGS"] {
            command.env_remove(variable);
        }
        command.env_remove("DVM_PLUGIN_DIR").env("DVM_TEST_ROLE", role).envs(settings.iter().copied());
        testkit::part_by(command, "role")
    }

    fn run(&self, processes: usize, role: &str, settings: &[(&str, &str)]) -> Ended {
        Job::start(&mut self.command(processes, role, settings)).end()
    }

    /// A role that all processes end well.
    fn well(&self, processes: usize, role: &str, settings: &[(&str, &str)]) -> Ended {
        let ended = self.run(processes, role, settings);
        let name = &self.name;
        assert_eq!(ended.code, Some(0), "{name} {processes} {role} {settings:?}: {}\n{}", ended.out, ended.err);
        assert_eq!(ended.out.matches("1 passed").count(), processes, "{name} {role}: {}", ended.out);
        println!("{name}: {processes} processes, {role}, {settings:?}");
        ended
    }
}

#[test]
fn role() {
    if testkit::playing() {
        let role = std::env::var("DVM_TEST_ROLE").unwrap_or_default();
        if std::env::var_os("DVM_TEST_MIXED").is_some() {
            let index = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].iter().find_map(|name| std::env::var(name).ok());
            let is_far = index.is_some_and(|index| index.parse::<usize>().unwrap() >= 2);
            // SAFETY: nobody else reads the environment yet.
            unsafe { std::env::set_var("DVM_RINGS", if is_far { "0" } else { "1" }) };
        }
        let level = std::env::var("DVM_TEST_LEVEL").ok().and_then(|level| level.parse().ok());
        let host = level.map(HostMpi::initialise);
        match (&host, role.strip_prefix("split ")) {
            (Some(host), Some(role)) => roles::play_with(role, roles::open_communicator(host.reversed_half())),
            (Some(_), _) if role == "outlives mpi" => {
                return roles::mpi::outlives(&*roles::join(), host_mpi::finalise);
            }
            _ => roles::play(&role),
        }
        if host.is_some() {
            host_mpi::finalise();
        }
    }
}

/// Numbers of processes, and who initialises MPI at which level: `None`, libdvm does.
fn matrix() -> Vec<(usize, Option<&'static str>)> {
    let levels = [None, Some("0"), Some("1"), Some("2"), Some("3")];
    if all() {
        return [2, 4].into_iter().flat_map(|processes| levels.map(|level| (processes, level))).collect();
    }
    vec![(2, None), (2, Some("1")), (4, Some("3"))]
}

fn settings<'a>(rings: &'a str, level: Option<&'a str>) -> Vec<(&'a str, &'a str)> {
    [("DVM_RINGS", rings)].into_iter().chain(level.map(|level| ("DVM_TEST_LEVEL", level))).collect()
}

#[test]
fn batches_arrive_whole_and_in_order_over_each_mpi() {
    for launcher in launchers() {
        for (processes, level) in matrix() {
            for rings in ["0", "1"] {
                launcher.well(processes, "batches", &settings(rings, level));
            }
        }
        launcher.well(2, "slow", &settings("0", None));
    }
}

#[test]
fn memory_of_all_lengths_arrives_over_each_mpi() {
    for launcher in launchers() {
        for (processes, level) in matrix() {
            launcher.well(processes, "bulk", &settings("0", level));
        }
        launcher.well(2, "bulk", &settings("1", None));
    }
}

/// Two processes that have rings, and two that are reached by MPI: as on two hosts.
#[test]
fn rings_and_an_mpi_serve_one_job() {
    for launcher in launchers() {
        for role in ["batches", "bulk", "leaves", "threads"] {
            for level in [None, Some("1")] {
                let level = level.map(|level| ("DVM_TEST_LEVEL", level));
                let settings: Vec<_> = [("DVM_TEST_MIXED", "1")].into_iter().chain(level).collect();
                launcher.well(4, role, &settings);
            }
        }
    }
}

#[test]
fn whoever_leaves_is_told_to_have_left() {
    for launcher in launchers() {
        for (processes, level) in matrix() {
            for rings in ["0", "1"] {
                launcher.well(processes, "leaves", &settings(rings, level));
            }
        }
    }
}

#[test]
fn a_program_may_finalize_mpi_first_and_is_told() {
    for launcher in launchers() {
        launcher.well(2, "outlives mpi", &settings("0", Some("3")));
    }
}

#[test]
fn a_process_may_start_again() {
    for launcher in launchers() {
        launcher.well(2, "twice", &settings("0", None));
        launcher.well(2, "twice", &settings("1", Some("1")));
    }
}

#[test]
fn threads_share_an_mpi_at_each_level() {
    for launcher in launchers() {
        for (processes, level) in matrix() {
            launcher.well(processes, "threads", &settings("0", level));
        }
    }
}

#[test]
fn a_part_of_the_processes_is_a_job_of_its_own() {
    for launcher in launchers() {
        // Its MPI_Comm_fromint does not give back what MPI_Comm_toint was given, for communicators that a program makes.
        if launcher.name == "intel-abi" {
            println!("left out: a communicator of intel-abi");
            continue;
        }
        for rings in ["0", "1"] {
            launcher.well(4, "split batches", &settings(rings, Some("1")));
        }
    }
}

#[test]
fn a_program_without_plugin_is_refused_and_never_alone() {
    for launcher in launchers() {
        let nowhere = [("DVM_PLUGIN_DIR", "/nonexistent")];
        let ended = launcher.run(2, "batches", &nowhere);
        assert!(ended.code != Some(0) && ended.err.contains("there is no plugin"), "{}", ended.err);
        launcher.well(2, "alone", &[("DVM_PLUGIN_DIR", "/nonexistent"), ("DVM_TRANSPORT", "none")]);
        launcher.well(1, "alone", &nowhere);
    }
}

#[test]
fn the_launcher_of_another_mpi_is_refused_in_words() {
    let here: Vec<Launcher> =
        launchers().into_iter().filter(|launcher| ["openmpi", "mpich"].contains(&&*launcher.name)).collect();
    if here.len() < 2 {
        return println!("left out: there are not two MPIs");
    }
    for launcher in here {
        let other = if launcher.name == "openmpi" { "libmpich.so.12" } else { "libmpi.so.40" };
        let command = launcher.command(2, "batches", &[]);
        let ended = Job::start(&mut wrapped(&command, &[&format!("LD_PRELOAD={other}")])).end();
        assert!(ended.code != Some(0), "{}", ended.out);
        assert!(ended.err.contains("several processes were started, and MPI sees one"), "{}", ended.err);
    }
}

/// The same, with changes of the environment for the program alone, not for its launcher: arguments of `env`.
fn wrapped(command: &Command, changes: &[&str]) -> Command {
    let arguments: Vec<_> = command.get_args().map(std::ffi::OsStr::to_owned).collect();
    let program = arguments.iter().position(|argument| argument == "--exact").unwrap() - 1;
    let mut wrapped = Command::new("timeout");
    wrapped.args(&arguments[..program]).arg("env").args(changes).args(&arguments[program..]);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    wrapped
}

/// As srun starts processes: with `--mpi=pmix`, which says no number of them but Slurm's own.
#[test]
fn processes_of_srun_are_as_those_of_mpirun() {
    for launcher in launchers() {
        let unset: &[&str] = if launcher.name.starts_with("openmpi") { &["-u", "OMPI_COMM_WORLD_SIZE"] } else { &[] };
        let changes = [unset, &["SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=0", "SLURM_JOB_ID=1"]].concat();
        let ended = Job::start(&mut wrapped(&launcher.command(2, "batches", &[]), &changes)).end();
        assert_eq!(ended.code, Some(0), "{} {}\n{}", launcher.name, ended.out, ended.err);
        assert_eq!(ended.out.matches("1 passed").count(), 2, "{}", ended.out);
    }
}

/// Variables that are set, where plugins are, and words of the refusal.
type SrunCase<'a> = (&'a [(&'a str, &'a str)], &'a Path, &'a str);

/// No PMI, one that nobody serves, and one for which there is no plugin.
#[test]
fn processes_of_srun_that_cannot_meet_are_refused_and_never_alone() {
    let (_, target) = mpis();
    let release = target.join("release");
    let nowhere = Path::new("/nonexistent");
    let cases: [SrunCase<'_>; 4] = [
        (&[], &release, "srun --mpi=pmix or --mpi=pmi2"),
        (&[("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("PMI_FD", "99")], nowhere, "there is no plugin"),
        (&[("PMIX_RANK", "0")], nowhere, "there is no plugin"),
        (&[("PMIX_RANK", "0"), ("PMIX_NAMESPACE", "slurm.pmix.1.0")], &release, ""),
    ];
    for (set, plugins, words) in cases {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "50"]);
        command.envs([("DVM_TEST_ROLE", "batches"), ("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_PROCID", "0")]);
        command.env("DVM_PLUGIN_DIR", plugins).envs(set.iter().copied());
        let ended = Job::start(&mut testkit::part_by(command, "role")).end();
        assert!(ended.code != Some(0) && ended.err.contains(words), "{set:?}: {}\n{}", ended.out, ended.err);
    }
}

#[test]
fn survivors_on_the_host_are_told_of_a_kill_by_the_rings() {
    // Only with leave to go on; MPICH ends all processes of a job that share memory.
    for launcher in launchers().into_iter().filter(|launcher| launcher.name == "openmpi") {
        let options = &["--enable-recovery"];
        let ended = Launcher { options, ..launcher }.run(4, "one is killed", &settings("1", None));
        assert_eq!(ended.out.matches("told in time").count(), 3, "{}\n{}", ended.out, ended.err);
    }
}
