//! Finds and runs the real compiler.

use crate::limits;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

/// Commands that led to this process, one per line: dvmcc may run a wrapper that itself runs dvmcc.
const CALLED: &str = "DVMCC_CALLED";

/// The command of the real compiler.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// The words of the command.
    pub words: Vec<String>,
    called: String,
}

impl Compiler {
    /// The first of `DVM_CC`, `CC` unless it is this program, and `cc` that did not lead here.
    pub fn find() -> Result<Compiler, String> {
        let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let own = words(&std::env::var("DVM_CC").unwrap_or_default());
        if own.iter().any(|w| is_this_program(w)) {
            return Err("DVM_CC names dvmcc itself; set it to the real compiler, e.g. DVM_CC=gcc".to_owned());
        }
        let mut user = words(&std::env::var("CC").unwrap_or_default());
        if user.iter().any(|w| is_this_program(w)) {
            user.clear();
        }
        let called = std::env::var(CALLED).unwrap_or_default();
        let leads_here = |words: &[String]| called.lines().any(|line| line == words.join(" "));
        let mut all = [own, user, vec!["cc".to_owned()]].into_iter().filter(|words| !words.is_empty());
        match all.find(|words| !leads_here(words)) {
            Some(words) => Ok(Compiler { words, called }),
            None => Err(format!(
                "the compiler runs dvmcc again ({}); set DVM_CC to the real compiler, e.g. DVM_CC=gcc",
                called.lines().collect::<Vec<_>>().join(", ")
            )),
        }
    }

    /// Whether a compiler run by dvmcc called this process: the sources are already transformed.
    pub fn is_inner(&self) -> bool {
        !self.called.is_empty()
    }

    fn command(&self, mut command: Command, words: &[OsString]) -> Command {
        command.args(&self.words[1..]).args(words);
        command.env(CALLED, format!("{}{}\n", self.called, self.words.join(" ")));
        command
    }

    /// Runs the compiler; `piped` is its standard input.
    pub fn execute(&self, words: &[OsString], piped: Option<&[u8]>) -> Result<i32, String> {
        let mut child = self.start(words, piped, Stdio::inherit())?;
        self.ended(child.wait())
    }

    /// The same, with what the compiler writes to its standard output.
    pub fn execute_captured(&self, words: &[OsString], piped: Option<&[u8]>) -> Result<(i32, Vec<u8>), String> {
        let output = self.start(words, piped, Stdio::piped())?.wait_with_output().map_err(|e| self.cannot(&e))?;
        Ok((self.ended(Ok(output.status))?, output.stdout))
    }

    fn start(&self, words: &[OsString], piped: Option<&[u8]>, output: Stdio) -> Result<Child, String> {
        let mut command = self.command(Command::new(&self.words[0]), words);
        if piped.is_some() {
            command.stdin(Stdio::piped());
        }
        let mut child = command.stdout(output).spawn().map_err(|e| self.cannot(&e))?;
        if let (Some(mut input), Some(text)) = (child.stdin.take(), piped.map(<[u8]>::to_vec)) {
            // If a compiler stops reading early, its messages say why.
            std::thread::spawn(move || input.write_all(&text));
        }
        Ok(child)
    }

    fn ended(&self, status: std::io::Result<ExitStatus>) -> Result<i32, String> {
        use std::os::unix::process::ExitStatusExt;
        let status = status.map_err(|e| self.cannot(&e))?;
        Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(1)))
    }

    fn cannot(&self, error: &std::io::Error) -> String {
        format!("cannot run the compiler `{}`: {error}; set CC or DVM_CC to a C compiler", self.words[0])
    }

    /// Runs the compiler without showing its standard output.
    pub fn execute_quietly(&self, words: &[OsString]) -> Result<i32, String> {
        self.ended(self.command(Command::new(&self.words[0]), words).stdout(Stdio::null()).status())
    }

    /// The compiler's answer on both its outputs; `None` if it fails.
    pub fn ask(&self, words: &[&str]) -> Option<(String, String)> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let held = limits::held(&self.words[0], limits::QUESTION, limits::MEMORY);
        let mut command = self.command(held, &words);
        let written = limits::run(command.env("LC_ALL", "C").stdin(Stdio::null()), limits::ANSWER, drop).ok()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        written.status.success().then_some((text(&written.output?), text(&written.messages)))
    }
}

impl Compiler {
    /// What the compiler's preprocessor makes of a file, or of a text on its standard input; `None` if it fails.
    pub fn preprocess(&self, words: &[OsString], text: Option<&[u8]>) -> Option<Vec<u8>> {
        let held = limits::held(&self.words[0], limits::PREPROCESSOR, limits::MEMORY);
        let mut command = self.command(held, words);
        command.env("LC_ALL", "C").stdin(if text.is_some() { Stdio::piped() } else { Stdio::null() });
        let written = limits::run(&mut command, limits::TEXT, |input| {
            // If it stops reading early, its exit status says so.
            let _ = input.map(|mut input| input.write_all(text.unwrap_or_default()));
        });
        let written = written.ok()?;
        if written.status.success() { written.output } else { None }
    }
}

fn is_this_program(word: &str) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default();
    let same = || {
        let this = std::env::current_exe().and_then(std::fs::canonicalize).ok()?;
        Some(std::fs::canonicalize(word).ok()? == this)
    };
    name == "dvmcc" || same().unwrap_or(false)
}
