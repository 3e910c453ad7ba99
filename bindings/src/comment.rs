//! Comments of the C headers, in the form that doxygen reads: what they say of a declaration, part by part.

/// What a comment says. Texts keep the line breaks of the comment.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Comment {
    /// What it does, in a sentence: `@brief`, or the first paragraph.
    pub brief: String,
    /// The rest of the prose.
    pub body: Vec<Paragraph>,
    /// `@param`: the parameters, in order.
    pub parameters: Vec<Described>,
    /// `@retval` and `@return`: what is returned. The name is empty for `@return`.
    pub results: Vec<Described>,
    /// The text after `Thread safety:`.
    pub thread_safety: String,
    /// The text after `Source:`: where the function comes from.
    pub source: String,
}

/// A part of prose.
#[derive(Debug, PartialEq, Eq)]
pub enum Paragraph {
    /// A heading, without its mark.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// An entry of a list, without its mark.
    Item(String),
    /// Lines that stay as they are.
    Code(String),
}

/// A name and what it is: a parameter, or a value that is returned.
#[derive(Debug, PartialEq, Eq)]
pub struct Described {
    /// The name.
    pub name: String,
    /// `in`, `out` or `in,out` of a parameter.
    pub direction: String,
    /// What it is.
    pub text: String,
}

/// Where the next line of a text goes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Nowhere yet: a paragraph begins.
    Fresh,
    Brief,
    Body,
    Parameter,
    Result,
    ThreadSafety,
    Source,
}

/// Marks of the ends of a text that stays as it is.
const VERBATIM: [(&str, &str); 3] = [("@code", "@endcode"), ("@verbatim", "@endverbatim"), ("```", "```")];

impl Comment {
    /// Reads a comment with its marks, from `/*` to `*/`.
    pub fn parse(text: &str) -> Result<Comment, String> {
        Comment::of_lines(&lines(text))
    }

    /// Reads the lines of a comment, without the marks at their beginnings.
    pub fn of_lines(lines: &[String]) -> Result<Comment, String> {
        let mut comment = Comment::default();
        let mut target = Target::Fresh;
        let mut rest = lines.iter().map(String::as_str);
        while let Some(line) = rest.next() {
            let word = line.split_whitespace().next().unwrap_or_default();
            if let Some((_, end)) = VERBATIM.iter().find(|(begin, _)| word.starts_with(begin)) {
                let code: Vec<&str> = rest.by_ref().take_while(|line| line.trim() != *end).collect();
                comment.body.push(Paragraph::Code(code.join("\n")));
                target = Target::Fresh;
            } else if target == Target::Fresh && line.starts_with("    ") {
                comment.add_code(&line[4..]);
            } else {
                target = comment.add(line, target)?;
            }
        }
        if comment.brief.is_empty() {
            comment.begin_with_the_first_paragraph();
        }
        Ok(comment)
    }

    /// Adds a line that is no code; returns where the next one goes to.
    fn add(&mut self, line: &str, target: Target) -> Result<Target, String> {
        let text = line.trim();
        if text.is_empty() {
            return Ok(Target::Fresh);
        }
        if text.starts_with('@') {
            return self.command(text);
        }
        if let Some(text) = text.strip_prefix("Source: ") {
            text.clone_into(&mut self.source);
            return Ok(Target::Source);
        }
        if let Some(text) = text.strip_prefix("Thread safety: ") {
            return Ok(self.thread_safety(text));
        }
        if let Some(title) = text.strip_prefix("# ") {
            self.body.push(Paragraph::Heading(title.to_owned()));
            return Ok(Target::Fresh);
        }
        let prose = matches!(target, Target::Fresh | Target::Body);
        if let Some(item) = text.strip_prefix("- ").or(text.strip_prefix("* ")).filter(|_| prose) {
            self.body.push(Paragraph::Item(item.to_owned()));
            return Ok(Target::Body);
        }
        let listed = !matches!(target, Target::Brief | Target::Parameter);
        if let Some((code, text)) = text.split_once(": ").filter(|(name, _)| listed && is_error(name)) {
            self.results.push(described(code, "", text));
            return Ok(Target::Result);
        }
        if target == Target::ThreadSafety {
            return Ok(self.thread_safety(text));
        }
        Ok(self.go_on(text, target))
    }

    /// A line without a mark of its own.
    fn go_on(&mut self, text: &str, target: Target) -> Target {
        let open = match target {
            Target::Brief => Some(&mut self.brief),
            Target::Source => Some(&mut self.source),
            Target::Parameter => self.parameters.last_mut().map(|parameter| &mut parameter.text),
            Target::Result => self.results.last_mut().map(|result| &mut result.text),
            Target::Body => match self.body.last_mut() {
                Some(Paragraph::Text(text) | Paragraph::Item(text)) => Some(text),
                _ => None,
            },
            Target::Fresh | Target::ThreadSafety => None,
        };
        if let Some(open) = open {
            append(open, text);
            return target;
        }
        self.body.push(Paragraph::Text(text.to_owned()));
        Target::Body
    }

    /// `@brief`, `@param`, `@retval` or `@return`; another command is refused.
    fn command(&mut self, text: &str) -> Result<Target, String> {
        let (command, rest) = split_word(text);
        match command {
            "@brief" => {
                rest.clone_into(&mut self.brief);
                Ok(Target::Brief)
            }
            "@return" => {
                self.results.push(described("", "", rest));
                Ok(Target::Result)
            }
            "@retval" => {
                let (name, text) = split_word(rest);
                self.results.push(described(name, "", text));
                Ok(Target::Result)
            }
            _ => {
                let direction = command.strip_prefix("@param[").and_then(|rest| rest.strip_suffix(']'));
                let direction = direction.filter(|word| ["in", "out", "in,out"].contains(word));
                let direction =
                    direction.ok_or_else(|| format!("a comment has a command that is unknown: {command}"))?;
                let (name, text) = split_word(rest);
                self.parameters.push(described(name, direction, text));
                Ok(Target::Parameter)
            }
        }
    }

    /// A line of what follows `Thread safety:`, which `Source:` may end.
    fn thread_safety(&mut self, line: &str) -> Target {
        let (text, source) = match line.split_once(" Source: ") {
            Some((text, source)) => (text, Some(source)),
            None => (line, None),
        };
        append(&mut self.thread_safety, text);
        match source {
            Some(source) => {
                source.clone_into(&mut self.source);
                Target::Source
            }
            None => Target::ThreadSafety,
        }
    }

    fn add_code(&mut self, line: &str) {
        match self.body.last_mut() {
            Some(Paragraph::Code(code)) => append(code, line),
            _ => self.body.push(Paragraph::Code(line.to_owned())),
        }
    }

    /// Without `@brief` the first sentence of the first paragraph is the brief text, as doxygen has it.
    fn begin_with_the_first_paragraph(&mut self) {
        let Some(Paragraph::Text(text)) = self.body.first_mut() else { return };
        let end = text.find(". ").or_else(|| text.find(".\n"));
        if let Some(end) = end {
            text[..=end].clone_into(&mut self.brief);
            *text = text[end + 2..].to_owned();
        } else {
            self.brief = std::mem::take(text);
            self.body.remove(0);
        }
    }
}

/// The lines of a comment without its marks: `/**`, `*/`, and an asterisk at the beginning of each line.
pub fn lines(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('/').trim_start_matches('*');
    let text = text.strip_suffix("*/").unwrap_or(text).trim_end_matches([' ', '*']);
    let inner = text.lines().map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix('*').unwrap_or(line);
        line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
    });
    inner.collect()
}

/// Whether a word is the name of an error.
fn is_error(word: &str) -> bool {
    word.strip_prefix("DVM_ERR_").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
}

fn described(name: &str, direction: &str, text: &str) -> Described {
    Described { name: name.to_owned(), direction: direction.to_owned(), text: text.to_owned() }
}

/// Adds a line.
fn append(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// The first word, and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_place() {
        let text = "/**\n * @brief Do it,\n * now.\n *\n * Prose of\n * two lines.\n *\n * - one\n *   thing\n * - another\n *\n \
                    * @param[in]  a  the first,\n *                 on two lines\n * @param[out] b  the other\n \
                    * @retval DVM_SUCCESS  done\n * @return  otherwise more\n *\n * After all.\n *\n \
                    * @code\n *   x = 1;\n * @endcode\n *\n * Thread safety: any thread,\n * any task. Source: added,\n * later.\n */";
        let comment = Comment::parse(text).expect("a comment");
        assert_eq!(comment.brief, "Do it,\nnow.");
        let body = [
            Paragraph::Text("Prose of\ntwo lines.".to_owned()),
            Paragraph::Item("one\nthing".to_owned()),
            Paragraph::Item("another".to_owned()),
            Paragraph::Text("After all.".to_owned()),
            Paragraph::Code("  x = 1;".to_owned()),
        ];
        assert_eq!(comment.body, body);
        assert_eq!(
            comment.parameters,
            [described("a", "in", "the first,\non two lines"), described("b", "out", "the other")]
        );
        assert_eq!(comment.results, [described("DVM_SUCCESS", "", "done"), described("", "", "otherwise more")]);
        assert_eq!((&*comment.thread_safety, &*comment.source), ("any thread,\nany task.", "added,\nlater."));
    }

    #[test]
    fn what_holds_for_a_chapter_is_told_apart() {
        let text = "/* Thread safety: any thread.\n * DVM_ERR_STATE: not now.\n *\n * # Over processes\n * As here. */";
        let comment = Comment::parse(text).expect("a comment");
        assert_eq!(comment.results, [described("DVM_ERR_STATE", "", "not now.")]);
        assert_eq!(comment.thread_safety, "any thread.");
        // No `@brief`: the prose begins with a heading, and stays.
        let body = [Paragraph::Heading("Over processes".to_owned()), Paragraph::Text("As here.".to_owned())];
        assert_eq!(comment.body, body);
    }

    #[test]
    fn the_first_sentence_is_the_brief_text() {
        let comment = Comment::parse("/** One. Two.\n * Three. */").expect("a comment");
        assert_eq!((&*comment.brief, comment.body), ("One.", vec![Paragraph::Text("Two.\nThree.".to_owned())]));
        assert_eq!(Comment::parse("/** Only one. */").expect("a comment").brief, "Only one.");
    }

    #[test]
    fn an_unknown_command_is_refused() {
        for text in ["/** @bref x */", "/** @param x  y */", "/** @param[on] x  y */"] {
            assert!(Comment::parse(text).unwrap_err().contains("unknown"), "{text}");
        }
    }
}
