//! Redistributions between affine data distributions: plans, C and drawings.

use clap::Parser;
use dvm_codegen::redist::{RedistArgs, run};
use std::process::ExitCode;

/// Plan, generate and draw redistributions of arrays
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    redist: RedistArgs,
}

fn main() -> ExitCode {
    run(&Arguments::parse().redist)
}
