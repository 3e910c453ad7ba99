//! `dvmfc`: a replacement for `gfortran`. The same program as the two beside it.

fn main() -> std::process::ExitCode {
    dvm_codegen::program::main()
}
