//! A section of the interface: the declarations of one source file for C.

use std::path::{Path, PathBuf};

use syn::{Attribute, Expr, ExprLit, Fields, FnArg, Item, Lit, Meta, Pat, ReturnType, Type, Visibility};

use crate::Trouble;

/// Heading in a file's own documentation, above the part that holds for every function of the section.
const COMMON: &str = "# For every function";

/// The C declarations of one source file.
pub struct Section {
    /// The source file.
    pub path: PathBuf,
    /// The first sentence of the file's own documentation.
    pub title: String,
    /// The part that holds for every function unless it says otherwise: the documentation under [`COMMON`].
    pub common: Vec<String>,
    /// Numeric constants.
    pub constants: Vec<Constant>,
    /// The names of its enumerations.
    pub enumerations: Vec<String>,
    /// The codes of these enumerations, in order.
    pub codes: Vec<Constant>,
    /// Structures that C may fill in.
    pub structures: Vec<Structure>,
    /// The exported functions.
    pub functions: Vec<Function>,
}

/// A named number.
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value, as C and Fortran both write it.
    pub value: String,
    /// Its documentation, a line each.
    pub text: Vec<String>,
}

/// A structure with C's layout.
pub struct Structure {
    /// Its name.
    pub name: String,
    /// Its documentation, a line each.
    pub text: Vec<String>,
    /// Names, types and documentation of its fields.
    pub fields: Vec<Parameter>,
}

/// An exported function.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its documentation, a line each.
    pub text: Vec<String>,
    /// Its parameters, without `...`.
    pub parameters: Vec<Parameter>,
    /// Whether it ends with `...`.
    pub variadic: bool,
    /// Its result, if any.
    pub result: Option<Type>,
}

/// A parameter or a field.
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type in Rust.
    pub kind: Type,
    /// Its own documentation; parameters are documented with their function.
    pub text: Vec<String>,
}

/// The direction of the data behind a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The function reads the data.
    In,
    /// The function writes the data.
    Out,
    /// The function reads and writes the data.
    InOut,
}

impl Parameter {
    /// Whether it is an address.
    pub fn is_pointer(&self) -> bool {
        matches!(self.kind, Type::Ptr(_))
    }
}

impl Function {
    /// The direction in the documentation: `@param[in] name`, `@param[out] name` or `@param[in,out] name`.
    pub fn direction(&self, parameter: &str) -> Option<Direction> {
        self.text.iter().find_map(|line| {
            let mut words = line.split_whitespace();
            let direction = match words.next()? {
                "@param[in]" => Direction::In,
                "@param[out]" => Direction::Out,
                "@param[in,out]" => Direction::InOut,
                _ => return None,
            };
            (words.next() == Some(parameter)).then_some(direction)
        })
    }
}

impl Section {
    /// Reads the C declarations of a source file.
    pub fn read(path: &Path) -> Result<Section, Trouble> {
        let text = std::fs::read_to_string(path).map_err(|e| Trouble::new(path, format!("cannot be read: {e}")))?;
        let file = syn::parse_file(&plain(&text)).map_err(|e| Trouble::new(path, format!("is no Rust: {e}")))?;
        let about = documentation(&file.attrs);
        let mut section = Section {
            path: path.to_owned(),
            title: about.first().cloned().unwrap_or_default(),
            common: about.into_iter().skip_while(|line| line != COMMON).skip(1).collect(),
            constants: Vec::new(),
            enumerations: Vec::new(),
            codes: Vec::new(),
            structures: Vec::new(),
            functions: Vec::new(),
        };
        for item in file.items {
            section.add(item)?;
        }
        Ok(section)
    }

    fn add(&mut self, item: Item) -> Result<(), Trouble> {
        match item {
            Item::Const(item) if public(&item.vis) => {
                let Some(value) = number(&item.expr) else {
                    let what = format!("constant {}: its value must be a plain number, for C", item.ident);
                    return Err(Trouble::new(&self.path, what));
                };
                let text = documentation(&item.attrs);
                self.constants.push(Constant { name: item.ident.to_string(), value, text });
            }
            Item::Enum(item) if public(&item.vis) && with_c_layout(&item.attrs) => {
                self.enumerations.push(item.ident.to_string());
                for variant in item.variants {
                    let value = variant.discriminant.as_ref().and_then(|(_, value)| number(value));
                    let Some(value) = value else {
                        let what = format!("code {}: its value must be written out: it is stable", variant.ident);
                        return Err(Trouble::new(&self.path, what));
                    };
                    let text = documentation(&variant.attrs);
                    self.codes.push(Constant { name: variant.ident.to_string(), value, text });
                }
            }
            Item::Struct(item) if public(&item.vis) && !ignored(&item.attrs) && with_c_layout(&item.attrs) => {
                let Fields::Named(fields) = item.fields else { return Ok(()) };
                let fields = fields.named.into_iter().map(|field| Parameter {
                    name: field.ident.map(|name| name.to_string()).unwrap_or_default(),
                    text: documentation(&field.attrs),
                    kind: field.ty,
                });
                let text = documentation(&item.attrs);
                self.structures.push(Structure { name: item.ident.to_string(), text, fields: fields.collect() });
            }
            Item::Fn(item) if public(&item.vis) && !ignored(&item.attrs) && exported(&item.attrs) => {
                self.functions.push(function(item));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The text of a source with C's own pointers: `*mut T` where that has `Arg<*mut T>` or `Arg<*mut T, U>`, which C sees
/// as the same.
pub(crate) fn plain(text: &str) -> String {
    const WRAPPED: &str = ": Arg<";
    let mut parts = text.split(WRAPPED);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (mut depth, mut pointer) = (0_usize, part.len());
        for (place, letter) in part.char_indices() {
            match letter {
                '<' | '(' | '[' => depth += 1,
                ',' if depth == 0 => pointer = pointer.min(place),
                '>' if depth == 0 => {
                    plain.extend([": ", &part[..pointer.min(place)], &part[place + 1..]]);
                    break;
                }
                '>' | ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    plain
}

fn function(item: syn::ItemFn) -> Function {
    let parameters = item.sig.inputs.into_iter().filter_map(|input| match input {
        FnArg::Typed(input) => match *input.pat {
            Pat::Ident(name) => Some(Parameter { name: name.ident.to_string(), kind: *input.ty, text: Vec::new() }),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    Function {
        name: item.sig.ident.to_string(),
        text: documentation(&item.attrs),
        parameters: parameters.collect(),
        variadic: item.sig.variadic.is_some(),
        result: match item.sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, kind) => Some(*kind),
        },
    }
}

fn public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn with_c_layout(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|a| a.path().is_ident("repr") && matches!(&a.meta, Meta::List(l) if l.tokens.to_string() == "C"))
}

fn exported(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| matches!(&a.meta, Meta::List(l) if l.tokens.to_string() == "no_mangle"))
}

fn ignored(attributes: &[Attribute]) -> bool {
    documentation(attributes).iter().any(|line| line == "cbindgen:ignore")
}

/// The lines of documentation, without the blank after `///`.
fn documentation(attributes: &[Attribute]) -> Vec<String> {
    attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        })
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned())
        .collect()
}

/// The text of a number, with its sign.
fn number(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number.base10_digits().to_owned()),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => Some(format!("-{}", number(&unary.expr)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn c_sees_the_pointers_of_arguments() {
        let text =
            "fn f(a: Arg<*mut [u64; 2]>, b: Arg<*mut c_void, c_char>, c: Arg<*const Of<T>, [u8; 2]>, d: Args<T>) {}";
        assert_eq!(plain(text), "fn f(a: *mut [u64; 2], b: *mut c_void, c: *const Of<T>, d: Args<T>) {}");
        assert_eq!(plain("no arguments"), "no arguments");
    }
}
