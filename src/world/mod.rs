//! The processes of a job as one machine: what each tells all others at the start, how the processes of a host divide
//! it, and the ranks of all workers.
//!
//! Pure: every process computes the same from the same cards, which the transport gathers.
//! - `card`: what a process says of itself; `division`: the PUs of a host, process by process
//! - `rank_table`: the ranks of all workers of all processes

pub(crate) mod card;
pub(crate) mod division;
pub(crate) mod rank_table;

#[cfg(test)]
mod tests;
