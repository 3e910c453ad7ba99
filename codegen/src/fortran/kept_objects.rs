//! Names in objects: an object that `dvmfc` made has, where a procedure stands whose text is kept, a second name for it.

use super::external_functions::{label, mark_of};
use super::kept_texts::KeptText;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Gives the procedures of an object their second names, and tells the text the first ones; those that it does not have
/// for others stay without.
pub fn mark_object(kept: &mut KeptText, object: &Path) -> Result<(), String> {
    let listed = Command::new("objdump").arg("-t").arg(object).stdin(Stdio::null()).output();
    let listed = listed.map_err(|e| format!("cannot run `objdump`, which lists names: {e}; install binutils"))?;
    let places = global_functions(&String::from_utf8_lossy(&listed.stdout));
    let number = kept.number();
    let mut command = Command::new("objcopy");
    let mut any = false;
    for (symbol, own) in &mut kept.labels {
        let Some(label) = label(symbol, false) else { continue };
        let Some((section, value)) = places.get(&label) else { continue };
        command.arg("--add-symbol").arg(format!("{}={section}:0x{value},function,global", mark_of(&label, number)));
        *own = label;
        any = true;
    }
    if !any {
        return Ok(());
    }
    let status = command.arg(object).stdin(Stdio::null()).stderr(Stdio::null()).status();
    if !status.is_ok_and(|status| status.success()) {
        kept.labels.values_mut().for_each(String::clear);
    }
    Ok(())
}

/// Functions that other objects may call: their sections, and where they stand there.
fn global_functions(listed: &str) -> BTreeMap<String, (String, String)> {
    let read = |line: &str| {
        let (value, rest) = line.split_once(' ')?;
        let (flags, rest) = (rest.get(..7)?, rest.get(7..)?.trim_start());
        let mut words = rest.split_whitespace();
        let (section, _size, name) = (words.next()?, words.next()?, words.next()?);
        let is_one = flags.starts_with('g') && flags.ends_with('F') && words.next().is_none() && section != "*UND*";
        is_one.then(|| (name.to_owned(), (section.to_owned(), value.to_owned())))
    };
    listed.lines().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_that_others_see_count() {
        let text = "\nx.o:     file format elf64-x86-64\n\nSYMBOL TABLE:\n\
            0000000000000000 l    d  .text\t0000000000000000 .text\n\
            0000000000000010 g     F .text\t0000000000000036 s_\n\
            0000000000000020 l     F .text\t0000000000000036 inner.0\n\
            0000000000000030 g     F .text\t0000000000000036 .hidden h_\n\
            0000000000000000         *UND*\t0000000000000000 t_\n";
        let found = global_functions(text);
        assert_eq!(found, [("s_".to_owned(), (".text".to_owned(), "0000000000000010".to_owned()))].into());
    }
}
