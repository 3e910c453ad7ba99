//! All that the C headers declare, for the pages about it.

use std::collections::HashSet;
use std::path::Path;

use crate::comment::Comment;
use crate::declaration::{Chapter, Declaration, about, chapters};
use crate::{Trouble, header, section};

/// The headers that are written by hand, and the titles of what stands before their first one.
const BY_HAND: [(&str, &str); 2] = [("dvm_dma.h", "Strided copies in generated code"), ("dvm_mpi.h", "Beside MPI")];

/// The declarations of all headers.
pub struct Reference {
    /// What holds for every function: the comment that dvm.h begins with.
    pub rules: Comment,
    /// The chapters, in the order of the headers.
    pub chapters: Vec<Chapter>,
}

impl Reference {
    /// Reads the headers below the workspace's root: dvm.h as the sources have it, the others as they stand.
    pub fn read(root: &Path, sections: &[section::Section]) -> Result<Reference, Trouble> {
        let folder = root.join("include");
        let text = header::print(root, sections)?;
        let trouble = |file: &str| {
            let path = folder.join(file);
            move |what: String| Trouble::new(&path, what)
        };
        let rules = rules(&text).map_err(trouble("dvm.h"))?;
        let mut all = chapters("dvm.h", &text, "Codes, constants and types").map_err(trouble("dvm.h"))?;
        for (file, title) in BY_HAND {
            let path = folder.join(file);
            let text =
                std::fs::read_to_string(&path).map_err(|e| Trouble::new(&path, format!("cannot be read: {e}")))?;
            all.extend(chapters(file, &text, title).map_err(trouble(file))?);
        }
        let reference = Reference { rules, chapters: all };
        reference.each_name_is_one().map_err(|what| Trouble::new(&folder, what))?;
        Ok(reference)
    }

    /// Two declarations with a comment would share a page.
    fn each_name_is_one(&self) -> Result<(), String> {
        let mut names = HashSet::new();
        let mut all = self.chapters.iter().flat_map(|chapter| &chapter.declarations);
        match all.find(|declaration| !names.insert(declaration.name.as_str())) {
            None => Ok(()),
            Some(Declaration { name, .. }) => {
                Err(format!("{name} has two comments /** ... */: begin that of a macro beside a function with /*"))
            }
        }
    }

    /// The declaration of this name.
    pub fn find(&self, name: &str) -> Option<&Declaration> {
        self.chapters.iter().flat_map(|chapter| &chapter.declarations).find(|declaration| declaration.name == name)
    }
}

/// What a header says that holds for every function, without the line that says how it was made.
fn rules(text: &str) -> Result<Comment, String> {
    let lines: Vec<_> = about(text).into_iter().filter(|line| !line.starts_with("Generated from ")).collect();
    Comment::of_lines(&lines)
}

/// The words of a text, and what stands between them. A word has letters, digits and underscores.
pub fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = in_word(first);
        let end = rest.find(|c: char| in_word(c) != is_word).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        found.push(part);
        rest = after;
    }
    found
}

/// The [`words`] of prose, in which a function may stand with empty parentheses: these are left out.
pub fn named(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for part in words(text) {
        let of_function = found.last().is_some_and(|word| word.starts_with("dvm_"));
        found.push(part.strip_prefix("()").filter(|_| of_function).unwrap_or(part));
    }
    found
}

fn in_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::{Reference, named, words};
    use crate::comment::Comment;
    use crate::declaration::chapters;

    #[test]
    fn two_comments_of_one_name_are_refused() {
        let reference =
            |text| Reference { rules: Comment::default(), chapters: chapters("a.h", text, "").expect("a header") };
        let both = "/** Call. */ int a_call(int);\n/** The same. */\n#define a_call(x) (a_call)(x)\n";
        assert!(reference(both).each_name_is_one().is_err_and(|what| what.contains("a_call has two")));
        assert!(reference(&both.replace("/** The", "/* The")).each_name_is_one().is_ok());
    }

    #[test]
    fn a_text_is_its_words_and_the_rest() {
        assert_eq!(words("(dvm_init, a)"), ["(", "dvm_init", ", ", "a", ")"]);
        assert!(words("").is_empty());
        assert_eq!(named("dvm_init() or x()"), ["dvm_init", " ", "or", " ", "x", "()"]);
    }
}
