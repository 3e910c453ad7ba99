//! Machines described in a line of text, for tests: hwloc's synthetic syntax only has regular machines.
//!
//! `machine{pack{l3=9000{core{pu pu} core{pu}} numa} pack{core{pu}}}`: types, their children in braces, `=` and the
//! size of a cache. `numa` is memory beside the tree, for the PUs of the enclosing object. PUs are numbered from 0.

use std::fmt::Write as _;

use super::topology::{self, Topology, TopologySource};

/// One object of a drawing.
#[derive(Debug, Default)]
struct Object {
    kind: String,
    bytes: u64,
    pus: Vec<u32>,
    nodes: Vec<u32>,
    below: Vec<Object>,
}

/// Parses a drawing; `latencies` between its NUMA nodes are row-major (empty: no matrix).
pub(super) fn read(drawing: &str, latencies: &[u64]) -> Topology {
    let (mut pus, mut nodes) = (0, 0);
    let mut machine = parse(&mut drawing.chars().peekable(), &mut pus, &mut nodes).remove(0);
    if nodes == 0 {
        machine.below.push(Object {
            kind: "numa".into(),
            pus: machine.pus.clone(),
            nodes: vec![0],
            ..Object::default()
        });
        nodes = 1;
    }
    machine.hang_nodes(&[]);
    let mut xml = String::from("<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n");
    machine.write(&mut xml, &mut 1);
    if !latencies.is_empty() {
        let _ = writeln!(xml, "<distances2 type=\"NUMANode\" nbobjs=\"{nodes}\" kind=\"5\" indexing=\"os\">");
        for (element, values) in [("indexes", (0..u64::from(nodes)).collect()), ("u64values", latencies.to_vec())] {
            let values = values.iter().fold(String::new(), |text, value| text + &format!("{value} "));
            let _ = writeln!(xml, "<{element} length=\"{}\">{values}</{element}>", values.len());
        }
        xml += "</distances2>\n";
    }
    xml += "</topology>\n";
    topology::read(TopologySource::Xml(&xml)).unwrap_or_else(|failure| panic!("{failure:?} for {drawing}:\n{xml}"))
}

/// Parses objects up to the end or past a closing brace.
fn parse(text: &mut std::iter::Peekable<std::str::Chars<'_>>, pus: &mut u32, nodes: &mut u32) -> Vec<Object> {
    let mut objects = Vec::new();
    loop {
        let mut word = String::new();
        while let Some(c) = text.next_if(|c| c.is_ascii_alphanumeric() || *c == '=') {
            word.push(c);
        }
        if !word.is_empty() {
            let (kind, bytes) =
                word.split_once('=').map_or((word.as_str(), 0), |(kind, bytes)| (kind, bytes.parse().unwrap()));
            let mut object = Object { kind: kind.into(), bytes, ..Object::default() };
            let count = match kind {
                "pu" => Some((&mut object.pus, &mut *pus)),
                "numa" => Some((&mut object.nodes, &mut *nodes)),
                _ => None,
            };
            if let Some((own, next)) = count {
                own.push(*next);
                *next += 1;
            }
            if text.next_if_eq(&'{').is_some() {
                object.below = parse(text, pus, nodes);
                object.pus = object.below.iter().flat_map(|below| below.pus.clone()).collect();
            }
            objects.push(object);
        } else if text.next().is_none_or(|c| c == '}') {
            return objects;
        }
    }
}

impl Object {
    /// Gives each object the memory of its ancestors, and each `numa` the PUs that it serves.
    fn hang_nodes(&mut self, above: &[u32]) {
        let pus = self.pus.clone();
        let memory = self.below.iter().filter(|object| object.kind == "numa").flat_map(|object| object.nodes.clone());
        let here: Vec<u32> = above.iter().copied().chain(memory).collect();
        self.nodes = here.clone();
        for below in &mut self.below {
            if below.kind == "numa" {
                below.pus.clone_from(&pus);
            } else {
                below.hang_nodes(&here);
                self.nodes.extend(&below.nodes);
            }
        }
    }

    fn write(&self, xml: &mut String, next: &mut u32) {
        let kind = match self.kind.as_str() {
            "machine" => "Machine",
            "pack" => "Package",
            "numa" => "NUMANode",
            "l1" => "L1Cache",
            "l2" => "L2Cache",
            "l3" => "L3Cache",
            "core" => "Core",
            "pu" => "PU",
            other => panic!("{other} is not a kind of object"),
        };
        let (cpuset, nodeset) = (set(&self.pus), set(&self.nodes));
        let _ = write!(xml, "<object type=\"{kind}\" gp_index=\"{next}\"");
        *next += 1;
        for (name, set) in [("cpuset", &cpuset), ("nodeset", &nodeset)] {
            let _ = write!(xml, " {name}=\"{set}\" complete_{name}=\"{set}\"");
            if kind == "Machine" {
                let _ = write!(xml, " allowed_{name}=\"{set}\"");
            }
        }
        let attributes = match kind {
            "PU" => format!("os_index=\"{}\"", self.pus[0]),
            "NUMANode" => format!("os_index=\"{}\" local_memory=\"1\"", self.nodes[0]),
            "L1Cache" | "L2Cache" | "L3Cache" => {
                let (bytes, depth) = (self.bytes, &kind[1..2]);
                format!(
                    "cache_size=\"{bytes}\" depth=\"{depth}\" cache_linesize=\"64\" cache_associativity=\"0\" cache_type=\"0\""
                )
            }
            _ => format!("os_index=\"{next}\""),
        };
        let _ = writeln!(xml, " {attributes}>");
        for below in &self.below {
            below.write(xml, next);
        }
        xml.push_str("</object>\n");
    }
}

/// hwloc's text of a set: words of 32 bits, highest first.
fn set(members: &[u32]) -> String {
    let words = members.iter().max().map_or(1, |most| most / 32 + 1);
    let word = |word: u32| {
        members.iter().filter(|member| *member / 32 == word).fold(0_u32, |bits, member| bits | 1 << (member % 32))
    };
    (0..words).rev().map(|index| format!("0x{:08x}", word(index))).collect::<Vec<_>>().join(",")
}
