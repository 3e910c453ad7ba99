//! Which lines of a file with conditions of the preprocessor are compiled.

use std::collections::BTreeSet;

/// Lines of `file` that stand in a preprocessed text with line markers; those without text are left out.
fn kept_lines(preprocessed: &str, file: &str) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    let (mut line, mut is_own) = (1, false);
    for text in preprocessed.lines() {
        if let Some((number, name)) = text.strip_prefix("# ").and_then(|rest| rest.split_once(' '))
            && let Ok(number) = number.parse()
        {
            line = number;
            is_own = name.strip_prefix('"').and_then(|name| name.split('"').next()) == Some(file);
            continue;
        }
        if is_own && !text.trim().is_empty() {
            kept.insert(line);
        }
        line += 1;
    }
    kept
}

/// The text with blank lines where the preprocessor takes lines out, and in place of its conditions; lines keep their
/// numbers. Other lines of the preprocessor stay.
pub fn active_text(text: &str, preprocessed: &str, file: &str) -> String {
    let kept = kept_lines(preprocessed, file);
    let directive = |line: &str| {
        let word = line.strip_prefix('#')?.trim_start();
        Some(word.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_owned())
    };
    let mut all = String::new();
    for (line, at) in text.lines().zip(1_usize..) {
        let is_kept = match directive(line).as_deref() {
            Some("if" | "ifdef" | "ifndef" | "else" | "elif" | "endif") => false,
            // Whether it is read is not told: it stays, and is refused where a region has it.
            Some(_) => true,
            None => kept.contains(&at),
        };
        all.push_str(if is_kept { line } else { "" });
        all.push('\n');
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_take_lines_out() {
        let text = "a\n#ifdef X\nb\n#else\nc\n#endif\n#include \"d\"\ne\n";
        let preprocessed = "# 1 \"/x/in.F90\"\n# 1 \"<built-in>\"\n#define no\n# 1 \"/x/in.F90\"\na\n\n\n\nc\n\n# 1 \"d\" 1\nq\n# 8 \"/x/in.F90\" 2\ne\n";
        assert_eq!(active_text(text, preprocessed, "/x/in.F90"), "a\n\n\n\nc\n\n#include \"d\"\ne\n");
    }
}
