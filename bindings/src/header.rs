//! The C header: cbindgen's output for each section, under its title.

use std::path::{Path, PathBuf};

use crate::section::{Section, plain};
use crate::{GROUND, Trouble};

/// The text of `dvm.h`, from `cbindgen.toml` and the sections below the workspace's root.
pub fn print(root: &Path, sections: &[Section]) -> Result<String, Trouble> {
    let path = root.join("cbindgen.toml");
    let mut config = cbindgen::Config::from_file(&path).map_err(|e| Trouble::new(&path, e))?;
    let top = config.header.take().unwrap_or_default();
    let types = config.after_includes.take().unwrap_or_default();
    let end = config.trailer.take().unwrap_or_default();

    let sources = Sources::new(sections).map_err(|e| Trouble::new(root, format!("no room for the sources: {e}")))?;
    let (ground, functions) = sections.split_at(GROUND.min(sections.len()));
    let mut parts = vec![top.trim().to_owned()];
    for section in ground {
        parts.push(print_section(&config, section, sections, &sources)?);
    }
    parts.push(types.trim().to_owned());
    for section in functions {
        parts.push(heading(section));
        parts.push(print_section(&config, section, sections, &sources)?);
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

/// Copies of the sources with C's own pointers, which cbindgen reads. They go with the value.
struct Sources(tempfile::TempDir);

impl Sources {
    fn new(sections: &[Section]) -> std::io::Result<Sources> {
        let sources = Sources(tempfile::tempdir()?);
        for section in sections {
            std::fs::write(sources.copy(section), plain(&std::fs::read_to_string(&section.path)?))?;
        }
        Ok(sources)
    }

    /// The copy of a section's file.
    fn copy(&self, section: &Section) -> PathBuf {
        self.0.path().join(section.path.file_name().unwrap_or_default())
    }
}

fn print_section(
    config: &cbindgen::Config,
    section: &Section,
    all: &[Section],
    sources: &Sources,
) -> Result<String, Trouble> {
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
        .with_src(sources.copy(section))
        .generate()
        .map_err(|e| Trouble::new(&section.path, format!("cbindgen: {e}")))?;
    let mut bytes = Vec::new();
    bindings.write(&mut bytes);
    let text = String::from_utf8(bytes).map_err(|e| Trouble::new(&section.path, format!("cbindgen: {e}")))?;
    // The report's callback has an empty parameter list, for any parameters. Rust has no such type.
    Ok(text.trim().replace("int (*callback)(void)", "int (*callback)()"))
}
