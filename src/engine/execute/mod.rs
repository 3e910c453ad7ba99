//! From a ready task to its end. A worker takes tasks out of its own queue, or of others, and polls sources (`worker`).
//! A task runs from its start to its end (`task`): it calls the program's function (`callback`), and other workers may
//! have to stand still for it (`cores`). It may leave its worker for a while (`blocking`), and gets the worker back
//! (`section`).

pub(crate) mod blocking;
mod callback;
mod cores;
pub(crate) mod section;
mod task;
pub(crate) mod worker;
