//! A crate's modules and the paths that they mention, read from its sources by a parser of Rust.
//!
//! What can't be read ends the test: a file that is missing, text that does not parse.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// A name that a `use` declaration makes, and the path that it stands for.
pub struct Import {
    pub name: String,
    pub path: Vec<String>,
}

/// A module: a file, or a `mod name { ... }` inside one.
pub struct Module {
    /// From the crate's root, which is the empty path.
    pub path: Vec<String>,
    /// The file that it stands in.
    pub file: PathBuf,
    /// Behind `cfg(test)`, or inside such a module.
    pub test: bool,
    /// Holds items that no parser sees: the text of a build script.
    pub opaque: bool,
    /// Names of `use` declarations.
    pub imports: Vec<Import>,
    /// Paths of `use path::*`.
    pub globs: Vec<Vec<String>>,
    /// Names of its own items.
    pub items: HashSet<String>,
    /// Names in macros that stand for items: which of them are items, only the macro knows.
    pub produced: HashSet<String>,
    /// Paths mentioned in code, without those of `use` declarations that only pass a name on (`pub use`).
    pub mentions: Vec<Vec<String>>,
}

/// Reads a crate from the file of its root module.
pub fn read(root: &Path) -> Result<Vec<Module>, String> {
    let mut modules = Vec::new();
    let folder = root.parent().ok_or("a root without folder")?;
    file(root, folder, &[], false, &mut modules)?;
    Ok(modules)
}

fn file(path: &Path, folder: &Path, name: &[String], test: bool, modules: &mut Vec<Module>) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let syntax = syn::parse_file(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    module(&syntax.items, path, folder, name, test, modules)
}

fn module(
    items: &[syn::Item],
    path: &Path,
    folder: &Path,
    name: &[String],
    test: bool,
    modules: &mut Vec<Module>,
) -> Result<(), String> {
    let mut reader = Reader {
        module: Module {
            path: name.to_vec(),
            file: path.to_owned(),
            test,
            opaque: false,
            imports: Vec::new(),
            globs: Vec::new(),
            items: HashSet::new(),
            produced: HashSet::new(),
            mentions: Vec::new(),
        },
        children: Vec::new(),
    };
    for item in items {
        reader.visit_item(item);
    }
    let children = reader.children;
    modules.push(reader.module);
    for child in children {
        let own = child.ident.to_string();
        let test = test || is_test(&child.attrs);
        let below: Vec<String> = name.iter().cloned().chain([own.clone()]).collect();
        if let Some((_, items)) = &child.content {
            module(items, path, &folder.join(&own), &below, test, modules)?;
        } else {
            let (path, inner) = place(&child, path, folder, &own);
            file(&path, &inner, &below, test, modules)?;
        }
    }
    Ok(())
}

/// The file of a module that is declared by name, and the folder of that module's own children.
fn place(child: &syn::ItemMod, parent: &Path, folder: &Path, own: &str) -> (PathBuf, PathBuf) {
    for attribute in &child.attrs {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("path")
            && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value
        {
            let beside = parent.parent().unwrap_or(Path::new("")).join(text.value());
            let inner = beside.parent().unwrap_or(Path::new("")).to_owned();
            return (beside, inner);
        }
    }
    let plain = folder.join(format!("{own}.rs"));
    let inner = folder.join(own);
    if plain.exists() { (plain, inner) } else { (inner.join("mod.rs"), inner) }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let text = list.tokens.to_string();
            text == "test" || text.contains("all (test") || text.contains("all(test")
        }
        _ => false,
    })
}

struct Reader {
    module: Module,
    children: Vec<syn::ItemMod>,
}

impl Reader {
    fn import(&mut self, tree: &syn::UseTree, before: &mut Vec<String>, passed_on: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, passed_on);
                before.pop();
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.import(item, before, passed_on)),
            syn::UseTree::Glob(_) => self.module.globs.push(before.clone()),
            syn::UseTree::Name(name) => self.name(&name.ident.to_string(), None, before, passed_on),
            syn::UseTree::Rename(name) => {
                self.name(&name.ident.to_string(), Some(name.rename.to_string()), before, passed_on);
            }
        }
    }

    fn name(&mut self, last: &str, renamed: Option<String>, before: &[String], passed_on: bool) {
        let mut path = before.to_vec();
        if last != "self" {
            path.push(last.to_owned());
        }
        if !passed_on {
            self.module.mentions.push(path.clone());
        }
        let name = renamed.or_else(|| path.last().cloned()).unwrap_or_default();
        self.module.imports.push(Import { name, path });
    }

    /// Paths and item names in text that only a macro understands.
    fn tokens(&mut self, stream: TokenStream) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(first) => {
                    if let (true, Some(TokenTree::Ident(name))) = (defines(&first.to_string()), tokens.get(at + 1)) {
                        self.module.produced.insert(name.to_string());
                    }
                    let mut path = vec![first.to_string()];
                    while let (Some(TokenTree::Punct(one)), Some(TokenTree::Punct(two)), Some(TokenTree::Ident(next))) =
                        (tokens.get(at + 1), tokens.get(at + 2), tokens.get(at + 3))
                        && one.as_char() == ':'
                        && two.as_char() == ':'
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    // A lone name may be a variable's, or what the macro makes of it; types are written with a capital.
                    if path.len() > 1 || path[0].starts_with(char::is_uppercase) {
                        self.module.mentions.push(path);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

fn names(stream: TokenStream, found: &mut HashSet<String>) {
    for token in stream {
        match token {
            TokenTree::Group(group) => names(group.stream(), found),
            TokenTree::Ident(name) => drop(found.insert(name.to_string())),
            _ => {}
        }
    }
}

/// Whether a name follows this word and is that of an item.
fn defines(word: &str) -> bool {
    ["struct", "enum", "union", "trait", "type", "fn", "static", "const", "mod"].contains(&word)
}

impl<'a> Visit<'a> for Reader {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let name = match item {
            syn::Item::Const(x) => Some(&x.ident),
            syn::Item::Enum(x) => Some(&x.ident),
            syn::Item::Fn(x) => Some(&x.sig.ident),
            syn::Item::Static(x) => Some(&x.ident),
            syn::Item::Struct(x) => Some(&x.ident),
            syn::Item::Trait(x) => Some(&x.ident),
            syn::Item::TraitAlias(x) => Some(&x.ident),
            syn::Item::Type(x) => Some(&x.ident),
            syn::Item::Union(x) => Some(&x.ident),
            syn::Item::Macro(x) => x.ident.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.module.items.insert(name.to_string());
        }
        visit::visit_item(self, item);
    }

    fn visit_item_macro(&mut self, item: &'a syn::ItemMacro) {
        if item.ident.is_none() {
            names(item.mac.tokens.clone(), &mut self.module.produced);
        }
        visit::visit_item_macro(self, item);
    }

    fn visit_foreign_item(&mut self, item: &'a syn::ForeignItem) {
        match item {
            syn::ForeignItem::Fn(x) => drop(self.module.items.insert(x.sig.ident.to_string())),
            syn::ForeignItem::Static(x) => drop(self.module.items.insert(x.ident.to_string())),
            syn::ForeignItem::Type(x) => drop(self.module.items.insert(x.ident.to_string())),
            _ => {}
        }
        visit::visit_foreign_item(self, item);
    }

    fn visit_item_mod(&mut self, child: &'a syn::ItemMod) {
        self.children.push(child.clone());
    }

    fn visit_item_extern_crate(&mut self, declaration: &'a syn::ItemExternCrate) {
        let renamed = declaration.rename.as_ref().map(|(_, name)| name.to_string());
        self.name(&declaration.ident.to_string(), renamed, &[], false);
    }

    fn visit_item_use(&mut self, declaration: &'a syn::ItemUse) {
        let passed_on = !matches!(declaration.vis, syn::Visibility::Inherited);
        self.import(&declaration.tree, &mut Vec::new(), passed_on);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.module.mentions.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_macro(&mut self, text: &'a syn::Macro) {
        if text.path.is_ident("include") {
            self.module.opaque = true;
        }
        self.visit_path(&text.path);
        self.tokens(text.tokens.clone());
    }
}
