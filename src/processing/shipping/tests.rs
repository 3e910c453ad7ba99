//! Objects that the C compiler makes, as copies that come from another process.

use sha2::{Digest, Sha256};
use std::path::PathBuf;
use testkit::{Random, Scratch, scratch};

use super::*;
use crate::processing::image::tests::{Library, SOURCE, call, compile};
use crate::processing::image::{locate, resolve};
use crate::protocol::shipping::ObjectBytes;

/// A copy as it comes: in pieces.
fn copy_of(bytes: &[u8]) -> (Arc<CodeCopy>, ObjectBytes) {
    let mut copy = CodeCopy::new(bytes.len() as u64).unwrap();
    for (piece, part) in bytes.chunks(1000).enumerate() {
        copy.write(piece as u64 * 1000, part);
    }
    (Arc::new(copy), ObjectBytes { total: bytes.len() as u64, digest: Sha256::digest(bytes).into() })
}

/// Loads an object as another process has it, where that is none of its names: the place of its static function.
fn told(path: &Path) -> (Vec<u8>, u64, Vec<u8>) {
    let library = Library::load(path);
    let place = locate(library.hidden()).unwrap();
    let (copy, bytes) = CodeCopy::of_loaded(&place.build_id).unwrap();
    let read = copy.part(0, bytes.total).unwrap();
    assert_eq!(read, std::fs::read(path).unwrap());
    assert_eq!(bytes.digest, copy_of(&read).1.digest);
    (place.build_id.to_vec(), place.offset, read)
}

fn object(options: &[&str]) -> (Scratch, PathBuf) {
    let folder = scratch(&[("work.c", SOURCE)]);
    let path = compile(&folder.join("work.c"), &folder.join("work.so"), options);
    (folder, path)
}

#[test]
fn what_was_not_here_is_loaded_from_its_copy_and_called() {
    let ids = [&["-DFACTOR=21"][..], &["-DFACTOR=22", "-Wl,--build-id=none"], &["-DFACTOR=23"]];
    for (folder_too, options) in [(false, ids[0]), (false, ids[1]), (true, ids[2])] {
        let (folder, path) = object(options);
        let (name, offset, bytes) = told(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(resolve(&name, offset, ""), None, "it is not here any more");
        let (copy, description) = copy_of(&bytes);
        copy.check(&name, description).unwrap();
        assert!(std::fs::OpenOptions::new().write(true).open(copy.path()).and_then(|file| file.set_len(1)).is_err());
        let own = folder.join("code");
        load(copy, &name, "/elsewhere/work.so", folder_too.then_some(own.as_path())).unwrap();
        let found = resolve(&name, offset, "/elsewhere/work.so").expect("it is here");
        let factor: usize = options[0][9..].parse().unwrap();
        assert_eq!(call(found) & 0xff, factor);
        assert_eq!(own.exists(), folder_too);
    }
}

#[test]
fn files_of_the_same_number_are_not_taken_for_each_other() {
    let results = [31, 32, 33].map(|factor| {
        let (_folder, path) = object(&[&format!("-DFACTOR={factor}")]);
        let (name, offset, bytes) = told(&path);
        let (copy, description) = copy_of(&bytes);
        copy.check(&name, description).unwrap();
        load(copy, &name, "work.so", None).unwrap();
        call(resolve(&name, offset, "").unwrap()) & 0xff
    });
    assert_eq!(results, [31, 32, 33]);
}

#[test]
fn what_is_not_genuine_is_refused_in_words() {
    let (_folder, path) = object(&["-DFACTOR=41"]);
    let (name, _, bytes) = told(&path);
    let refused = |change: &dyn Fn(&mut Vec<u8>), name: &[u8]| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        let (copy, description) = copy_of(&bytes);
        copy.check(name, description).unwrap_err()
    };
    let other = [0xcd; 20];
    let text = refused(&|_| (), &other);
    assert!(text.contains("its build-id is") && text.contains("cdcdcdcdcdcd... was announced"), "{text}");
    let text = refused(&|bytes| bytes[18] ^= 0xff, &name);
    assert!(text.contains("it is for machine") && text.contains("this machine is"), "{text}");
    let text = refused(&|bytes| bytes.truncate(100), &name);
    assert!(text.contains("behind its end"), "{text}");
    assert_eq!(refused(&|bytes| bytes[0] = 0, &name), "it is no ELF file");
    // Another digest than was told.
    let (copy, description) = copy_of(&bytes);
    let text = copy.check(&name, ObjectBytes { digest: [0xee; 32], ..description }).unwrap_err();
    assert!(text.contains("its SHA-256 is") && text.contains("eeeeeeeeeeee... was announced"), "{text}");
    let of_file = [&b"file"[..], &[1; 24]].concat();
    assert!(refused(&|_| (), &of_file).contains("its build-id is"));
    let program = std::fs::read("/proc/self/exe").unwrap();
    let (copy, description) = copy_of(&program);
    assert!(copy.check(&name, description).unwrap_err().contains("no shared object"));
}

#[test]
fn any_changed_byte_is_found_before_anything_is_loaded() {
    let (_folder, path) = object(&["-DFACTOR=42"]);
    let (name, _, bytes) = told(&path);
    let (_, description) = copy_of(&bytes);
    for seed in testkit::seeds_from(0, 100) {
        let mut random = Random::new(seed);
        let mut changed = bytes.clone();
        changed[random.below(bytes.len())] ^= 1 << random.below(8);
        let text = copy_of(&changed).0.check(&name, description).unwrap_err();
        assert!(text.contains("SHA-256"), "{text}");
    }
}

#[test]
fn missing_objects_are_named_before_the_linker_s_words() {
    let folder = scratch(&[("work.c", SOURCE), ("needed.c", "int needed(void) { return 1; }\n")]);
    let needed = ["libdvm_needed_one.so", "libdvm_needed_two.so"];
    for name in needed {
        compile(&folder.join("needed.c"), &folder.join(name), &[&format!("-Wl,-soname,{name}")]);
    }
    let place = format!("-L{}", folder.join("").display());
    let options =
        ["-DFACTOR=51", &place, "-Wl,--no-as-needed", "-ldvm_needed_one", "-ldvm_needed_two", "-Wl,-rpath,$ORIGIN"];
    let path = compile(&folder.join("work.c"), &folder.join("work.so"), &options);
    let (name, _, bytes) = told(&path);
    let (copy, description) = copy_of(&bytes);
    copy.check(&name, description).unwrap();
    let text = load(copy, &name, "work.so", None).unwrap_err();
    let begin = "it needs libdvm_needed_one.so and libdvm_needed_two.so, which is not found here: ";
    assert!(text.starts_with(begin) && text.contains("cannot open shared object file"), "{text}");
    assert_eq!(resolve(&name, 0, ""), None);
}

#[test]
fn undefined_names_are_told() {
    let folder = scratch(&[("work.c", "int nobody_has_this(void);\nint work(void) { return nobody_has_this(); }\n")]);
    let path = compile(&folder.join("work.c"), &folder.join("work.so"), &["-Wl,--build-id=0x77aa77aa"]);
    let (copy, description) = copy_of(&std::fs::read(path).unwrap());
    copy.check(&[0x77, 0xaa, 0x77, 0xaa], description).unwrap();
    let text = load(copy, &[0x77, 0xaa, 0x77, 0xaa], "work.so", None).unwrap_err();
    assert!(text.starts_with("the linker says: ") && text.contains("nobody_has_this"), "{text}");
}

#[test]
fn a_folder_that_others_can_write_to_or_another_file_there_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = object(&["-DFACTOR=61"]);
    let (name, _, bytes) = told(&path);
    let put = |bytes: &[u8]| {
        let (copy, _) = copy_of(bytes);
        copy.put_into(&folder.join("code"), "work.so").map(drop).map_err(|error| error.to_string())
    };
    put(&bytes).unwrap();
    put(&bytes).unwrap();
    let mut other = bytes.clone();
    other[100] ^= 1;
    assert!(put(&other).unwrap_err().contains("another file is"));
    assert_eq!(std::fs::read(folder.join("code/work.so")).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.join("code")).unwrap().count(), 1, "nothing is left over");
    std::fs::set_permissions(folder.join("code"), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(put(&bytes).unwrap_err().contains("others can write there"));
    assert!(!name.is_empty());
}

#[test]
fn a_file_that_was_exchanged_is_not_shipped() {
    let (folder, path) = object(&["-DFACTOR=71", "-Wl,--build-id=0x1234123412"]);
    let options = ["-DFACTOR=72", "-Wl,--build-id=0x1234123412"];
    let other = compile(&folder.join("work.c"), &folder.join("other.so"), &options);
    let library = Library::load(&path);
    let name = [0x12, 0x34, 0x12, 0x34, 0x12];
    CodeCopy::of_loaded(&name).unwrap();
    std::fs::rename(other, &path).unwrap();
    assert!(CodeCopy::of_loaded(&name).unwrap_err().contains("was exchanged"));
    std::fs::remove_file(&path).unwrap();
    assert!(CodeCopy::of_loaded(&name).unwrap_err().contains("cannot be read"));
    drop(library);
    assert!(CodeCopy::of_loaded(&name).unwrap_err().contains("not loaded"));
}
