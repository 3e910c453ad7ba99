//! hwloc's view of the machine, copied into plain data: nothing of hwloc remains after [`read`].
#![allow(unsafe_code, reason = "hwloc is a C library")]

use std::ffi::{CStr, CString, c_int, c_uint};
use std::ptr::{self, NonNull};
use std::slice;

use super::hwloc as sys;
use crate::error::{Error, dvm_retcode_t};

/// The source of a topology.
#[derive(Clone, Copy, Debug)]
pub(super) enum TopologySource<'a> {
    /// The machine that runs the process (or the one that hwloc's own environment variables select).
    System,
    /// hwloc's synthetic syntax.
    Synthetic(&'a str),
    /// hwloc's XML: a recorded machine.
    #[cfg(test)]
    Xml(&'a str),
}

/// Why a topology could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The source text has a syntax error.
    Syntax,
    /// libdvm was built with a header of another major version than the library in the process.
    Version { built: u32, running: u32 },
    /// hwloc has no memory or cannot read the system.
    Load,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        let message = match failure {
            Failure::Version { built, running } => format!(
                "libdvm was built for hwloc {}.x and runs with hwloc {}.x: install the former, or build libdvm again",
                built >> 16,
                running >> 16
            ),
            Failure::Syntax | Failure::Load => {
                "hwloc cannot read the topology of this machine: see what lstopo says, or set DVM_SYNTHETIC (as \"core:2 pu:1\")".into()
            }
        };
        Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, message)
    }
}

/// A cache that a PU uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CacheAbove {
    /// Identifies the cache: the same for all PUs below it.
    pub object: u32,
    /// Size; 0: unknown.
    pub bytes: u64,
}

/// A processing unit and its position in the tree.
#[derive(Clone, Debug)]
pub(super) struct Pu {
    /// The system's number.
    pub os_index: u32,
    /// Its core (the PU itself if hwloc knows no cores).
    pub core: u32,
    /// The PU's ancestor on each level of hwloc's tree, the root first; `None` if it has none there.
    pub path: Vec<Option<u32>>,
    /// L1 data, L2, L3.
    pub caches: [Option<CacheAbove>; 3],
}

/// A matrix of latencies between objects.
#[derive(Clone, Debug)]
pub(super) struct Latencies {
    /// For each PU, the index of its object.
    pub object_of: Vec<Option<usize>>,
    /// The number of objects.
    pub count: usize,
    /// Latencies, row-major.
    pub values: Vec<u64>,
}

/// An object above PUs, or a PU, for printing the tree.
#[derive(Clone, Debug)]
pub(super) struct TreeNode {
    /// hwloc's name of its type: `Package`, `L3Cache`, `PU`.
    pub kind: String,
    /// Its index among the objects of its type, in tree order.
    pub index: u32,
    /// Size of a cache in bytes; 0: not a cache, or unknown.
    pub bytes: u64,
    /// Its parent; `None` for the root.
    pub parent: Option<u32>,
    /// The lowest of the system's numbers of its PUs, of those that the process may not use as well. With the type it
    /// names the object to other processes of the host, whose trees may lack other PUs.
    pub lowest_cpu: u32,
    /// The NUMA nodes for exactly its PUs: their numbers and sizes in bytes.
    pub memory: Vec<(u32, u64)>,
}

/// A machine's tree, PUs and latencies.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    /// All objects; [`Pu::path`] has indices into this.
    pub nodes: Vec<TreeNode>,
    /// All PUs, in tree order.
    pub pus: Vec<Pu>,
    /// Whether this machine runs the process, so that threads can be bound to its PUs.
    pub is_this_system: bool,
    /// hwloc's latency matrices.
    pub latencies: Vec<Latencies>,
}

// With references for pointers, these calls need no promise: a reference says that the topology, or the set, is there.
// NULL is no topology. Only `hwloc_topology_destroy`, which nobody calls but `Handle::drop`, ends one.
unsafe extern "C" {
    safe fn hwloc_get_api_version() -> u32;
    safe fn hwloc_topology_init(made: &mut Option<&'static sys::hwloc_topology>) -> c_int;
    safe fn hwloc_bitmap_first(set: &sys::hwloc_bitmap_s) -> c_int;
    safe fn hwloc_bitmap_isset(set: &sys::hwloc_bitmap_s, number: c_uint) -> c_int;
    safe fn hwloc_topology_load(topology: &sys::hwloc_topology) -> c_int;
    safe fn hwloc_topology_is_thissystem(topology: &sys::hwloc_topology) -> c_int;
}

/// The version of hwloc in the process.
pub(super) fn hwloc_version() -> u32 {
    hwloc_get_api_version()
}

pub(super) fn read(source: TopologySource<'_>) -> Result<Topology, Failure> {
    let handle = Handle::load(source)?;
    let mut walk = Walk { nodes: Vec::new(), path: Vec::new(), caches: [None; 3], core: None, pus: Vec::new() };
    walk.visit(handle.root().ok_or(Failure::Load)?);
    let levels = walk.pus.iter().map(|pu| pu.path.len()).max().unwrap_or(0);
    for pu in &mut walk.pus {
        pu.pad_to(levels);
    }
    let latencies = handle.latencies(&walk.pus);
    Ok(Topology { nodes: walk.nodes, pus: walk.pus, is_this_system: handle.is_this_system(), latencies })
}

impl Pu {
    /// Extends all paths to `levels`: hwloc has all PUs on its last level; the paths are right even if not.
    fn pad_to(&mut self, levels: usize) {
        let own = self.path.pop().flatten();
        self.path.resize(levels - 1, None);
        self.path.push(own);
    }
}

/// A hwloc topology, which goes with its handle.
struct Handle(&'static sys::hwloc_topology);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: `load` made the handle; nobody else has it, and objects borrow from `self`.
        unsafe { sys::hwloc_topology_destroy(self.raw()) }
    }
}

impl Handle {
    /// The pointer that hwloc takes.
    fn raw(&self) -> sys::hwloc_topology_t {
        ptr::from_ref(self.0).cast_mut()
    }

    fn load(source: TopologySource<'_>) -> Result<Handle, Failure> {
        let running = hwloc_version();
        let built = sys::HWLOC_API_VERSION;
        if running >> 16 != built >> 16 {
            return Err(Failure::Version { built, running });
        }
        let mut made = None;
        if hwloc_topology_init(&mut made) != 0 {
            return Err(Failure::Load);
        }
        let handle = Handle(made.ok_or(Failure::Load)?);
        let described = match source {
            TopologySource::System => {
                handle.do_without_sysfs();
                true
            }
            TopologySource::Synthetic(text) => {
                let text = CString::new(text).map_err(|_| Failure::Syntax)?;
                // SAFETY: the handle is initialised and not loaded; hwloc copies the text, which ends with NUL.
                unsafe { sys::hwloc_topology_set_synthetic(handle.raw(), text.as_ptr()) == 0 }
            }
            #[cfg(test)]
            TopologySource::Xml(text) => {
                let text = CString::new(text).map_err(|_| Failure::Syntax)?;
                let size = text.as_bytes_with_nul().len() as i32;
                // SAFETY: the handle is initialised and not loaded; the text has `size` bytes with its NUL, and hwloc
                // parses it during this call.
                unsafe { sys::hwloc_topology_set_xmlbuffer(handle.raw(), text.as_ptr(), size) == 0 }
            }
        };
        if !described {
            return Err(Failure::Syntax);
        }
        if hwloc_topology_load(handle.0) != 0 {
            return Err(Failure::Load);
        }
        Ok(handle)
    }

    /// Without the kernel's files about CPUs, hwloc's Linux discovery gives up with a message on stderr. The others, by
    /// the processor or the number of CPUs, are silent, and find what the Linux one would have left to them.
    fn do_without_sysfs(&self) {
        /// `HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST`.
        const BLACKLIST: u64 = 1;
        let there = |folder: &str| std::path::Path::new(folder).join("cpu0/topology").exists();
        if there("/sys/bus/cpu/devices")
            || there("/sys/devices/system/cpu")
            || std::env::var_os("HWLOC_FSROOT").is_some()
        {
            return;
        }
        // SAFETY: the handle is initialised and not loaded; the name ends with NUL. If hwloc refuses, it prints its line.
        unsafe { sys::hwloc_topology_set_components(self.raw(), BLACKLIST, c"linux".as_ptr()) };
    }

    fn is_this_system(&self) -> bool {
        hwloc_topology_is_thissystem(self.0) != 0
    }

    fn root(&self) -> Option<Object<'_>> {
        // SAFETY: the topology is loaded; its objects live, unchanged, as long as it does, which is longer than `self` is
        // borrowed.
        unsafe { sys::hwloc_get_obj_by_depth(self.raw(), 0, 0).as_ref() }.map(Object)
    }

    /// The latency matrices, with the object of each of `pus`.
    fn latencies(&self, pus: &[Pu]) -> Vec<Latencies> {
        let mut matrices = Vec::new();
        let count = self.distances(&mut matrices);
        matrices.resize(count, ptr::null_mut());
        let count = self.distances(&mut matrices);
        matrices.truncate(count);
        let given = matrices.into_iter().filter_map(NonNull::new).map(|matrix| Matrix { handle: self, matrix });
        given.map(|matrix| matrix.latencies(pus)).collect()
    }

    /// Has hwloc fill its matrices of latencies in, as many as there is room for; the number of those that it has, or
    /// 0.
    fn distances(&self, room: &mut [*mut sys::hwloc_distances_s]) -> usize {
        let kind = u64::from(sys::hwloc_distances_kind_e_HWLOC_DISTANCES_KIND_MEANS_LATENCY);
        let mut count = room.len() as u32;
        // SAFETY: the topology is loaded; hwloc writes no more matrices than the count says, and then sets it.
        let failed = unsafe { sys::hwloc_distances_get(self.raw(), &raw mut count, room.as_mut_ptr(), kind, 0) } != 0;
        if failed { 0 } else { count as usize }
    }
}

/// A matrix that hwloc has filled in.
struct Matrix<'a> {
    handle: &'a Handle,
    matrix: NonNull<sys::hwloc_distances_s>,
}

impl Drop for Matrix<'_> {
    fn drop(&mut self) {
        // SAFETY: hwloc has given it, and it is released once.
        unsafe { sys::hwloc_distances_release(self.handle.raw(), self.matrix.as_ptr()) };
    }
}

impl Matrix<'_> {
    /// Its objects, and the values row by row.
    fn parts(&self) -> (&[Option<Object<'_>>], &[u64]) {
        // SAFETY: hwloc has allocated `nbobjs` objects, each the address of one or NULL, as the type has them, and `nbobjs`
        // squared values, until the release. The objects live as long as their topology.
        unsafe {
            let matrix = self.matrix.as_ref();
            let count = matrix.nbobjs as usize;
            (slice::from_raw_parts(matrix.objs.cast(), count), slice::from_raw_parts(matrix.values, count * count))
        }
    }

    /// A copy of it, with the object of each of `pus`.
    fn latencies(&self, pus: &[Pu]) -> Latencies {
        let (objects, values) = self.parts();
        let has = |object: &Option<Object<'_>>, pu: &Pu| object.is_some_and(|object| object.has(pu.os_index));
        let object_of = pus.iter().map(|pu| objects.iter().position(|object| has(object, pu))).collect();
        Latencies { object_of, count: objects.len(), values: values.to_vec() }
    }
}

/// An object of a loaded topology.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Object<'a>(&'a sys::hwloc_obj);

/// What an object points to.
#[derive(Clone, Copy)]
enum Link {
    FirstChild,
    FirstMemoryChild,
    NextSibling,
}

impl<'a> Object<'a> {
    fn kind(self) -> sys::hwloc_obj_type_t {
        self.0.type_
    }

    /// Its level; memory, I/O and misc objects have negative ones, but [`Object::children`] never yields those.
    fn level(self) -> usize {
        usize::try_from(self.0.depth).unwrap_or(0)
    }

    /// Its children, except NUMA nodes: hwloc attaches those beside the tree, below the group of PUs that they serve.
    fn children(self) -> impl Iterator<Item = Object<'a>> {
        std::iter::successors(self.follow(Link::FirstChild), |child| child.follow(Link::NextSibling))
    }

    /// The object that this one points to; `None` for NULL, with which hwloc ends its lists.
    fn follow(self, link: Link) -> Option<Object<'a>> {
        let pointer = match link {
            Link::FirstChild => self.0.first_child,
            Link::FirstMemoryChild => self.0.memory_first_child,
            Link::NextSibling => self.0.next_sibling,
        };
        // SAFETY: what an object of hwloc's points to lives as long as it does, `'a`.
        unsafe { pointer.as_ref() }.map(Object)
    }

    /// One of its sets of PUs: those that the process may use, or all.
    fn set(self, all: bool) -> Option<&'a sys::hwloc_bitmap_s> {
        let set = if all { self.0.complete_cpuset } else { self.0.cpuset };
        // SAFETY: NULL, or a set that lives as long as the object.
        unsafe { set.as_ref() }
    }

    /// Whether the PU with this number of the system's is one of its own.
    fn has(self, pu: u32) -> bool {
        self.set(false).is_some_and(|set| hwloc_bitmap_isset(set, pu) != 0)
    }

    /// hwloc's name of its type.
    fn type_name(self) -> String {
        // SAFETY: hwloc gives a constant text for every type that it gives to objects.
        unsafe { CStr::from_ptr(sys::hwloc_obj_type_string(self.kind())) }.to_string_lossy().into_owned()
    }

    /// The NUMA nodes beside it, including those behind a memory-side cache: their numbers and sizes in bytes.
    fn memory(self) -> Vec<(u32, u64)> {
        let first = self.follow(Link::FirstMemoryChild);
        let beside = std::iter::successors(first, |object| object.follow(Link::NextSibling));
        let mut nodes = Vec::new();
        for object in beside {
            if object.kind() == sys::hwloc_obj_type_t_HWLOC_OBJ_NUMANODE {
                nodes.push((object.0.logical_index, object.bytes()));
            }
            nodes.extend(object.memory());
        }
        nodes
    }

    /// The lowest of the system's numbers of its PUs, of those outside of the process's cpuset as well.
    fn lowest_cpu(self) -> u32 {
        let lowest = self.set(true).and_then(|set| u32::try_from(hwloc_bitmap_first(set)).ok());
        lowest.unwrap_or(self.0.os_index)
    }

    /// 0, 1 or 2 for L1 data, L2 or L3, and the size in bytes.
    fn cache(self) -> Option<(usize, u64)> {
        let level = match self.kind() {
            sys::hwloc_obj_type_t_HWLOC_OBJ_L1CACHE => 0,
            sys::hwloc_obj_type_t_HWLOC_OBJ_L2CACHE => 1,
            sys::hwloc_obj_type_t_HWLOC_OBJ_L3CACHE => 2,
            _ => return None,
        };
        Some((level, self.bytes()))
    }

    /// The size of a cache or of a NUMA node; 0: unknown, or another object.
    fn bytes(self) -> u64 {
        // SAFETY: the attributes, where the object has any, live as long as it does, and are those of its type.
        unsafe {
            self.0.attr.as_ref().map_or(0, |attributes| match self.kind() {
                sys::hwloc_obj_type_t_HWLOC_OBJ_NUMANODE => attributes.numanode.local_memory,
                sys::hwloc_obj_type_t_HWLOC_OBJ_L1CACHE
                | sys::hwloc_obj_type_t_HWLOC_OBJ_L2CACHE
                | sys::hwloc_obj_type_t_HWLOC_OBJ_L3CACHE => attributes.cache.size,
                _ => 0,
            })
        }
    }
}

/// A walk down the tree to collect PUs.
struct Walk {
    nodes: Vec<TreeNode>,
    path: Vec<Option<u32>>,
    caches: [Option<CacheAbove>; 3],
    core: Option<u32>,
    pus: Vec<Pu>,
}

impl Walk {
    fn visit(&mut self, object: Object<'_>) {
        let id = self.nodes.len() as u32;
        self.nodes.push(TreeNode {
            kind: object.type_name(),
            index: object.0.logical_index,
            bytes: object.cache().map_or(0, |(_, bytes)| bytes),
            parent: self.path.iter().rev().find_map(|above| *above),
            lowest_cpu: object.lowest_cpu(),
            memory: object.memory(),
        });
        let (outer_levels, outer_caches, outer_core) = (self.path.len(), self.caches, self.core);
        self.path.resize(object.level(), None);
        self.path.push(Some(id));
        if let Some((level, bytes)) = object.cache() {
            self.caches[level] = Some(CacheAbove { object: id, bytes });
        }
        if object.kind() == sys::hwloc_obj_type_t_HWLOC_OBJ_CORE {
            self.core = Some(id);
        }
        if object.kind() == sys::hwloc_obj_type_t_HWLOC_OBJ_PU {
            let core = self.core.unwrap_or(id);
            self.pus.push(Pu { os_index: object.0.os_index, core, path: self.path.clone(), caches: self.caches });
        }
        for child in object.children() {
            self.visit(child);
        }
        self.path.truncate(outer_levels);
        (self.caches, self.core) = (outer_caches, outer_core);
    }
}
