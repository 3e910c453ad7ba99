//! The option `--explain` of the two compiler commands.

/// The code after `--explain`, which stands alone; an empty one means all codes.
pub fn explained(words: &[String]) -> Option<&str> {
    match words {
        [word] => {
            word.strip_prefix("--explain").filter(|rest| rest.is_empty()).or_else(|| word.strip_prefix("--explain="))
        }
        [word, code] if word == "--explain" => Some(code),
        _ => None,
    }
}
