//! `dvm-codegen`: turns C loop nests into tiles, and shows each pass. The same program as the two beside it.

fn main() -> std::process::ExitCode {
    dvm_codegen::program::main()
}
