//! From a ready task to its end. A worker takes tasks out of its own queue, or of others, and polls sources (`worker`).
//! A task runs from its start to its end (`task`): it calls the program's function (`callback`), and other workers may
//! have to stand still for it (`cores`). It may leave its worker for a while (`section_begin`), and gets the worker
//! back (`section_end`).

mod callback;
mod cores;
pub(crate) mod section_begin;
pub(crate) mod section_end;
mod task;
pub(crate) mod worker;
