//! Redistributions run in a process with limits, and its end is told.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The process with limits that a process of ours started, and its arguments.
fn held(of: u32) -> Option<u32> {
    let one = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent: u32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        // The shell that sets the limits has these words too, as the arguments of a script.
        let ours = command.split('\0').skip(1).take(2).eq(["--dvm-program=dvm-codegen", "--dvm-held"]);
        (parent == of && ours).then_some(pid)
    };
    let mut all = std::fs::read_dir("/proc").expect("proc").flatten();
    all.find_map(|entry| one(entry.file_name().to_str()?.parse().ok()?))
}

#[test]
fn a_redistribution_that_takes_too_much_is_ended_and_told() {
    let folder = testkit::scratch(&[]);
    // A file that nobody writes: the command waits for its text.
    assert!(Command::new("mkfifo").arg(folder.join("cases.json")).status().expect("mkfifo runs").success());
    for arguments in ["plan cases.json", "c cases.json", "draw cases.json --case any"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
        command.arg("redist").args(arguments.split(' ')).args(["--out", "out"]);
        let child = command.current_dir(&folder).stderr(Stdio::piped()).spawn().expect("it runs");
        let begin = Instant::now();
        let pid = loop {
            match held(child.id()) {
                Some(pid) => break pid,
                None if begin.elapsed().as_secs() < 100 => std::thread::sleep(Duration::from_millis(5)),
                None => panic!("redist {arguments}: no process with limits"),
            }
        };
        let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).expect("its limits");
        let limit = |name: &str| {
            let line = limits.lines().find(|line| line.starts_with(name)).expect("the limit");
            line[name.len()..].split_whitespace().next().and_then(|word| word.parse::<u64>().ok())
        };
        assert!(limit("Max cpu time").is_some_and(|s| s <= 15), "{limits}");
        assert!(limit("Max address space").is_some_and(|bytes| bytes <= 3 << 30), "{limits}");
        // As the system does when the time is over.
        assert!(Command::new("/bin/sh").args(["-c", &format!("kill -XCPU {pid}")]).status().expect("sh").success());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{said}");
        assert!(said.contains("the redistributions take more than 15 s or 2 GB; divide the file"), "{said}");
        assert!(!folder.join("out").exists());
    }
}
