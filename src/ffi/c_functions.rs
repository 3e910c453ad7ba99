//! The functions with plain pointers, as C sees them, for programs in Rust that call them as C does. The ABI test
//! compares each with the header.
#![allow(missing_docs, reason = "the documentation is that of the exported functions")]

use std::ffi::{c_char, c_int, c_void};

use super::dvm_retcode_t;

pub use super::across::{dvm_across_array_t, dvm_across_flow_t, dvm_across_phase_t, dvm_across_t, dvm_across_visit_t};
pub use super::distribution::{DVM_DISTRIBUTION_EVERY_MEMORY, DVM_DISTRIBUTION_MAX_DIMENSION, dvm_distribution_t};
pub use super::dma::dvm_dma_t;
pub use super::graph::{DVM_GRAPH_MAX_DIMENSION, dvm_graph_t, dvm_graph_visit_t};
pub use super::redistribution::{DVM_REDISTRIBUTION_BALANCE, dvm_redistribution_figures_t, dvm_redistribution_t};
pub use super::region::{DVM_REGION_CLASSES, dvm_region_entry_t, dvm_region_t};
pub use super::scheduling::dvm_sched_onto;

unsafe extern "C" {
    pub safe fn dvm_version() -> c_int;
    pub unsafe fn dvm_init() -> dvm_retcode_t;
    pub unsafe fn dvm_init_comm(fortran_comm: c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_finalize() -> dvm_retcode_t;
    pub unsafe fn dvm_wait() -> dvm_retcode_t;
    pub unsafe fn dvm_serve() -> dvm_retcode_t;
    pub unsafe fn dvm_process(index: *mut u64, count: *mut u64) -> dvm_retcode_t;
    pub unsafe fn dvm_rank_dimension(dimension: *mut c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_rank_get(rank_array: *mut u64, rank_array_size: c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_rank_size(size_array: *mut u64, size_array_size: c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_rank_count(count: *mut u64) -> dvm_retcode_t;
    pub unsafe fn dvm_rank_at(index: u64, rank_array: *mut u64, rank_array_size: c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_rank_distance(a: *const u64, b: *const u64, distance: *mut u64) -> dvm_retcode_t;
    pub unsafe fn dvm_data_register(
        addr: *mut c_void,
        size: usize,
        free_cb: Option<unsafe extern "C" fn(addr: *mut c_void, size: usize)>,
        id: *mut [u64; 2],
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_data_allocate(size: usize, id: *mut [u64; 2]) -> dvm_retcode_t;
    pub unsafe fn dvm_data_acquire(id: *mut u64) -> dvm_retcode_t;
    pub unsafe fn dvm_data_relax(id: *mut u64) -> dvm_retcode_t;
    pub unsafe fn dvm_data_get(id: *const u64, addr: *mut *mut c_void, size: *mut usize) -> dvm_retcode_t;
    pub unsafe fn dvm_data_put(id: *const u64) -> dvm_retcode_t;
    pub unsafe fn dvm_data_promise(size: usize, id: *mut [u64; 2]) -> dvm_retcode_t;
    pub unsafe fn dvm_data_write(id: *const u64, addr: *mut *mut c_void, size: *mut usize) -> dvm_retcode_t;
    pub unsafe fn dvm_data_publish(id: *const u64) -> dvm_retcode_t;
    pub unsafe fn dvm_data_next(current: *const u64, next: *mut [u64; 2]) -> dvm_retcode_t;
    pub unsafe fn dvm_data_name(id: *const u64, name: *const c_char) -> dvm_retcode_t;
    pub unsafe fn dvm_processing_register(
        callback: Option<unsafe extern "C" fn() -> c_int>,
        number_of_args: c_int,
        description: *mut c_char,
        id: *mut u64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_processing_register_by_name(
        function_name: *mut c_char,
        number_of_data_args: c_int,
        id: *mut u64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_processing_register_v(
        callback: Option<unsafe extern "C" fn(context: *mut c_void, ids: *mut [u64; 2], count: c_int) -> c_int>,
        context: *mut c_void,
        number_of_args: c_int,
        description: *const c_char,
        id: *mut u64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_processing_access(id: *const u64, modes: *const c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_processing_unregister(id: *mut [u64; 2]) -> dvm_retcode_t;
    pub unsafe fn dvm_sched_onto_v(
        rank: *const u64,
        function: *const u64,
        ids: *mut [u64; 2],
        count: c_int,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_sched_near(function: *const u64, ids: *mut [u64; 2], count: c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_sched_load(rank: *mut u64, load: *mut u64) -> dvm_retcode_t;
    pub unsafe fn dvm_blocking_begin() -> dvm_retcode_t;
    pub unsafe fn dvm_blocking_end() -> dvm_retcode_t;
    pub unsafe fn dvm_processing_cores(id: *const u64, cores: c_int) -> dvm_retcode_t;
    pub safe fn dvm_graph_start() -> dvm_retcode_t;
    pub unsafe fn dvm_graph_run(graph: *const dvm_graph_t) -> dvm_retcode_t;
    pub unsafe fn dvm_region_enter(
        region: *mut dvm_region_t,
        work: i64,
        entry: *mut dvm_region_entry_t,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_region_leave(region: *mut dvm_region_t, entry: *const dvm_region_entry_t) -> dvm_retcode_t;
    pub unsafe fn dvm_region_run(graph: *const dvm_graph_t) -> dvm_retcode_t;
    pub unsafe fn dvm_region_sizes(
        region: *mut dvm_region_t,
        dimension: c_int,
        extent: *const i64,
        carried: *const c_int,
        footprint: Option<unsafe extern "C" fn(context: *mut c_void, sizes: *const i64) -> i64>,
        context: *mut c_void,
        sizes: *mut i64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_region_waits(work: i64, waits: *mut c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_graph_sizes(
        name: *const c_char,
        dimension: c_int,
        extent: *const i64,
        carried: *const c_int,
        footprint: Option<unsafe extern "C" fn(context: *mut c_void, sizes: *const i64) -> i64>,
        context: *mut c_void,
        sizes: *mut i64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_across_begins(across: *mut c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_across_run(
        region: *const dvm_across_t,
        context: *mut c_void,
        arrays: *const dvm_across_array_t,
        digest: u64,
        willing: c_int,
        ran: *mut c_int,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_across_known(region: *const dvm_across_t) -> dvm_retcode_t;
    pub unsafe fn dvm_across_serve(caller: Option<unsafe extern "C" fn()>) -> dvm_retcode_t;
    pub fn dvm_across_loop(begins: c_int) -> dvm_retcode_t;
    pub unsafe fn dvm_across_sizes(call: *mut c_void, count: c_int, sizes: *mut i64) -> dvm_retcode_t;
    pub unsafe fn dvm_across_graph(
        call: *mut c_void,
        graph: *const dvm_graph_t,
        phase: c_int,
        hosts_count: c_int,
        hosts: *const i64,
        first: *const i64,
        step: *const i64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_explain() -> dvm_retcode_t;
    pub unsafe fn dvm_explain_text(buffer: *mut c_void, size: usize, needed: *mut usize) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_parse(
        text: *const c_char,
        parameters: *const c_char,
        distribution: *mut dvm_distribution_t,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_make(
        dimensions: c_int,
        offset: *const i64,
        elements: *const i64,
        variables: c_int,
        dimension: *const c_int,
        architectural: *const c_int,
        coef: *const i64,
        lower: *const i64,
        upper: *const i64,
        distribution: *mut dvm_distribution_t,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_block_cyclic(
        dimensions: c_int,
        elements: *const i64,
        block: *const i64,
        processes: *const i64,
        distribution: *mut dvm_distribution_t,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_halo(
        dimensions: c_int,
        elements: *const i64,
        processes: *const i64,
        before: *const i64,
        after: *const i64,
        distribution: *mut dvm_distribution_t,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_scalapack(
        descriptor: *const c_int,
        rows: c_int,
        columns: c_int,
        distribution: *mut dvm_distribution_t,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_scalapack_64(
        descriptor: *const i64,
        rows: i64,
        columns: i64,
        distribution: *mut dvm_distribution_t,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_set_order(
        distribution: dvm_distribution_t,
        order: *const c_int,
        count: c_int,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_set_strides(
        distribution: dvm_distribution_t,
        memory: i64,
        strides: *const i64,
        count: c_int,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_set_processes(
        distribution: dvm_distribution_t,
        processes: *const i64,
        count: i64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_set_grid(
        distribution: dvm_distribution_t,
        order: c_int,
        processes: *const i64,
        count: i64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_memories(distribution: dvm_distribution_t, memories: *mut i64) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_size(
        distribution: dvm_distribution_t,
        memory: i64,
        elements: *mut i64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_extents(
        distribution: dvm_distribution_t,
        memory: i64,
        extents: *mut i64,
        count: c_int,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_distribution_strides(
        distribution: dvm_distribution_t,
        memory: i64,
        strides: *mut i64,
        count: c_int,
    ) -> dvm_retcode_t;
    pub safe fn dvm_distribution_free(distribution: dvm_distribution_t) -> dvm_retcode_t;
    pub unsafe fn dvm_redistribution_plan(
        source: dvm_distribution_t,
        target: dvm_distribution_t,
        flags: c_int,
        plan: *mut dvm_redistribution_t,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_redistribution_figures(
        plan: dvm_redistribution_t,
        element: usize,
        figures: *mut dvm_redistribution_figures_t,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_redistribution_message(
        plan: dvm_redistribution_t,
        source: i64,
        target: i64,
        elements: *mut i64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_redistribution_descriptor(
        plan: dvm_redistribution_t,
        index: i64,
        descriptor: *mut i64,
        count: c_int,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_redistribute(
        plan: dvm_redistribution_t,
        arrays: c_int,
        element: *const usize,
        source: *mut [u64; 2],
        target: *mut [u64; 2],
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_redistribute_start(
        plan: dvm_redistribution_t,
        arrays: c_int,
        element: *const usize,
        source: *mut [u64; 2],
        target: *mut [u64; 2],
        done: *mut [u64; 2],
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_redistribution_received(
        plan: dvm_redistribution_t,
        messages: *mut u64,
        bytes: *mut u64,
    ) -> dvm_retcode_t;
    pub safe fn dvm_redistribution_free(plan: dvm_redistribution_t) -> dvm_retcode_t;
    pub unsafe fn dvm_dma_open(
        dma: *mut dvm_dma_t,
        element: usize,
        source: *mut [u64; 2],
        sources: i64,
        target: *mut [u64; 2],
        targets: i64,
    ) -> dvm_retcode_t;
    pub unsafe fn dvm_dma_open_over(
        dma: *mut dvm_dma_t,
        element: usize,
        source: *mut [u64; 2],
        source_process: *const i64,
        sources: i64,
        target: *mut [u64; 2],
        target_process: *const i64,
        targets: i64,
    ) -> dvm_retcode_t;
    pub safe fn dvm_dma_send(dma: dvm_dma_t, memory: i64, offset: i64, count: i64, stride: i64) -> dvm_retcode_t;
    pub safe fn dvm_dma_send_2d(
        dma: dvm_dma_t,
        memory: i64,
        offset: i64,
        count: i64,
        stride: i64,
        count2: i64,
        stride2: i64,
    ) -> dvm_retcode_t;
    pub safe fn dvm_dma_send_3d(
        dma: dvm_dma_t,
        memory: i64,
        offset: i64,
        count: i64,
        stride: i64,
        count2: i64,
        stride2: i64,
        count3: i64,
        stride3: i64,
    ) -> dvm_retcode_t;
    pub safe fn dvm_dma_receive(dma: dvm_dma_t, memory: i64, offset: i64, count: i64, stride: i64) -> dvm_retcode_t;
    pub safe fn dvm_dma_receive_2d(
        dma: dvm_dma_t,
        memory: i64,
        offset: i64,
        count: i64,
        stride: i64,
        count2: i64,
        stride2: i64,
    ) -> dvm_retcode_t;
    pub safe fn dvm_dma_receive_3d(
        dma: dvm_dma_t,
        memory: i64,
        offset: i64,
        count: i64,
        stride: i64,
        count2: i64,
        stride2: i64,
        count3: i64,
        stride3: i64,
    ) -> dvm_retcode_t;
    pub safe fn dvm_dma_wait(dma: dvm_dma_t) -> dvm_retcode_t;
    pub safe fn dvm_dma_close(dma: dvm_dma_t) -> dvm_retcode_t;
    pub safe fn dvm_strerror(code: u32) -> *const c_char;
    pub safe fn dvm_last_error() -> *const c_char;
}
