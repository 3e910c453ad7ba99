//! From a ready task to its end. A worker takes tasks out of its queue, or those of others, and polls sources
//! (`worker`); a task is run from its start to its end (`task`), by a call of the program's function (`callback`), for
//! which other workers may have to stand still (`cores`). It may leave its worker for a while (`blocking`), and gets it
//! back (`section`).

pub(crate) mod blocking;
mod callback;
mod cores;
pub(crate) mod section;
mod task;
pub(crate) mod worker;
