//! The report as JSON.

use dvm::report::{Branch, Choices, Description, Report, Setting};
use serde_json::{Map, Value, json};

use crate::text::Parts;

/// The report as a JSON text.
pub fn show(report: &Report, parts: Parts) -> String {
    let mut whole = Map::new();
    if parts.all() {
        whole.insert("version".into(), report.version.into());
        let build: Map<String, Value> =
            report.build.iter().map(|(what, value)| ((*what).into(), value.clone().into())).collect();
        whole.insert("build".into(), build.into());
    }
    if parts.all() || parts.machine {
        let machine = report.machine.as_ref().map_or_else(|why| json!({ "error": why }), machine);
        whole.insert("machine".into(), machine);
    }
    if parts.all() || parts.transports {
        whole.insert("transports".into(), transports(&report.transports));
    }
    if parts.all() || parts.options {
        whole.insert("options".into(), report.options.iter().map(option).collect());
    }
    format!("{:#}\n", Value::Object(whole))
}

fn machine(machine: &Description) -> Value {
    json!({
        "real": machine.real,
        "workers": machine.ranks.len(),
        "limits": machine.limits,
        "oversubscribed": machine.oversubscribed,
        "sizes": machine.sizes,
        "ranks": machine.ranks,
        "bound_to": machine.bound,
        "cpuset": machine.cpuset,
        "quota": machine.quota,
        "distances": machine.distances,
        "tree": branch(&machine.tree),
    })
}

fn transports(choices: &Choices) -> Value {
    let plugins: Vec<Value> = choices
        .plugins
        .iter()
        .map(|(family, file, place)| json!({ "mpi": family, "file": file, "path": place }))
        .collect();
    json!({
        "chosen": choices.chosen.as_ref().ok(),
        "refusal": choices.chosen.as_ref().err(),
        "mpi": choices.mpi,
        "plugins": plugins,
        "folders": choices.folders,
    })
}

fn branch(object: &Branch) -> Value {
    let memory: Vec<Value> =
        object.memory.iter().map(|(node, bytes)| json!({ "node": node, "bytes": bytes })).collect();
    json!({
        "kind": object.kind,
        "index": object.index,
        "bytes": object.bytes,
        "memory": memory,
        "cpu": object.cpu,
        "workers": object.workers,
        "below": object.below.iter().map(branch).collect::<Vec<_>>(),
    })
}

fn option(option: &Setting) -> Value {
    json!({
        "variable": option.variable,
        "allowed": option.allowed,
        "unit": option.unit,
        "default": option.default,
        "value": option.value.as_deref().unwrap_or(option.default),
        "origin": if option.value.is_some() { "environment" } else { "default" },
        "refusal": option.refusal,
        "documentation": option.documentation,
    })
}
