//! Commands that are interrupted, that nobody listens to, or that find no room.

mod place;
mod prefix;

use place::{run, said};
use prefix::dvmcc;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const APP: &str = "double a[99];\nint f(int n)\n{\n#pragma dvm region\n  for (int i = 0; i < 99; i++)\n    a[i] = i;\n\
                   #pragma dvm region\n  while (n > 0)\n    n--;\n  return n;\n}\n";

/// Waits until something is so.
fn until(what: &str, so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !so() {
        assert!(begin.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path()).collect()
}

/// Whatever signal ends the command, also one that no program can take, its files go.
#[test]
fn nothing_stays_behind_after_a_signal() {
    let script = "#!/bin/sh\ncase \"$*\" in *dvmcc-*) echo > \"$WAITS\"; exec sleep 60;; esac\nexec gcc \"$@\"\n";
    let folder = testkit::scratch(&[("app.c", APP), ("slow", script)]);
    let temporary = folder.join("tmp");
    std::fs::create_dir(&temporary).expect("a folder");
    for signal in ["INT", "TERM", "HUP", "KILL"] {
        let waits = folder.join(format!("waits-{signal}"));
        // The driver of the tests may have been told to ignore signals, and dvmcc heeds that.
        let own = dvmcc();
        let mut command = Command::new("env");
        command.arg("--default-signal").arg(own.get_program());
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(&folder).env("TMPDIR", &temporary).env("WAITS", &waits).env("DVM_CC", folder.join("slow"));
        let mut child = command.args(["-Wno-dvm", "-c", "app.c"]).spawn().expect("dvmcc runs");
        until("the compiler runs", || waits.is_file());
        let made = entries(&temporary);
        assert_eq!(made.len(), 1, "{signal}: {made:?}");
        let link = Path::new("/tmp").join(made[0].file_name().expect("a name"));
        let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        assert!(!child.wait().expect("dvmcc ends").success());
        until("the folder goes", || entries(&temporary).is_empty() && link.symlink_metadata().is_err());
    }
}

#[test]
fn messages_that_nobody_takes_change_nothing() {
    let folder = testkit::scratch(&[("app.c", APP)]);
    let full = || File::options().write(true).open("/dev/full").expect("the device");
    for (options, code) in [("-c app.c", 0), ("-c --show app.c", 0), ("-c app.c --dvm-strict", 1), ("-c app.c -o", 1)] {
        let mut command = dvmcc();
        let status = command.current_dir(&folder).args(options.split(' ')).stderr(full()).status();
        assert_eq!(status.expect("dvmcc runs").code(), Some(code), "{options}");
    }
    let status = dvmcc().arg("--help").stdout(full()).stderr(full()).status();
    assert_eq!(status.expect("dvmcc runs").code(), Some(1));
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let status = command.current_dir(&folder).args(["tile", "app.c"]).stdout(Stdio::null()).stderr(full()).status();
    assert_eq!(status.expect("dvm-codegen runs").code(), Some(0));
}

/// Without room for its files the command says so and what helps, and leaves nothing.
#[test]
fn a_full_temporary_folder_is_spoken_of() {
    let script = "mkdir small && mount -t tmpfs -o size=4k none small && head -c 4096 /dev/zero > small/fill || exit 77\n\
                  TMPDIR=$PWD/small \"$0\" -Wno-dvm -c app.c; code=$?; ls small >&2; exit $code";
    let folder = testkit::scratch(&[("app.c", APP)]);
    let own = dvmcc();
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script]).arg(own.get_program());
    command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.current_dir(&folder).output();
    let Some(output) = output.ok().filter(|o| matches!(o.status.code(), Some(1)) && !said(o).contains("unshare"))
    else {
        println!("not run: no file system can be mounted here");
        return;
    };
    let text = said(&output);
    assert!(text.contains("No space left on device") && text.contains("set TMPDIR to a folder with room"), "{text}");
    assert!(text.ends_with("fill\n") && !folder.join("app.o").exists(), "{text}");
}

/// The exit code is the compiler's, or 128 and the signal that ended it.
#[test]
fn exit_codes_are_the_compilers() {
    let folder =
        testkit::scratch(&[("app.c", APP), ("killed", "#!/bin/sh\nkill -9 $$\n"), ("seven", "#!/bin/sh\nexit 7\n")]);
    for (compiler, code) in [("killed", 137), ("seven", 7)] {
        let output = run(dvmcc().env("DVM_CC", folder.join(compiler)), &folder, "-Wno-dvm -c app.c");
        assert_eq!(output.status.code(), Some(code), "{compiler}");
    }
}
