//! Asks the real compiler what its command line does not show: a wrapper's folders and macros, the system's folders,
//! and macros defined by its options. Clang gets these as flags, so that it reads the text that will be compiled.

use super::compiler::Compiler;
use super::invocation::{Invocation, Part, reading_flags};
use crate::limits;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Stdio;

/// Clang's flags for reading an invocation's sources, or why clang cannot read them as the compiler does.
pub fn flags(compiler: &Compiler, invocation: &Invocation) -> Result<Vec<String>, String> {
    let own = Invocation::parse(&compiler.words[1..]).map(|i| i.reading_flags()).unwrap_or_default();
    let mut flags = own;
    flags.extend(invocation.reading_flags());
    flags.extend(of_wrapper(compiler));
    let asked = query_flags(invocation);
    let words: Vec<&str> =
        asked.iter().map(String::as_str).chain(["-E", "-v", "-dM", "-x", "c", "/dev/null"]).collect();
    let Some((defined, verbose)) = compiler.ask(&words) else { return Ok(flags) };
    let defined = macros(&defined);
    if let Some(why) = crate::frontend::difference(&flags, &defined) {
        return Err(why);
    }
    let listed = searched(&verbose);
    let known: HashSet<String> = clang_folders(&flags).into_iter().map(|f| plain(&f)).collect();
    let builtin = listed.iter().position(|f| Path::new(f).join("stddef.h").is_file() && !f.ends_with("/usr/include"));
    for (at, folder) in listed.iter().enumerate().filter(|(_, f)| !known.contains(&plain(f))) {
        // Folders before the compiler's own come from a wrapper. The compiler's own headers are the last resort.
        let how = if builtin.is_some_and(|b| at < b) { "-isystem" } else { "-idirafter" };
        flags.extend([how.to_owned(), folder.clone()]);
    }
    let bare = compiler.ask(&["-E", "-dM", "-x", "c", "/dev/null"]).map(|(text, _)| macros(&text)).unwrap_or_default();
    let mut more: Vec<(String, String)> = defined.into_iter().filter(|(n, v)| is_news(n, v, &bare)).collect();
    more.sort();
    flags.extend(more.into_iter().map(|(name, value)| format!("-D{name}={value}")));
    // For gcc, clang does not call itself clang.
    flags.extend(bare.contains_key(CLANG).then(|| format!("-D{CLANG}=1")));
    Ok(flags)
}

/// The macro by which programs recognise clang.
const CLANG: &str = "__clang__";

/// Whether a macro comes from an option or a wrapper. Clang defines the standard ones itself.
fn is_news(name: &str, value: &str, bare: &HashMap<String, String>) -> bool {
    let reserved = name.starts_with("__")
        || name.strip_prefix('_').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let usual = matches!(name, "linux" | "unix" | "i386") || name.starts_with("__STDC") || name.starts_with("__GNUC_");
    !usual && (!reserved || bare.get(name).is_none_or(|former| former != value))
}

/// Options that affect predefined macros and header folders.
pub fn query_flags(invocation: &Invocation) -> Vec<String> {
    const OTHERS: [&str; 8] = ["-c", "-S", "-E", "-fsyntax-only", "-w", "-v", "-save-temps", "-###"];
    const ARGUED: [&str; 6] = ["-I", "-D", "-U", "-isystem", "-idirafter", "-Xpreprocessor"];
    let options = invocation.parts.iter().filter_map(|p| if let Part::Option(w) = p { Some(w) } else { None });
    options
        .filter(|w| match w.as_slice() {
            [one] => {
                let about_output =
                    ["-W", "-l", "-L", "-o", "-x", "-g", "-fdump", "-save-temps", "-pipe", "-static", "-shared"];
                let passed = one.starts_with("-Wp,");
                !OTHERS.contains(&one.as_str()) && (passed || !about_output.iter().any(|o| one.starts_with(o)))
            }
            [first, ..] => {
                ARGUED.contains(&first.as_str()) || first == "-iquote" || first == "-target" || first == "-isysroot"
            }
            [] => false,
        })
        .flatten()
        .cloned()
        .collect()
}

/// The flags that a wrapper adds for compiling; the question is that of MPI's wrappers.
fn of_wrapper(compiler: &Compiler) -> Vec<String> {
    if is_plain(&compiler.words) {
        return vec![];
    }
    for (question, leading) in
        [("-showme:compile", false), ("-compile_info", true), ("-compile-info", true), ("-show", true)]
    {
        let Some((answer, _)) = compiler.ask(&[question]) else { continue };
        let words = super::invocation::split(answer.lines().next().unwrap_or_default());
        let words = if leading { words.get(1..).unwrap_or_default() } else { &words };
        if words.first().is_some_and(|w| w.starts_with('-')) {
            let parsed = Invocation::parse(words).map(|i| i.parts).unwrap_or_default();
            let options = parsed.iter().filter_map(|p| if let Part::Option(w) = p { Some(w) } else { None });
            return reading_flags(options);
        }
    }
    vec![]
}

/// Whether a command's name is that of a compiler, not of a wrapper.
fn is_plain(words: &[String]) -> bool {
    let name = Path::new(&words[0]).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let last = base.rsplit('-').next().unwrap_or_default();
    matches!(last, "cc" | "gcc" | "clang" | "c99" | "c89" | "g++" | "c++" | "clang++" | "tcc")
}

/// The folders that a compiler lists under `-v`, in its order.
fn searched(verbose: &str) -> Vec<String> {
    let from = verbose.lines().skip_while(|l| !l.starts_with("#include <...> search starts here"));
    from.skip(1).take_while(|l| l.starts_with(' ')).map(|l| l.trim().to_owned()).collect()
}

fn clang_folders(flags: &[String]) -> Vec<String> {
    let mut held = limits::held(&crate::frontend::command(), limits::QUESTION, limits::MEMORY);
    held.args(flags).args(["-E", "-v", "-x", "c", "/dev/null"]).env("LC_ALL", "C").stdin(Stdio::null());
    let written = limits::run(&mut held, limits::ANSWER, drop);
    written.map(|written| searched(&String::from_utf8_lossy(&written.messages))).unwrap_or_default()
}

fn plain(folder: &str) -> String {
    std::fs::canonicalize(folder).map_or_else(|_| folder.to_owned(), |p| p.display().to_string())
}

/// Names, with parameters, and bodies of `#define` lines.
fn macros(text: &str) -> HashMap<String, String> {
    let one = |line: &str| {
        let rest = line.strip_prefix("#define ")?;
        let name = rest.find(['(', ' ']).unwrap_or(rest.len());
        let end = if rest[name..].starts_with('(') { name + rest[name..].find(')')? + 1 } else { name };
        Some((rest[..end].to_owned(), rest[end..].trim_start().to_owned()))
    };
    text.lines().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_are_told_from_compilers() {
        let plain = |word: &str| is_plain(&[word.to_owned()]);
        for word in ["cc", "gcc", "/usr/bin/gcc-12", "x86_64-linux-gnu-gcc", "clang-19", "aarch64-linux-gnu-gcc-9.2"] {
            assert!(plain(word), "{word}");
        }
        for word in ["mpicc", "/opt/mpi/bin/mpiicc", "ccache", "h5pcc", "wrapper"] {
            assert!(!plain(word), "{word}");
        }
    }

    #[test]
    fn lists_of_folders_and_macros_are_read() {
        let text =
            "x\n#include \"...\" search starts here:\n q\n#include <...> search starts here:\n /a\n /b c\nEnd\n /d\n";
        assert_eq!(searched(text), ["/a", "/b c"]);
        let all = macros("#define A 1\n#define F(x, y) x + y\n#define E\n");
        assert_eq!((all["A"].as_str(), all["F(x, y)"].as_str(), all["E"].as_str()), ("1", "x + y", ""));
    }
}
