//! Reads `include/dvm.h` as a C compiler would, and generates Rust code that only compiles if each function has the
//! type of the exported one, and each structure the same layout.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use dvm_bindings::section::Section;
use quote::{format_ident, quote};
use syn::{FnArg, ForeignItem, Item, ReturnType, Type};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let header = root.join("include/dvm.h");
    println!("cargo:rerun-if-changed={}", header.display());
    println!("cargo:rerun-if-changed={}", root.join("src").display());

    let bindings = bindgen::Builder::default()
        .header(header.to_string_lossy())
        .allowlist_function("dvm_.*")
        .allowlist_type("dvm_.*")
        .array_pointers_in_arguments(false)
        .rustified_enum("dvm_retcode_t")
        .layout_tests(false)
        .generate()?;
    let seen = syn::parse_file(&bindings.to_string())?;
    let sections = dvm_bindings::read(&root)?;
    let text = compare(&seen, &sections)?;
    std::fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join("comparison.rs"), text)?;
    bindings.write_to_file(PathBuf::from(std::env::var("OUT_DIR")?).join("header.rs"))?;
    Ok(())
}

/// Compares the header's declarations with the sections' exports.
fn compare(seen: &syn::File, sections: &[Section]) -> Result<String, String> {
    let declared = declarations(seen);
    let mut exported = BTreeSet::new();
    let mut checks = quote! {};
    let structures: BTreeMap<_, _> =
        sections.iter().flat_map(|s| s.structures.iter().map(move |st| (st.name.clone(), module(s)))).collect();

    for section in sections {
        let place = module(section);
        for structure in &section.structures {
            let name = format_ident!("{}", structure.name);
            checks.extend(quote! {
                const _: () = assert!(size_of::<super::header::#name>() == size_of::<#place::#name>());
                const _: () = assert!(align_of::<super::header::#name>() == align_of::<#place::#name>());
            });
            for field in &structure.fields {
                let field = format_ident!("{}", field.name);
                checks.extend(quote! {
                    const _: () = assert!(std::mem::offset_of!(super::header::#name, #field) == std::mem::offset_of!(#place::#name, #field));
                });
            }
        }
        for function in &section.functions {
            exported.insert(function.name.clone());
            let signature = declared.get(&function.name).ok_or(format!("dvm.h lacks {}", function.name))?;
            if function.variadic {
                continue; // its Rust side is an entry in assembly: the C tests call it
            }
            let name = format_ident!("{}", function.name);
            let kinds: Vec<&Type> = signature.inputs.iter().filter_map(typed).collect();
            let arguments: Vec<_> = kinds.iter().map(|kind| argument(kind, &structures)).collect();
            // The exported function has its own type for each pointer. A call compiles only if that is made of C's
            // pointer.
            let names: Vec<_> = (0..kinds.len()).map(|place| format_ident!("argument_{place}")).collect();
            let wrapped = names.iter().zip(&kinds).filter(|(_, kind)| matches!(kind, Type::Ptr(_)));
            let wrapped: Vec<_> = wrapped.map(|(name, _)| quote! { let #name = dvm::ffi::Arg::new(#name); }).collect();
            let result = match &signature.output {
                ReturnType::Default => quote! {},
                ReturnType::Type(_, kind) if is(kind, "dvm_retcode_t") => quote! { -> dvm::ffi::dvm_retcode_t },
                ReturnType::Type(_, kind) => quote! { -> #kind },
            };
            checks.extend(quote! {
                const _: unsafe extern "C" fn(#(#arguments),*) #result = dvm::ffi::c_functions::#name;
                const _: () = {
                    #[allow(dead_code, unused_unsafe)]
                    unsafe fn exported(#(#names: #arguments),*) #result {
                        unsafe {
                            #(#wrapped)*
                            #place::#name(#(#names),*)
                        }
                    }
                };
            });
        }
    }
    if let Some(stray) = declared.keys().find(|name| !exported.contains(*name)) {
        return Err(format!("dvm.h declares {stray}, which nothing exports"));
    }
    let names: Vec<_> = exported.iter().collect();
    checks.extend(quote! {
        /// The compared functions.
        pub const FUNCTIONS: &[&str] = &[#(#names),*];
    });
    Ok(checks.to_string())
}

/// The type of an argument.
fn typed(input: &FnArg) -> Option<&Type> {
    match input {
        FnArg::Typed(input) => Some(&input.ty),
        FnArg::Receiver(_) => None,
    }
}

/// The functions that the header declares.
fn declarations(seen: &syn::File) -> BTreeMap<String, syn::Signature> {
    let blocks = seen.items.iter().filter_map(|item| match item {
        Item::ForeignMod(block) => Some(block),
        _ => None,
    });
    let items = blocks.flat_map(|block| &block.items).filter_map(|item| match item {
        ForeignItem::Fn(function) => Some((function.sig.ident.to_string(), function.sig.clone())),
        _ => None,
    });
    items.collect()
}

/// The Rust module of a section.
fn module(section: &Section) -> proc_macro2::TokenStream {
    let stem = section.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = format_ident!("{stem}");
    quote! { dvm::ffi::#name }
}

/// The type of an argument: structures are Rust's own, and a code is any number, since C may pass any.
fn argument(kind: &Type, structures: &BTreeMap<String, proc_macro2::TokenStream>) -> proc_macro2::TokenStream {
    if is(kind, "dvm_retcode_t") {
        return quote! { dvm::ffi::RetcodeArg };
    }
    if let Some((name, place)) = structures.iter().find(|(name, _)| is(kind, name)) {
        let name = format_ident!("{name}");
        return quote! { #place::#name };
    }
    if let Type::Ptr(pointer) = kind
        && let Some((name, place)) = structures.iter().find(|(name, _)| is(&pointer.elem, name))
    {
        let name = format_ident!("{name}");
        let constness = if pointer.mutability.is_some() {
            quote! { mut }
        } else {
            quote! { const }
        };
        return quote! { *#constness #place::#name };
    }
    quote! { #kind }
}

fn is(kind: &Type, name: &str) -> bool {
    matches!(kind, Type::Path(path) if path.path.is_ident(name))
}
