//! The C header: cbindgen's output for each section, under its title.

use std::path::Path;

use crate::section::Section;
use crate::{GROUND, Trouble};

/// The text of `dvm.h`, from `cbindgen.toml` and the sections below the workspace's root.
pub fn print(root: &Path, sections: &[Section]) -> Result<String, Trouble> {
    let path = root.join("cbindgen.toml");
    let mut config = cbindgen::Config::from_file(&path).map_err(|e| Trouble::new(&path, e))?;
    let top = config.header.take().unwrap_or_default();
    let types = config.after_includes.take().unwrap_or_default();
    let end = config.trailer.take().unwrap_or_default();

    let (ground, functions) = sections.split_at(GROUND.min(sections.len()));
    let mut parts = vec![top.trim().to_owned()];
    for section in ground {
        parts.push(print_section(&config, section, sections)?);
    }
    parts.push(types.trim().to_owned());
    for section in functions {
        parts.push(heading(section));
        parts.push(print_section(&config, section, sections)?);
    }
    parts.push(end.trim().to_owned());
    Ok(parts.join("\n\n") + "\n")
}

/// The title of a section, and what holds for all its functions.
fn heading(section: &Section) -> String {
    let title = section.title.trim_end_matches('.');
    if section.common.is_empty() {
        return format!("/* ----- {title} ----- */");
    }
    let lines = section.common.iter().map(|line| format!(" * {line}\n"));
    format!("/* ----- {title} -----\n *\n * Unless a function says otherwise:\n *\n{} */", lines.collect::<String>())
}

fn print_section(config: &cbindgen::Config, section: &Section, all: &[Section]) -> Result<String, Trouble> {
    let mut config = config.clone();
    // cbindgen omits items that no function of the same run uses, and follows `mod` into other sections.
    let structures = section.structures.iter().map(|structure| structure.name.clone());
    config.export.include.extend(structures.chain(section.enumerations.iter().cloned()));
    for other in all.iter().filter(|other| other.path != section.path) {
        config.export.exclude.extend(other.functions.iter().map(|function| function.name.clone()));
        config.export.exclude.extend(other.constants.iter().map(|constant| constant.name.clone()));
    }
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(&section.path)
        .generate()
        .map_err(|e| Trouble::new(&section.path, format!("cbindgen: {e}")))?;
    let mut bytes = Vec::new();
    bindings.write(&mut bytes);
    let text = String::from_utf8(bytes).map_err(|e| Trouble::new(&section.path, format!("cbindgen: {e}")))?;
    // The report's callback has an empty parameter list, for any parameters. Rust has no such type.
    Ok(text.trim().replace("int (*callback)(void)", "int (*callback)()"))
}
