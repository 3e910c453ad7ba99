//! What another process is told of a processing, and what it makes of that.
//!
//! A function is told by the object that holds it, and also by its name if it was registered by name. A function that was
//! registered by its address is never looked up by name: another program may use the name for something else.

use std::ffi::CString;
use std::num::NonZeroUsize;

use super::access;
use super::callee::{Callee, Named, Registrant};
use super::image::build_id::Short;
use super::image::{self, Place, file_name};
use super::registry::{REGISTRY, Signature};
use super::{ProcessingId, is_code};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::memory;
use crate::protocol::images::{Means, means};
use crate::wire::{Image, NAME_BYTES, Processing, cut};

/// What another process is told of a processing of this one.
#[derive(Debug)]
pub(crate) struct ProcessingAnnouncement<'a> {
    signature: &'a Signature,
    place: Option<Place>,
    /// Two bits per argument.
    accesses: Vec<u8>,
}

impl<'a> ProcessingAnnouncement<'a> {
    /// What is told of the processing with this signature.
    pub(crate) fn new(signature: &'a Signature) -> Result<ProcessingAnnouncement<'a>, Error> {
        let accesses = access::packed((0..signature.arguments()).map(|place| signature.access(place)))?;
        let address = signature.callee.address();
        // A function that the linker has chosen for this processor may be the wrong one for another: its name is told.
        let place = if signature.named && !is_code::is_named(address) { None } else { image::locate(address) };
        Ok(ProcessingAnnouncement { signature, place, accesses })
    }

    /// The message for the process that shall know the processing under this id.
    pub(crate) fn message(&self, id: ProcessingId) -> Processing<'_> {
        let signature = self.signature;
        let context = signature.callee.context();
        Processing {
            id,
            arguments: signature.arguments() as u32,
            accesses: &self.accesses,
            cores: signature.cores,
            array: context.is_some(),
            context: context.unwrap_or(0),
            description: cut(signature.description, NAME_BYTES),
            symbol: Some(signature.description.as_str())
                .filter(|name| signature.named && name.len() <= NAME_BYTES)
                .unwrap_or(""),
            image: self.place.as_ref().map(|place| Image {
                build_id: &place.build_id,
                offset: place.offset,
                object: cut(&place.object, NAME_BYTES),
                program: place.program,
            }),
        }
    }
}

/// What became of a processing that was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adopted {
    /// It is registered here under this id.
    Here(ProcessingId),
    /// Its code is not here, and can be sent.
    Elsewhere,
}

/// Registers a processing of another process here, so that tasks of it can run here, in the process `here`. `may_ship`:
/// its code may be sent.
///
/// # Errors
/// `DVM_ERR_SYMBOL` if its code is not here: with what to do about that.
pub(crate) fn adopt(told: &Processing<'_>, here: ProcessId, may_ship: bool) -> Result<Adopted, Error> {
    let function = match find(told, may_ship) {
        Means::Here(callee) => Registrant { callee, named: !told.symbol.is_empty() },
        Means::Ship { .. } => return Ok(Adopted::Elsewhere),
        Means::Nothing => return Err(missing(told, here)),
    };
    let count = told.arguments as usize;
    let id = REGISTRY.register(function, count, told.description)?;
    settle(id, told).inspect_err(|_| {
        let _ = REGISTRY.unregister(id);
    })?;
    Ok(Adopted::Here(id))
}

/// Says of the new processing what was told of it besides.
fn settle(id: ProcessingId, told: &Processing<'_>) -> Result<(), Error> {
    if told.accesses.iter().any(|part| *part != 0) {
        let access = |place| access::unpacked(told.accesses, place);
        REGISTRY.access(id, &memory::list((0..told.arguments as usize).map(access))?)?;
    }
    if told.cores != 1 {
        REGISTRY.set_cores(id, told.cores)?;
    }
    Ok(())
}

/// The function, or how its code may come here.
fn find<'a>(told: &Processing<'a>, may_ship: bool) -> Means<'a, Callee> {
    let context = told.array.then_some(told.context);
    let in_image = |image: Image<'_>| {
        let address = NonZeroUsize::new(image::resolve(image.build_id, image.offset, image.object)?)?;
        Some(Callee::at(address, context))
    };
    let of_symbol = |name: &str| {
        let Named(callee) = Callee::named(&CString::new(name).ok()?).ok()?;
        // What is registered by name takes no context.
        context.is_none().then_some(callee)
    };
    means(told, in_image, of_symbol, may_ship)
}

/// The most bytes of a name in an error, which has to fit into a message.
const SHOWN_NAME: usize = 24;

/// Why the code of a processing, which could be sent, did not come here.
pub(crate) fn not_shipped(told: &Processing<'_>, here: ProcessId, why: &str) -> Error {
    let what = cut(if told.description.is_empty() { "without a name" } else { told.description }, SHOWN_NAME);
    let (object, build_id) = told.image.map_or(("", &[][..]), |image| (image.object, image.build_id));
    let object = cut(file_name(object), SHOWN_NAME);
    let home = told.id.home();
    let text = format!(
        "processing '{what}' of process {home}: {object} (build-id {}) was not loaded in process {here}: {why}",
        Short(build_id)
    );
    Error::new(dvm_retcode_t::DVM_ERR_SYMBOL, text)
}

/// Why the code of a processing is not here, and what to do.
fn missing(told: &Processing<'_>, here: ProcessId) -> Error {
    let what = cut(if told.description.is_empty() { "without a name" } else { told.description }, SHOWN_NAME);
    let home = told.id.home();
    let shown = |path| cut(file_name(path), SHOWN_NAME).to_owned();
    let text = match told.image {
        Some(image) if image.program => {
            let (program, build_id) = image::program();
            let (there, own) = (shown(image.object), shown(&program));
            let which = build_id.map_or(String::new(), |id| format!(" (build-id {})", Short(&id)));
            format!(
                "processing '{what}' lives in program {there} (build-id {}), and process {here} runs {own}{which}: \
                 put it in a shared object, or start all processes from one program",
                Short(image.build_id)
            )
        }
        Some(image) => {
            let there = shown(image.object);
            let remedy = match image::other_build(image.object) {
                Some(other) => format!("has another build of it ({}): load the same one everywhere", Short(&other)),
                None => {
                    "has not loaded it: link the program with it, load it before its tasks come, or set DVM_SHIP_CODE=1"
                        .to_owned()
                }
            };
            let id = Short(image.build_id);
            format!(
                "processing '{what}' of process {home} lives in {there} (build-id {id}), and process {here} {remedy}"
            )
        }
        None if !told.symbol.is_empty() => format!(
            "processing '{what}' of process {home} is not in the dynamic tables of process {here}: link the program with \
             -rdynamic (CMake: ENABLE_EXPORTS ON), or load the library that has it"
        ),
        None => format!(
            "processing '{what}' of process {home} lies in no file that process {here} could know it by: register a \
             function of the program or of a library, linked with -Wl,--build-id"
        ),
    };
    Error::new(dvm_retcode_t::DVM_ERR_SYMBOL, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processing::ArgumentAccess;
    use crate::wire::{BatchHead, Message, TEXT_BYTES};
    use std::ffi::{c_int, c_void};
    use std::ptr;

    const THERE: ProcessId = ProcessId::from_index(3);

    extern "C" fn plain() -> c_int {
        7
    }

    extern "C" fn with_context(context: *mut c_void, _: *mut [u64; 2], count: c_int) -> c_int {
        context.addr() as c_int + count
    }

    /// An id as it is in the other process.
    fn told(id: ProcessingId) -> ProcessingId {
        ProcessingId::from_raw([1, id.number()])
    }

    /// Registers the function, tells it, adopts what was told: what both have to have in common, and the adopted.
    fn there_and_back(function: impl Into<Registrant>, accesses: &[ArgumentAccess], name: &str) -> &'static Signature {
        let id = REGISTRY.register(function, accesses.len(), name).unwrap();
        REGISTRY.access(id, accesses).unwrap();
        REGISTRY.set_cores(id, 2).unwrap();
        let own = REGISTRY.find(id).unwrap().signature;
        let announcement = ProcessingAnnouncement::new(own).unwrap();
        let Ok(Adopted::Here(adopted)) = adopt(&announcement.message(told(id)), THERE, false) else {
            panic!("it is here")
        };
        assert_ne!(adopted, id);
        let signature = REGISTRY.find(adopted).unwrap().signature;
        assert_eq!(signature, own);
        for id in [id, adopted] {
            REGISTRY.unregister(id).unwrap();
        }
        signature
    }

    /// What a function of this module returns.
    fn result(signature: &Signature) -> c_int {
        let mut ids = vec![[0; 2]; signature.arguments()];
        // SAFETY: the functions above take so many.
        unsafe { signature.callee.call(&mut ids) }.unwrap()
    }

    #[test]
    fn processings_are_the_same_when_they_were_told() {
        let kinds = [
            ArgumentAccess::In,
            ArgumentAccess::Out,
            ArgumentAccess::In,
            ArgumentAccess::Read,
            ArgumentAccess::InOut,
            ArgumentAccess::In,
        ];
        let modes = |count: usize| (0..count).map(|place| kinds[place % kinds.len()]);
        for count in [0, 1, 2, 7, 8, 9, 64] {
            there_and_back(Callee::plain(plain), &modes(count).collect::<Vec<_>>(), "plain");
        }
        for count in [0, 1, 8, 65, 200] {
            let callee = Callee::with_context(with_context, ptr::without_provenance_mut(1000));
            let signature = there_and_back(callee, &modes(count).collect::<Vec<_>>(), "");
            assert_eq!(result(signature), 1000 + count as c_int, "the number arrives");
            assert_eq!(signature.arguments(), count);
        }
        assert!(!there_and_back(Callee::plain(plain), &[], "getpid").named);
        assert!(there_and_back(Callee::named(c"getpid").unwrap(), &[], "getpid").named);
        // Chosen for this processor.
        there_and_back(Callee::named(c"memcpy").unwrap(), &[ArgumentAccess::In], "memcpy");
    }

    #[test]
    fn a_message_means_the_same_code_in_another_process() {
        const FILE: &str = "DVM_TEST_ANNOUNCEMENTS";
        if testkit::playing() {
            let batch = std::fs::read(std::env::var_os(FILE).unwrap()).unwrap();
            for message in BatchHead::read(&batch).unwrap().1 {
                let Ok(Message::Processing(told)) = message else { panic!("{message:?}") };
                let Ok(Adopted::Here(id)) = adopt(&told, THERE, false) else { panic!("it is here") };
                println!("{} {}", told.description, result(REGISTRY.find(id).unwrap().signature));
            }
            return;
        }
        let mut batch = Vec::new();
        BatchHead::begin(&mut batch);
        let context = ptr::without_provenance_mut(40);
        for (callee, count, name) in [
            (Callee::plain(plain), 0, "plain"),
            (Callee::with_context(with_context, context), 2, "context"),
            (Callee::plain(plain), 0, "again"),
        ] {
            let id = REGISTRY.register(callee, count, name).unwrap();
            let announcement = ProcessingAnnouncement::new(REGISTRY.find(id).unwrap().signature).unwrap();
            Message::Processing(announcement.message(told(id))).add_to(&mut batch).unwrap();
            REGISTRY.unregister(id).unwrap();
        }
        BatchHead::default().finish(&mut batch);
        let folder = testkit::scratch(&[]);
        folder.write("batch", &batch);
        let name = "processing::announcement::tests::a_message_means_the_same_code_in_another_process";
        let output = testkit::passes(testkit::part(name).env(FILE, folder.join("batch")));
        for line in ["plain 7", "context 42", "again 7"] {
            assert!(output.contains(line), "{output}");
        }
    }

    #[test]
    fn names_are_told_of_what_was_registered_by_name_only() {
        let named = REGISTRY.register(Callee::named(c"getpid").unwrap(), 0, "getpid").unwrap();
        let by_address = REGISTRY.register(Callee::plain(plain), 0, "getpid").unwrap();
        let symbol = |id| {
            let announcement = ProcessingAnnouncement::new(REGISTRY.find(id).unwrap().signature).unwrap();
            announcement.message(id).symbol.to_owned()
        };
        assert_eq!((symbol(named), symbol(by_address)), ("getpid".into(), String::new()));
        let chosen = REGISTRY.register(Callee::named(c"memcpy").unwrap(), 0, "memcpy").unwrap();
        let announcement = ProcessingAnnouncement::new(REGISTRY.find(chosen).unwrap().signature).unwrap();
        assert_eq!((announcement.message(chosen).symbol, announcement.message(chosen).image), ("memcpy", None));
        for id in [named, by_address, chosen] {
            REGISTRY.unregister(id).unwrap();
        }
    }

    /// The error of a process that has not the code.
    fn refused(symbol: &str, image: Option<Image<'_>>) -> String {
        let name = "x".repeat(NAME_BYTES);
        let mut told = Processing {
            id: ProcessingId::from_raw([1, 1]),
            arguments: 0,
            accesses: &[],
            cores: 1,
            array: false,
            context: 0,
            description: &name,
            symbol,
            image,
        };
        let long = adopt(&told, THERE, false).unwrap_err();
        assert!(long.message().len() <= TEXT_BYTES, "it fits into a message: {long}");
        told.description = "work";
        let error = adopt(&told, THERE, false).unwrap_err();
        assert_eq!(error.code(), dvm_retcode_t::DVM_ERR_SYMBOL);
        assert!(error.message().contains("'work'") && error.message().contains("process 3"), "{error}");
        error.message().to_owned()
    }

    #[test]
    fn what_is_not_here_is_told_with_its_remedy() {
        let says = |text: &str, parts: &[&str]| {
            for part in parts {
                assert!(text.contains(part), "'{text}' has '{part}'");
            }
        };
        let (path, own) = image::program();
        let (own, own_id) =
            (cut(file_name(&path), SHOWN_NAME), Short(&own.expect("the tests have a build-id")).to_string());
        let program = Image { build_id: &[0xab; 20], offset: 64, object: "/opt/bin/solver", program: true };
        let parts = ["program solver", "abababababab", own, &own_id, "shared object", "start all processes from"];
        says(&refused("", Some(program)), &parts);
        says(&refused("no_such_name_at_all", Some(program)), &parts);
        let library = Image { object: "/opt/lib/libsolve.so.1", program: false, ..program };
        says(&refused("", Some(library)), &["libsolve.so.1", "has not loaded it", "link the program with it"]);
        let long = "y".repeat(300);
        refused("", Some(Image { object: &long, ..program }));
        refused("", Some(Image { object: &long, ..library }));
        let libc = image::locate(Callee::named(c"getpid").unwrap().0.address()).unwrap();
        let other = Image { object: &format!("/elsewhere/{}", file_name(&libc.object)), ..library };
        says(&refused("", Some(other)), &["another build", &Short(&libc.build_id).to_string()]);
        says(&refused("no_such_name_at_all", None), &["-rdynamic", "ENABLE_EXPORTS"]);
        says(&refused("", None), &["no file", "--build-id"]);
    }

    #[test]
    fn what_no_process_would_tell_is_refused() {
        let id = REGISTRY.register(Callee::plain(plain), 0, "plain").unwrap();
        let announcement = ProcessingAnnouncement::new(REGISTRY.find(id).unwrap().signature).unwrap();
        let told = announcement.message(id);
        let (many, none) = ([0; 1000], Image { offset: 1 << 50, ..told.image.unwrap() });
        assert!(
            adopt(&Processing { arguments: 8000, accesses: &many, ..told }, THERE, false).is_err(),
            "too many for a plain one"
        );
        assert!(adopt(&Processing { image: Some(none), ..told }, THERE, false).is_err(), "no code is there");
        assert!(adopt(&Processing { symbol: "environ", image: None, ..told }, THERE, false).is_err(), "data");
        REGISTRY.unregister(id).unwrap();
    }
}
