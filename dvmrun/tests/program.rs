//! What dvmrun does with programs that know nothing of it: shells.

mod job;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use job::{Job, dvmrun, state, wait_until};

/// A fresh folder.
fn place(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dvmrun-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The process id that a script has written to a file with this name.
fn pid(folder: &Path, name: &str) -> u32 {
    let path = folder.join(name);
    wait_until("a script writes its process id", || fs::read_to_string(&path).is_ok_and(|text| text.ends_with('\n')));
    fs::read_to_string(&path).unwrap().trim().parse().unwrap()
}

/// Exit code and output, by lines in order of their text.
fn run(arguments: &[&str], script: &str) -> (Option<i32>, Vec<String>) {
    let ended = Job::start(dvmrun(arguments).args(["sh", "-c", script])).end();
    let mut lines: Vec<_> = ended.out.lines().map(str::to_owned).collect();
    lines.sort();
    (ended.code, lines)
}

#[test]
fn each_process_knows_its_index_and_the_number_of_all() {
    let (code, lines) =
        run(&["-n", "3"], "echo $DVM_PROCESS of $DVM_PROCESSES ${DVM_JOB#*:}; ls /proc/self/fd | wc -l");
    assert_eq!(code, Some(0));
    let jobs: Vec<_> = lines.iter().filter(|line| line.contains("of 3")).collect();
    assert_eq!(jobs.len(), 3);
    for (index, line) in jobs.iter().enumerate() {
        assert!(line.starts_with(&format!("{index} of 3 ")), "{lines:?}");
        assert_eq!(line.split(' ').next_back(), jobs[0].split(' ').next_back(), "one job");
    }
    // One more than without dvmrun.
    let alone = Job::start(std::process::Command::new("sh").args(["-c", "ls /proc/self/fd | wc -l"])).end();
    let alone: u32 = alone.out.trim().parse().unwrap();
    let descriptors: Vec<u32> = lines.iter().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(descriptors, [alone + 1; 3], "{lines:?}");
}

#[test]
fn the_first_failure_decides_the_exit_code() {
    let code = |script| run(&["-n", "2"], script).0;
    assert_eq!(code("exit 0"), Some(0));
    assert_eq!(code("[ $DVM_PROCESS = 0 ] && exit 7; sleep 60"), Some(7));
    assert_eq!(code("[ $DVM_PROCESS = 1 ] && exit 255; sleep 60"), Some(255));
    assert_eq!(code("[ $DVM_PROCESS = 1 ] && kill -SEGV $$; sleep 60"), Some(128 + 11));
    assert_eq!(code("[ $DVM_PROCESS = 1 ] && kill -KILL $$; sleep 60"), Some(128 + 9));
    // The other one fails later, and because of that.
    assert_eq!(code("trap 'exit 9' TERM; [ $DVM_PROCESS = 1 ] && exit 8; sleep 60 & wait"), Some(8));
}

#[test]
fn programs_that_cannot_be_started_have_their_codes() {
    let code = |arguments: &[&str]| Job::start(&mut dvmrun(arguments)).end();
    let missing = code(&["-n", "2", "./there-is-no-such-program"]);
    assert_eq!(missing.code, Some(127));
    assert!(missing.err.contains("./there-is-no-such-program cannot be started: No such file"), "{}", missing.err);
    assert_eq!(code(&["-n", "2", "/dev/null"]).code, Some(126));
    assert_eq!(code(&["-n", "2", env!("CARGO_MANIFEST_DIR")]).code, Some(126));
    for wrong in [&["true"][..], &["-n", "0", "true"], &["-n", "1025", "true"], &["-n", "2"], &["-n", "2", "--what"]] {
        assert_eq!(code(wrong).code, Some(2), "{wrong:?}");
    }
    // What follows the program is the program's.
    assert_eq!(code(&["-n", "2", "test", "-n", "x"]).code, Some(0));
}

#[test]
fn time_runs_out_with_a_code_of_its_own() {
    let (code, _) = run(&["-n", "2", "--timeout", "0.2"], "sleep 60");
    assert_eq!(code, Some(124));
    // A process that has failed before decides the code, but not what ends the others.
    let one_fails = ["sh", "-c", "[ $DVM_PROCESS = 1 ] && exit 5; sleep 60"];
    let ended = Job::start(dvmrun(&["-n", "2", "--keep-going", "--timeout", "0.2"]).args(one_fails)).end();
    assert_eq!(ended.code, Some(5));
    assert!(ended.err.contains("the time is over"), "{}", ended.err);
}

#[test]
fn what_is_left_is_told_to_end_and_then_killed() {
    let script = "trap 'echo told; exit 0' TERM; echo ready; [ $DVM_PROCESS = 0 ] && { sleep 0.3; exit 3; }; \
        while :; do sleep 0.01; done";
    let (code, lines) = run(&["-n", "3"], script);
    assert_eq!((code, lines.iter().filter(|line| *line == "told").count()), (Some(3), 2), "{lines:?}");
    let deaf = "trap '' TERM; [ $DVM_PROCESS = 0 ] && exit 3; while :; do sleep 0.01; done";
    assert_eq!(run(&["-n", "3", "--grace", "0.2"], deaf).0, Some(3));
}

#[test]
fn the_others_go_on_if_they_shall() {
    let (code, lines) = run(&["-n", "3", "-k"], "[ $DVM_PROCESS = 1 ] && exit 4; sleep 0.3; echo done");
    assert_eq!((code, lines), (Some(4), vec!["done".to_owned(); 2]));
}

#[test]
fn signals_are_passed_on() {
    for (signal, name) in [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15), ("USR1", 10), ("USR2", 12)] {
        let folder = place(&format!("signal-{signal}"));
        let script = format!(
            "trap 'echo heard; exit 0' {signal}; echo $$ >{}/$DVM_PROCESS; while :; do sleep 0.01; done",
            folder.display()
        );
        let job = Job::start(dvmrun(&["-n", "2"]).args(["sh", "-c", &script]));
        pid(&folder, "0");
        pid(&folder, "1");
        job.signal(name);
        let ended = job.end();
        assert_eq!((ended.code, ended.out.as_str()), (Some(0), "heard\nheard\n"), "{signal}: {}", ended.err);
    }
}

#[test]
fn a_signal_that_ends_the_processes_is_the_exit_code() {
    let folder = place("int");
    let script = format!("echo $$ >{}/$DVM_PROCESS; exec sleep 60", folder.display());
    let job = Job::start(dvmrun(&["-n", "2"]).args(["sh", "-c", &script]));
    pid(&folder, "0");
    pid(&folder, "1");
    job.signal(2);
    let ended = job.end();
    assert_eq!((ended.code, ended.err.as_str()), (Some(130), ""), "what was asked for is no news");
}

#[test]
fn a_signal_that_dvmrun_is_to_ignore_reaches_nobody() {
    let folder = place("nohup");
    let command = format!(
        "trap '' HUP; exec {} -n 1 sh -c 'echo $$ >{}/0; sleep 0.5; echo survived'",
        env!("CARGO_BIN_EXE_dvmrun"),
        folder.display()
    );
    let job = Job::start(std::process::Command::new("sh").args(["-c", &command]));
    pid(&folder, "0");
    job.signal(1);
    let ended = job.end();
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "survived\n"));
}

#[test]
fn ends_are_seen_where_the_caller_ignores_its_children() {
    // A shell does not ignore them; perl, which every Debian has, can.
    let mut command = std::process::Command::new("perl");
    let line = "$SIG{CHLD} = 'IGNORE'; exec @ARGV";
    command.args(["-e", line, env!("CARGO_BIN_EXE_dvmrun"), "-n", "2", "sh", "-c", "exit 9"]);
    assert_eq!(Job::start(&mut command).end().code, Some(9));
}

#[test]
fn a_job_stops_and_goes_on() {
    let folder = place("stop");
    // Without processes of its own: a shell that waits for one to begin is not seen to stop.
    let script = format!("echo $$ >{0}/$DVM_PROCESS; while [ ! -e {0}/go ]; do :; done", folder.display());
    let job = Job::start(dvmrun(&["-n", "2"]).args(["sh", "-c", &script]));
    let all = [pid(&folder, "0"), pid(&folder, "1"), job.pid()];
    job.signal(20);
    wait_until("all stop", || all.iter().all(|&pid| state(pid) == Some('T')));
    job.signal(18);
    wait_until("all go on", || all.iter().all(|&pid| state(pid).is_some_and(|state| state != 'T')));
    fs::write(folder.join("go"), "").unwrap();
    assert_eq!(job.end().code, Some(0));
}

#[test]
fn the_first_process_gets_the_input() {
    let script = "read line; echo $DVM_PROCESS $line";
    let mut command = dvmrun(&["-n", "3"]);
    let ended = Job::start_with_input(command.args(["sh", "-c", script]), b"to the first\n").end();
    let mut lines: Vec<_> = ended.out.lines().map(str::trim).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["0 to the first", "1", "2"]);
}

/// `script` gives its program a terminal.
#[test]
fn the_first_process_gets_what_is_typed() {
    let line = format!("{} -n 2 sh -c 'read line; echo $DVM_PROCESS got $line'", env!("CARGO_BIN_EXE_dvmrun"));
    let mut command = std::process::Command::new("script");
    let ended = Job::start_with_input(command.args(["-qec", &line, "/dev/null"]), b"typed\n").end();
    assert!(ended.out.contains("0 got typed") && ended.out.contains("1 got\r"), "{}", ended.out);
    assert_eq!(ended.code, Some(0));
}

#[test]
fn lines_are_labelled() {
    let script = "echo one; echo two >&2; printf no-end; [ $DVM_PROCESS = 0 ] && sleep 0.1; exit 0";
    let ended = Job::start(dvmrun(&["-n", "2", "--label"]).args(["sh", "-c", script])).end();
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&ended.out), ["[0] no-end", "[0] one", "[1] no-end", "[1] one"]);
    assert_eq!(sorted(&ended.err), ["[0] two", "[1] two"]);
    // A pipe that something else keeps open does not keep dvmrun.
    let ended = Job::start(dvmrun(&["-n", "1", "-l"]).args(["sh", "-c", "sleep 3 & echo on; exit 5"])).end();
    assert_eq!((ended.code, ended.out.as_str()), (Some(5), "[0] on\n"));
}

#[test]
fn a_reader_that_stops_early_ends_the_writers() {
    let line = format!("{} -n 2 --label yes 2>/dev/null | head -n 3", env!("CARGO_BIN_EXE_dvmrun"));
    let ended = Job::start(std::process::Command::new("sh").args(["-c", &line])).end();
    assert_eq!(ended.out.lines().count(), 3);
}

#[test]
fn nothing_survives_dvmrun() {
    let folder = place("orphans");
    let script =
        format!("sleep 300 & echo $! >{0}/below$DVM_PROCESS; echo $$ >{0}/$DVM_PROCESS; wait", folder.display());
    let job = Job::start(dvmrun(&["-n", "2"]).args(["sh", "-c", &script]));
    let all = ["0", "1", "below0", "below1"].map(|name| pid(&folder, name));
    assert!(all.iter().all(|&pid| state(pid).is_some()));
    job.signal(9);
    wait_until("all are gone", || all.iter().all(|&pid| state(pid).is_none_or(|state| state == 'Z')));
    assert_eq!(job.end().code, None);
}

/// A shell that ends at once when it is told to, and what it has started, which does not.
#[test]
fn what_is_left_of_an_ended_process_has_its_time_and_is_killed() {
    let script = "[ $DVM_PROCESS = 0 ] && { sleep 0.3; exit 3; }; sh -c \"trap 'sleep 0.3; echo in time; exit' TERM; echo ready; \
        while :; do sleep 0.01; done\"; :";
    let (code, lines) = run(&["-n", "2"], script);
    assert_eq!((code, lines), (Some(3), vec!["in time".to_owned(), "ready".to_owned()]));
    let script = "[ $DVM_PROCESS = 0 ] && { sleep 0.3; exit 3; }; sh -c \"trap '' TERM; exec sleep 300\"; :";
    assert_eq!(run(&["-n", "2", "--grace", "0.2"], script).0, Some(3));
}

#[test]
fn what_a_failed_process_has_started_ends_as_well() {
    let folder = place("helpers");
    let script = format!(
        "[ $DVM_PROCESS = 1 ] && {{ sleep 300 & echo $! >{0}/below; exit 6; }}; sleep 300 & echo $! >{0}/other; wait",
        folder.display()
    );
    let job = Job::start(dvmrun(&["-n", "2"]).args(["sh", "-c", &script]));
    let below = pid(&folder, "below");
    assert_eq!(job.end().code, Some(6));
    wait_until("it is gone", || state(below).is_none_or(|state| state == 'Z'));
}

#[test]
fn many_processes_run() {
    let started = std::time::Instant::now();
    let ended = Job::start(dvmrun(&["-n", "64"]).args(["sh", "-c", "echo $DVM_PROCESS"])).end();
    assert_eq!((ended.code, ended.out.lines().count()), (Some(0), 64), "{}", ended.err);
    assert!(started.elapsed() < Duration::from_mins(1));
}

#[test]
fn help_names_every_option_and_code() {
    let help = Job::start(&mut dvmrun(&["--help"])).end();
    for part in ["-n", "--label", "--timeout", "--grace", "--keep-going", "124", "125", "126", "127", "Examples"] {
        assert!(help.out.contains(part), "{part}: {}", help.out);
    }
}
