//! The commands for redistributions: plans, C and drawings.

use clap::{Args, Subcommand};
use std::process::ExitCode;

pub mod c_command;
pub mod lattice_drawing;
pub mod plan;

mod c_arithmetic;
mod case_files;
mod expression;
mod names;

pub use case_files::Failure;

/// The arguments of `redist`.
#[derive(Debug, Args)]
pub struct RedistArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plan the redistributions of a file of cases: descriptors and figures
    Plan(plan::PlanArgs),
    /// Write C: loops over the memories around DMA_SEND and DMA_RECEIVE
    C(c_command::CArgs),
    /// Draw the lattices of one dimension and the transfers between them
    Draw(lattice_drawing::DrawArgs),
}

/// Runs `redist`; messages go to standard error.
pub fn run(arguments: &RedistArgs) -> ExitCode {
    let outcome = match &arguments.command {
        Command::Plan(a) => plan::run(a),
        Command::C(a) => c_command::run(a),
        Command::Draw(a) => lattice_drawing::run(a),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            crate::driver::output_file::tell(&format!("dvm-codegen redist: {failure}\n"));
            ExitCode::FAILURE
        }
    }
}
