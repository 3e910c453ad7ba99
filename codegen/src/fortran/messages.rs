//! Messages about the C text of a region, in words of the source.

use std::collections::BTreeMap;

/// A message with lines of the source, `line 7` and `lines 7 to 9`, and with its names: `names` has those of C.
pub fn in_fortran(message: &str, lines: &[u32], names: &BTreeMap<String, String>) -> String {
    with_names(&with_lines(&without_elements(message), lines), names)
}

/// A message without the parts of the text that it quotes, ` [f[i - 1]]`, where they have elements of arrays as C writes them: the
/// lines say which they are.
fn without_elements(message: &str) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some(begin) = rest.find(" [") {
        let (mut depth, mut deepest) = (0, 0);
        let end = rest[begin..].find(|letter| {
            depth += i32::from(letter == '[') - i32::from(letter == ']');
            deepest = deepest.max(depth);
            depth == 0 && letter == ']'
        });
        let end = end.map_or(rest.len(), |end| begin + end + 1);
        text.push_str(if deepest > 1 { &rest[..begin] } else { &rest[..end] });
        rest = &rest[end..];
    }
    text + rest
}

fn with_lines(message: &str, lines: &[u32]) -> String {
    let mut words: Vec<String> = message.split(' ').map(str::to_owned).collect();
    for at in 1..words.len() {
        let after = words[at - 1] == "line"
            || words[at - 1] == "lines"
            || at > 2 && words[at - 1] == "to" && words[at - 3] == "lines";
        let digits = words[at].bytes().take_while(u8::is_ascii_digit).count();
        let line = words[at][..digits].parse::<usize>().ok().filter(|_| after);
        if let Some(line) = line.and_then(|line| lines.get(line.checked_sub(1)?)) {
            words[at] = format!("{line}{}", &words[at][digits..]);
        }
    }
    words.join(" ")
}

fn with_names(message: &str, names: &BTreeMap<String, String>) -> String {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (mut text, mut rest) = (String::new(), message);
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|letter| is_of_name(letter) != is_of_name(first)).unwrap_or(rest.len());
        text.push_str(names.get(&rest[..word]).map_or(&rest[..word], String::as_str));
        rest = &rest[word..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_lines_of_the_source() {
        let lines = [10, 20, 30];
        assert_eq!(with_lines("line 2 needs what line 3, then", &lines), "line 20 needs what line 30, then");
        assert_eq!(with_lines("2 of line 9", &lines), "2 of line 9");
    }

    #[test]
    fn messages_have_no_elements_of_c() {
        let said = "it is not known: this depends on data [f[i - 1] - 1], here [j - 1] [DVM102]";
        assert_eq!(without_elements(said), "it is not known: this depends on data, here [j - 1] [DVM102]");
        assert_eq!(without_elements("a [open"), "a [open");
    }

    #[test]
    fn messages_have_names_of_the_source() {
        let names = [("_l2_u", "lbound(u,2)"), ("_double", "double")].map(|(c, name)| (c.to_owned(), name.to_owned()));
        let found = with_names("[j - _l2_u] of `_double`, not _l2_u2: \u{e9}_double", &names.into());
        assert_eq!(found, "[j - lbound(u,2)] of `double`, not _l2_u2: \u{e9}double");
    }
}
