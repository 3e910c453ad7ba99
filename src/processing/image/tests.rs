//! Objects that the C compiler makes, loaded into the process of the test.

use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

use testkit::scratch;

use super::*;

/// Tests run at a time in one process, and equal builds have one id: each test has values of `FACTOR` of its own.
pub(in crate::processing) const SOURCE: &str = "int shared_state;
static int hidden(void) { return FACTOR; }
int visible(void) { return FACTOR + 1; }
int (*give_hidden(void))(void) { return hidden; }
";

/// Compiles the source to a shared object.
pub(in crate::processing) fn compile(source: &Path, output: &Path, options: &[&str]) -> PathBuf {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(compiler);
    command.args(["-shared", "-fPIC", "-O1"]).args(options).arg("-o").args([output, source]);
    let result = command.output().expect("the C compiler runs");
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    output.to_owned()
}

/// A loaded object.
pub(in crate::processing) struct Library(libloading::Library);

impl Library {
    pub(in crate::processing) fn load(path: &Path) -> Library {
        // SAFETY: an object of the tests, which does nothing when it is loaded.
        Library(unsafe { libloading::Library::new(path) }.expect("it can be loaded"))
    }

    fn symbol(&self, name: &CStr) -> usize {
        // SAFETY: of what has the name, the address is taken, and no more.
        let symbol = unsafe { self.0.get::<*const c_void>(name.to_bytes_with_nul()) };
        *symbol.expect("it has the name") as usize
    }

    /// The address of the static function.
    pub(in crate::processing) fn hidden(&self) -> usize {
        call(self.symbol(c"give_hidden"))
    }
}

/// Calls a function of the source.
pub(in crate::processing) fn call(address: usize) -> usize {
    // SAFETY: the source says so: an int is what is looked at of the result where it is one.
    unsafe { std::mem::transmute::<usize, extern "C" fn() -> usize>(address)() }
}

extern "C" fn of_the_program() -> i32 {
    5
}

fn found(place: &Place) -> Option<usize> {
    resolve(&place.build_id, place.offset, &place.object)
}

#[test]
fn functions_of_a_library_are_found_again() {
    let folder = scratch(&[("work.c", SOURCE)]);
    let path = compile(&folder.join("work.c"), &folder.join("work.so"), &["-DFACTOR=12"]);
    let library = Library::load(&path);
    for address in [library.symbol(c"visible"), library.hidden()] {
        let place = locate(address).expect("code of the library");
        assert_eq!((place.object.as_str(), place.program), (path.to_str().unwrap(), false));
        assert_eq!(found(&place), Some(address));
        assert!(is_code(address));
    }
    let place = locate(library.hidden()).unwrap();
    assert_eq!(resolve(&place.build_id, 1 << 40, &place.object), None, "outside of the code");
    let data = library.symbol(c"shared_state");
    assert_eq!(locate(data), None);
    let base = library.hidden() as u64 - place.offset;
    assert_eq!(resolve(&place.build_id, data as u64 - base, &place.object), None);
}

#[test]
fn builds_of_one_source_are_told_apart() {
    let folder = scratch(&[("work.c", SOURCE)]);
    let source = folder.join("work.c");
    for options in [&[][..], &["-Wl,--build-id=none"], &["-Wl,--build-id=md5"], &["-Wl,--build-id=0x12345678abcdef"]] {
        let build = |name: &str, factor| compile(&source, &folder.join(name), &[&[factor], options].concat());
        let six = Library::load(&build("six.so", "-DFACTOR=6"));
        let place = locate(six.hidden()).expect("it is identified");
        drop(six);
        assert_eq!(found(&place), None, "{options:?}: it is not loaded any more");
        let eleven = Library::load(&build("eleven.so", "-DFACTOR=11"));
        let given = options.iter().any(|option| option.contains("0x"));
        assert_eq!(found(&place).is_some(), given, "{options:?}: only an id that is given can lie");
        drop(eleven);
        let again = Library::load(&build("other-name.so", "-DFACTOR=6"));
        assert_eq!(found(&place), Some(again.hidden()), "{options:?}");
        assert_eq!(call(found(&place).unwrap()) as u32, 6);
        for file in ["six.so", "eleven.so", "other-name.so"] {
            std::fs::remove_file(folder.join(file)).unwrap();
        }
    }
}

#[test]
fn copies_are_told_apart_by_their_paths() {
    let folder = scratch(&[("work.c", SOURCE)]);
    let one = compile(&folder.join("work.c"), &folder.join("one.so"), &["-DFACTOR=13"]);
    let two = folder.join("two.so");
    std::fs::copy(&one, &two).unwrap();
    let libraries = [Library::load(&one), Library::load(&two)];
    for library in &libraries {
        let place = locate(library.hidden()).unwrap();
        assert_eq!(found(&place), Some(library.hidden()), "{}", place.object);
    }
    let place = locate(libraries[1].hidden()).unwrap();
    assert_eq!(resolve(&place.build_id, place.offset, "/elsewhere/two.so"), Some(libraries[0].hidden()), "the first");
}

#[test]
fn a_file_that_was_exchanged_identifies_nothing() {
    let folder = scratch(&[("work.c", SOURCE)]);
    let (path, options) = (folder.join("work.so"), ["-DFACTOR=14", "-Wl,--build-id=none"]);
    let library = Library::load(&compile(&folder.join("work.c"), &path, &options));
    let other = compile(&folder.join("work.c"), &folder.join("new.so"), &["-DFACTOR=15", "-Wl,--build-id=none"]);
    std::fs::rename(other, &path).unwrap();
    assert_eq!(locate(library.hidden()), None);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(locate(library.hidden()), None);
}

#[test]
fn functions_of_the_program_are_found() {
    let address = of_the_program as *const () as usize;
    let place = locate(address).expect("code of the program");
    assert!(place.program);
    assert_eq!(Path::new(&place.object), std::env::current_exe().unwrap());
    assert_eq!(found(&place), Some(address));
    assert_eq!(program(), (place.object.clone(), Some(place.build_id)));
}

#[test]
fn what_is_no_code_of_an_object_has_no_place() {
    static mut DATA: u64 = 0;
    let local = 0;
    let heap = Box::new(0);
    for address in
        [0, 1, usize::MAX, (&raw const DATA) as usize, (&raw const local) as usize, &raw const *heap as usize]
    {
        assert_eq!(locate(address), None, "{address:#x}");
    }
    // Code that the process makes itself.
    let (access, kind) = (libc::PROT_READ | libc::PROT_EXEC, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new memory, which stays.
    let made = unsafe { libc::mmap(ptr::null_mut(), 4096, access, kind, -1, 0) };
    assert_eq!(locate(made as usize), None);
}

#[test]
fn what_was_loaded_is_found_whatever_other_threads_load() {
    let folder = scratch(&[("work.c", SOURCE)]);
    let path = |number: i32| folder.join(format!("{number}.so"));
    for number in 0..4 {
        compile(&folder.join("work.c"), &path(number), &[&format!("-DFACTOR={number}")]);
    }
    std::thread::scope(|threads| {
        for number in 0..4 {
            let path = path(number);
            threads.spawn(move || {
                for _ in 0..300 {
                    let library = Library::load(&path);
                    let place = locate(library.hidden()).expect("it is loaded");
                    assert_eq!(found(&place), Some(library.hidden()));
                }
            });
        }
    });
}
