#![allow(missing_docs)]
use dvm_codegen::frontend::{self, clang, pragma, source::Source};
#[test]
fn smoke() {
    let Ok(path) = std::env::var("SMOKE") else { return };
    let path = std::path::Path::new(&path);
    let s = Source::read(path).unwrap();
    let unit = clang::parse(path, &[]).unwrap();
    let mut taken = Default::default();
    for site in pragma::sites(&s) {
        match frontend::analyse(&unit, &s, &site.unwrap(), &mut taken) {
            Ok(Some(f)) => { println!("{:#?}", f.region); println!("notes {:?} epilogue {:?}", f.notes, f.epilogue); }
            Ok(None) => println!("none"),
            Err(e) => println!("REFUSED {:?} [{}]", e, s.text(e.begin, e.end)),
        }
    }
}
