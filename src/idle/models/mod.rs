//! The protocols under loom, with callers of their own. Each test runs all orders of its threads' steps with at most
//! three preemptions. With the feature `planted`, a test per defect shows that the same run finds the defect.

mod arbiter;
mod closing;
mod completion;
mod parking;
mod rows;
mod slot;
mod team;
mod worker_bits;

/// Runs a model.
pub(crate) fn check(body: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(body);
}

/// Whether the test of this name fails with an error of loom once the defect of this name is put back. The test runs in
/// a process of its own: loom's objects cannot be dropped after a deadlock.
#[cfg(feature = "planted")]
pub(crate) fn finds(test: &str, defect: &str) {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--exact", test, "--nocapture"]).env("DVM_PLANTED", defect).output().unwrap();
    let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    // A deadlock, a thread that never ends, a race on data of one thread, or a failed assertion of the model.
    let signs = ["deadlock; threads", "exceeded maximum number of branches", "Causality violation", "/models/"];
    let found = signs.iter().any(|sign| told.contains(sign));
    assert!(told.contains("running 1 test") && !output.status.success() && found, "{told}");
}

/// A test of the sound protocol by `$model`; with the feature `planted`, also a test per defect that shows that loom
/// finds it.
macro_rules! models {
    ($($model:ident finds [$($defect:ident),*];)*) => {
        $(
            mod $model {
                #[test]
                fn sound() {
                    crate::idle::models::check(super::$model);
                }

                $(
                    #[cfg(feature = "planted")]
                    #[test]
                    fn $defect() {
                        let module = module_path!().split_once("::").expect("in the crate").1;
                        crate::idle::models::finds(&format!("{module}::sound"), stringify!($defect));
                    }
                )*
            }
        )*
    };
}
pub(crate) use models;
