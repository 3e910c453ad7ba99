//! Heads of constructs, and their names, as in `rows: do i = 1, n` and `end do rows`: the statements mean the same without
//! the names.

/// What ends a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopEnd {
    EndDo,
    EndWhere,
    Label(u32),
}

/// What ends the loop that a statement begins, if it begins one.
pub fn loop_end(text: &str) -> Option<LoopEnd> {
    let rest = text.strip_prefix("do ")?.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let label: Option<u32> = rest[..digits].parse().ok();
    let head = rest[digits..].trim_start().trim_start_matches(',');
    let is_other = head.starts_with("while") || head.starts_with("concurrent");
    (head.contains('=') && !head.contains("==") || is_other).then_some(label.map_or(LoopEnd::EndDo, LoopEnd::Label))
}

/// The head of a loop of fixed form, where blanks do not count, with blanks behind its words: `do 20 i=1,n` of `do20i=1,n`. Only a loop has
/// a comma outside of parentheses behind the sign.
pub fn with_blanks(text: &str) -> Option<String> {
    if !text.starts_with('d') || loop_end(text).is_some() || text.contains(['\'', '"']) {
        return None;
    }
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (head, range) = bare.strip_prefix("do")?.split_once('=')?;
    let name = head.trim_start_matches(|c: char| c.is_ascii_digit());
    let label = &head[..head.len() - name.len()];
    let name = if label.is_empty() { name } else { name.trim_start_matches(',') };
    let mut depth = 0_i32;
    let is_range = range.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    let between = if label.is_empty() { "" } else { " " };
    (is_name(name) && is_range).then(|| format!("do {label}{between}{name}={range}"))
}

/// Takes the names of loops and of `if (...) then` out of statements, and of a `cycle` and an `exit` of a loop around: flang's text
/// tells where they lead. A name that is not the one of such a construct stays, and is refused where a region has it.
/// Each statement is a label and a text.
pub fn take_out<'s>(statements: impl Iterator<Item = (Option<u32>, &'s mut String)>) {
    let mut loops: Vec<(LoopEnd, Option<String>)> = Vec::new();
    let mut branches: Vec<Option<String>> = Vec::new();
    for (label, text) in statements {
        let (name, rest) = named(text);
        if let Some(end) = loop_end(rest).or((rest == "do").then_some(LoopEnd::EndDo)) {
            loops.push((end, name.map(str::to_owned)));
        } else if is_branch(rest) {
            branches.push(name.map(str::to_owned));
        } else {
            let of_loop = loops.last().and_then(|(_, name)| name.as_deref());
            let around = |name: &str| loops.iter().any(|(_, of)| of.as_deref() == Some(name));
            let of_branch = branches.last().and_then(Option::as_deref);
            if let Some(without) = closed(text, of_loop, of_branch, &around) {
                *text = without;
            }
            match text.as_str() {
                "end do" | "enddo" if loops.last().is_some_and(|(end, _)| *end == LoopEnd::EndDo) => {
                    loops.pop();
                }
                "end if" | "endif" | "end select" | "endselect" => {
                    branches.pop();
                }
                _ => {}
            }
            let ends_here = |loops: &[(LoopEnd, Option<String>)]| {
                label.is_some_and(|label| loops.last().is_some_and(|(end, _)| *end == LoopEnd::Label(label)))
            };
            while ends_here(&loops) {
                loops.pop();
            }
            continue;
        }
        *text = rest.to_owned();
    }
}

/// The name before a construct that may have one, and the rest of the text.
fn named(text: &str) -> (Option<&str>, &str) {
    let Some((name, rest)) = text.split_once(':') else { return (None, text) };
    let (name, rest) = (name.trim_end(), rest.trim_start());
    let begins = loop_end(rest).is_some() || rest == "do" || is_branch(rest);
    if begins && is_name(name) { (Some(name), rest) } else { (None, text) }
}

/// Whether a statement begins a `select case`.
pub fn is_select(text: &str) -> bool {
    let rest = text.strip_prefix("select").map(str::trim_start).and_then(|rest| rest.strip_prefix("case"));
    rest.is_some_and(|rest| rest.trim_start().starts_with('('))
}

/// Whether a statement begins branches: `if (...) then` or `select case (...)`.
fn is_branch(text: &str) -> bool {
    if is_select(text) {
        return true;
    }
    let inside = text.strip_prefix("if").map_or("", str::trim_start);
    inside.starts_with('(') && inside.strip_suffix("then").is_some_and(|rest| rest.trim_end().ends_with(')'))
}

/// The statement without a name behind it, if that is the name of the loop or the branches around.
fn closed(text: &str, of_loop: Option<&str>, of_branch: Option<&str>, around: &dyn Fn(&str) -> bool) -> Option<String> {
    let (before, name) = text.rsplit_once(' ')?;
    let before = before.trim_end();
    if of_loop == Some(name) && ["end do", "enddo"].contains(&before) {
        return Some(before.to_owned());
    }
    let conditional = before.starts_with("else") && before.ends_with("then") || before == "else";
    let rest = before.strip_suffix("cycle").or_else(|| before.strip_suffix("exit")).map(str::trim_end);
    let leaves =
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("if") && rest.ends_with(')')) && around(name);
    let conditional = conditional || before.starts_with("case") && before.ends_with(')') || before == "case default";
    let ends = ["end if", "endif", "end select", "endselect"].contains(&before);
    let ends = of_branch == Some(name) && (conditional || ends);
    (leaves || ends).then(|| before.to_owned())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use crate::fortran::statements::{FIXED, SourceForm, statements};

    fn texts(text: &str, form: SourceForm) -> Vec<String> {
        statements(text, form).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn names_of_loops_and_branches_are_taken_out() {
        let text = "rows: do j = 1, n\nright :do i = 1, n\nif (a(i) > 2) cycle right\nif (b) exit rows\n\
                    which: if (c) then\nx = 1\nelse if (d) then which\nx = 2\nelse which\nx = 3\nend if which\n\
                    end do right\ncycle rows\nenddo rows\n";
        let expected = [
            "do j = 1, n",
            "do i = 1, n",
            "if (a(i) > 2) cycle",
            "if (b) exit",
            "if (c) then",
            "x = 1",
            "else if (d) then",
            "x = 2",
            "else",
            "x = 3",
            "end if",
            "end do",
            "cycle",
            "enddo",
        ];
        assert_eq!(texts(text, SourceForm::Free), expected);
    }

    #[test]
    fn names_that_are_not_those_around_stay() {
        for text in [
            "a: do i = 1, n\nexit a\nend do b\n",
            "a: do i = 1, n\ndo j = 1, n\ncycle b\n",
            "a: do i = 1, n\nb: do\nexit c\n",
            "x(1:2) = 3\nreal :: do\n",
        ] {
            let last = texts(text, SourceForm::Free);
            assert_eq!(last.last().unwrap(), text.lines().last().unwrap());
        }
        // Loops of other kinds and with labels are loops as well.
        let text =
            "a: do i = 1, n\ndo while (b)\ncycle a\nend do\ndo 10 j = 1, n\ncycle a\n10 continue\ncycle a\nend do a\n";
        let expected = [
            "do i = 1, n",
            "do while (b)",
            "cycle",
            "end do",
            "do 10 j = 1, n",
            "cycle",
            "continue",
            "cycle",
            "end do",
        ];
        assert_eq!(texts(text, SourceForm::Free), expected);
        let fixed = "      DO20I=1,N\n      D O I=1,M(2,3)\n   20 CONTINUE\n      DO20I=1.5\n      DOI=M(1,2)\n      DO 3,J=1,2\n";
        let expected = ["do 20 i=1,n", "do i=1,m(2,3)", "continue", "do20i=1.5", "doi=m(1,2)", "do 3,j=1,2"];
        assert_eq!(texts(fixed, FIXED), expected);
        assert_eq!(texts("do20i=1,n\n", SourceForm::Free), ["do20i=1,n"]);
        let fixed = "      A: DO 10 I = 1, N\n      CYCLE A\n   10 CONTINUE\n";
        assert_eq!(texts(fixed, FIXED), ["do 10 i = 1, n", "cycle", "continue"]);
    }
}
