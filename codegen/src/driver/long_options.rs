//! GNU's long names of options, each with its short option.

/// How an option takes its argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// `--long X` and `--long=X` are `-s X`.
    Word,
    /// They are `-sX`, and without `=` the argument may be the next word.
    Joined,
    /// `--long=X` is `-sX`, and `--long` is `-s`.
    Perhaps,
}

use Takes::{Joined, Nothing, Perhaps, Word};

/// The names that gcc and clang know and that say something about inputs, outputs or the reading of the text.
const LONG: [(&str, &str, Takes); 35] = [
    ("ansi", "-ansi", Nothing),
    ("assemble", "-S", Nothing),
    ("comments", "-C", Nothing),
    ("compile", "-c", Nothing),
    ("debug", "-g", Perhaps),
    ("define-macro", "-D", Joined),
    ("dependencies", "-M", Nothing),
    ("entry", "-e", Word),
    ("force-link", "-u", Word),
    ("imacros", "-imacros", Word),
    ("include", "-include", Word),
    ("include-directory", "-I", Word),
    ("include-directory-after", "-idirafter", Word),
    ("include-prefix", "-iprefix", Word),
    ("include-with-prefix", "-iwithprefix", Word),
    ("include-with-prefix-after", "-iwithprefix", Word),
    ("include-with-prefix-before", "-iwithprefixbefore", Word),
    ("language", "-x", Word),
    ("library-directory", "-L", Word),
    ("no-line-commands", "-P", Nothing),
    ("no-standard-includes", "-nostdinc", Nothing),
    ("no-warnings", "-w", Nothing),
    ("optimize", "-O", Perhaps),
    ("output", "-o", Word),
    ("prefix", "-B", Word),
    ("preprocess", "-E", Nothing),
    ("print-missing-file-dependencies", "-MG", Nothing),
    ("std", "-std=", Joined),
    ("sysroot", "--sysroot=", Joined),
    ("trigraphs", "-trigraphs", Nothing),
    ("undefine-macro", "-U", Joined),
    ("user-dependencies", "-MM", Nothing),
    ("verbose", "-v", Nothing),
    ("write-dependencies", "-MD", Nothing),
    ("write-user-dependencies", "-MMD", Nothing),
];

/// The words by which this program knows an option; other words stay as they are.
pub fn short(word: String, rest: &mut impl Iterator<Item = String>) -> Vec<String> {
    let Some(long) = word.strip_prefix("--") else { return vec![word] };
    let (name, given) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value.to_owned())));
    let Some((_, short, takes)) = LONG.iter().find(|(long, ..)| *long == name) else { return vec![word] };
    let mut argument = |given: Option<String>| given.or_else(|| rest.next());
    match takes {
        Nothing if given.is_some() => vec![word],
        Nothing => vec![(*short).to_owned()],
        Word => std::iter::once((*short).to_owned()).chain(argument(given)).collect(),
        Joined => vec![format!("{short}{}", argument(given).unwrap_or_default())],
        Perhaps => vec![format!("{short}{}", given.unwrap_or_default())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_become_short_ones() {
        for (line, words) in [
            ("--output=x", "-o x"),
            ("--output x", "-o x"),
            ("--define-macro A=1", "-DA=1"),
            ("--define-macro=A=1", "-DA=1"),
            ("--include-directory y", "-I y"),
            ("--std=c99", "-std=c99"),
            ("--std c99", "-std=c99"),
            ("--optimize=3", "-O3"),
            ("--debug", "-g"),
            ("--compile", "-c"),
            ("--coverage", "--coverage"),
            ("--param=x=1", "--param=x=1"),
            ("-o", "-o"),
        ] {
            let mut rest = line.split(' ').map(str::to_owned);
            let first = rest.next().unwrap();
            assert_eq!(short(first, &mut rest).join(" "), words, "{line}");
            assert_eq!(rest.next(), None, "{line}");
        }
    }
}
