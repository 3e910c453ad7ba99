//! Maps Rust types to Fortran.

use crate::section::Direction;
use syn::{Expr, GenericArgument, PathArguments, Type};

/// The kind of a parameter in Fortran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer by value, of this kind.
    Integer(&'static str),
    /// The address of one integer to write.
    IntegerOut(&'static str),
    /// The address of several integers.
    Integers(&'static str),
    /// An id: two integers.
    Id,
    /// A list of ids; the next parameter is its length.
    Ids,
    /// A list of ids; other parameters give its length.
    ManyIds,
    /// A rank, or the number of its components given by the next parameter.
    Rank,
    /// An address by value.
    Address,
    /// The address of an address to write.
    AddressOut,
    /// The address of a procedure.
    Procedure,
    /// A text that ends with NUL.
    Text,
    /// The address of a structure.
    Structure,
    /// A handle by value: a structure of one integer.
    Handle,
}

/// A field of a structure.
pub struct Field {
    /// Its Fortran type.
    pub declaration: &'static str,
    /// How many values it has, in parentheses; empty: it is no array.
    pub shape: String,
    /// Its default value.
    pub initial: &'static str,
}

/// The kind of a parameter's type, and the name of its structure. An address that is only written refers to one number,
/// any other to several; `counted`: the next parameter is the number of entries. `None`: Fortran has no such type.
pub fn of(kind: &Type, direction: Direction, counted: bool) -> Option<(Kind, Option<String>)> {
    if is_procedure(kind) {
        return Some((Kind::Procedure, None));
    }
    let found = match kind {
        Type::Ptr(pointer) => match name(&pointer.elem)?.as_str() {
            "DataId" if counted => Kind::Ids,
            "DataId" if direction == Direction::In => Kind::ManyIds,
            "DataId" | "ProcId" => Kind::Id,
            "c_char" | "Letter" => Kind::Text,
            "c_void" => Kind::Address,
            "*c_void" => Kind::AddressOut,
            structure if structure.starts_with("dvm_") && integer(structure).is_none() => {
                return Some((Kind::Structure, Some(structure.to_owned())));
            }
            number if direction == Direction::Out && !counted => Kind::IntegerOut(integer(number)?),
            number => Kind::Integers(integer(number)?),
        },
        _ => match name(kind)?.as_str() {
            "RankArg" | "ConstRankArg" => Kind::Rank,
            "DataIdArg" | "ConstDataIdArg" | "ProcIdArg" | "ConstProcIdArg" => Kind::Id,
            handle if handle.starts_with("dvm_") && integer(handle).is_none() => {
                return Some((Kind::Handle, Some(handle.to_owned())));
            }
            number => Kind::Integer(integer(number)?),
        },
    };
    Some((found, None))
}

/// The Fortran type of a structure's field.
pub fn of_field(kind: &Type) -> Option<Field> {
    if is_procedure(kind) {
        return Some(Field { declaration: "type(c_funptr)", shape: String::new(), initial: "c_null_funptr" });
    }
    if matches!(kind, Type::Ptr(_)) {
        return Some(Field { declaration: "type(c_ptr)", shape: String::new(), initial: "c_null_ptr" });
    }
    if let Type::Array(array) = kind
        && let Expr::Path(length) = &array.len
    {
        let shape = format!("({})", length.path.get_ident()?);
        return of_field(&array.elem).map(|field| Field { shape, ..field });
    }
    Some(Field { declaration: declared(integer(&name(kind)?)?), shape: String::new(), initial: "0" })
}

/// Whether a function's result is a text: `*const c_char`.
pub fn is_text(kind: &Type) -> bool {
    matches!(kind, Type::Ptr(pointer) if name(&pointer.elem).as_deref() == Some("c_char"))
}

/// The Fortran kind of an integer type of C.
pub fn integer(name: &str) -> Option<&'static str> {
    Some(match name {
        "c_int" | "i32" | "u32" | "dvm_retcode_t" | "RetcodeArg" => "c_int",
        "u64" | "i64" => "c_int64_t",
        "usize" => "c_size_t",
        _ => return None,
    })
}

fn declared(kind: &'static str) -> &'static str {
    match kind {
        "c_int" => "integer(c_int)",
        "c_size_t" => "integer(c_size_t)",
        _ => "integer(c_int64_t)",
    }
}

/// The last name of a path, with `*` in front for each pointer.
pub fn name(kind: &Type) -> Option<String> {
    match kind {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        Type::Ptr(pointer) => Some(format!("*{}", name(&pointer.elem)?)),
        _ => None,
    }
}

/// Whether the type is a nullable function pointer, spelled out or as an alias `..._t`.
fn is_procedure(kind: &Type) -> bool {
    let Type::Path(path) = kind else { return matches!(kind, Type::BareFn(_)) };
    let Some(last) = path.path.segments.last() else { return false };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
    last.ident == "Option"
        && matches!(arguments.args.first(), Some(GenericArgument::Type(Type::BareFn(_) | Type::Path(_))))
}
