//! The JSON form of distributions and cases (schema `redist-vectors/1`); errors name their place.

use crate::distribution::case::Case;
use crate::distribution::{Affine, Bound, Dimension, Distribution, Kind, Parameters, Variable};
use crate::error::{Error, Result};
use serde_json::{Map, Value, json};

impl Case {
    /// Reads one case and checks it.
    pub fn from_json(value: &Value) -> Result<Self> {
        let object = as_object(value)?;
        let id = match object.get("id") {
            Some(v) => as_text(v).map_err(|e| e.within("id"))?,
            None => "case".to_owned(),
        };
        let inner = || -> Result<Self> {
            let parameters = match object.get("params") {
                Some(v) => parameters(v).map_err(|e| e.within("params"))?,
                None => Parameters::new(),
            };
            let family = object.get("family").map(as_text).transpose().map_err(|e| e.within("family"))?;
            let size = object.get("element_size").map(as_integer).transpose().map_err(|e| e.within("element_size"))?;
            let side = |name: &str| distribution(field(object, name)?).map_err(|e| e.within(name));
            let case = Self {
                id: id.clone(),
                parameters,
                family,
                element_size: size.unwrap_or(8),
                source: side("source")?,
                target: side("target")?,
            };
            case.check()?;
            Ok(case)
        };
        inner().map_err(|e| e.within(&format!("case '{id}'")))
    }

    /// The JSON of this case.
    pub fn to_json(&self) -> Value {
        let mut object = json!({"id": self.id, "source": to_json(&self.source), "target": to_json(&self.target)});
        if !self.parameters.is_empty() {
            object["params"] = json!(self.parameters);
        }
        if let Some(family) = &self.family {
            object["family"] = json!(family);
        }
        if self.element_size != 8 {
            object["element_size"] = json!(self.element_size);
        }
        object
    }
}

/// Parses a file's text: an object with `cases`, or one case.
pub fn parse_cases(text: &str) -> Result<Vec<Case>> {
    let value: Value = serde_json::from_str(text)
        .map_err(|e| Error::new("file", format!("not JSON: {e}"), "see the schema redist-vectors/1"))?;
    match as_object(&value)?.get("cases") {
        Some(Value::Array(cases)) => cases
            .iter()
            .enumerate()
            .map(|(i, c)| Case::from_json(c).map_err(|e| if has_id(c) { e } else { e.within(&format!("cases[{i}]")) }))
            .collect(),
        Some(_) => Err(Error::new("cases", "not a list", "give a list of cases")),
        None => Ok(vec![Case::from_json(&value)?]),
    }
}

fn has_id(value: &Value) -> bool {
    value.get("id").is_some_and(Value::is_string)
}

/// Parses a distribution.
pub fn parse_distribution(text: &str) -> Result<Distribution> {
    let value = serde_json::from_str(text)
        .map_err(|e| Error::new("text", format!("not JSON: {e}"), "see the schema redist-vectors/1"))?;
    distribution(&value)
}

/// Converts a distribution; [`Distribution::check`] checks names and bounds.
pub fn distribution(value: &Value) -> Result<Distribution> {
    let object = as_object(value)?;
    let dims = as_list(field(object, "dims")?).map_err(|e| e.within("dims"))?;
    let dimensions = dims
        .iter()
        .enumerate()
        .map(|(j, d)| dimension(d).map_err(|e| e.within(&format!("dims[{j}]"))))
        .collect::<Result<_>>()?;
    let layout = match object.get("layout") {
        None => None,
        Some(v) => {
            let names = as_list(v).and_then(|l| l.iter().map(as_text).collect::<Result<Vec<_>>>());
            Some(names.map_err(|e| e.within("layout"))?)
        }
    };
    Ok(Distribution { dimensions, layout })
}

fn dimension(value: &Value) -> Result<Dimension> {
    let object = as_object(value)?;
    let offset = match object.get("offset") {
        Some(v) => affine(v).map_err(|e| e.within("offset"))?,
        None => Affine::default(),
    };
    let list = as_list(field(object, "vars")?).map_err(|e| e.within("vars"))?;
    let variables = list
        .iter()
        .enumerate()
        .map(|(i, v)| variable(v).map_err(|e| e.within(&format!("vars[{i}]"))))
        .collect::<Result<_>>()?;
    Ok(Dimension { offset, variables })
}

fn variable(value: &Value) -> Result<Variable> {
    let object = as_object(value)?;
    let kind = as_text(field(object, "kind")?).map_err(|e| e.within("kind"))?;
    let kind = match kind.as_str() {
        "arch" => Kind::Arch,
        "data" => Kind::Data,
        other => return Err(Error::new("kind", format!("'{other}' is no kind"), "use \"arch\" or \"data\"")),
    };
    let level = match object.get("level") {
        Some(v) => as_text(v).map_err(|e| e.within("level"))?,
        None => if kind == Kind::Arch { "proc" } else { "cell" }.to_owned(),
    };
    Ok(Variable {
        name: as_text(field(object, "name")?).map_err(|e| e.within("name"))?,
        coef: as_integer(field(object, "coef")?).map_err(|e| e.within("coef"))?,
        lower: bounds(field(object, "lo")?).map_err(|e| e.within("lo"))?,
        upper: bounds(field(object, "hi")?).map_err(|e| e.within("hi"))?,
        kind,
        level,
    })
}

fn bounds(value: &Value) -> Result<Vec<Bound>> {
    match value {
        Value::Array(list) => {
            list.iter().enumerate().map(|(k, b)| bound(b).map_err(|e| e.within(&format!("[{k}]")))).collect()
        }
        single => Ok(vec![bound(single)?]),
    }
}

fn bound(value: &Value) -> Result<Bound> {
    let divisor = match value.get("div") {
        Some(v) => as_integer(v).map_err(|e| e.within("div"))?,
        None => 1,
    };
    Ok(Bound { affine: affine(value)?, divisor })
}

fn affine(value: &Value) -> Result<Affine> {
    if value.is_number() {
        return Ok(Affine::constant(as_integer(value)?));
    }
    let object = as_object(value)?;
    let constant = object.get("const").map(as_integer).transpose().map_err(|e| e.within("const"))?;
    let mut terms = Vec::new();
    if let Some(coef) = object.get("coef") {
        for (name, c) in as_object(coef).map_err(|e| e.within("coef"))? {
            terms.push((name.clone(), as_integer(c).map_err(|e| e.within(&format!("coef.{name}")))?));
        }
    }
    Ok(Affine { constant: constant.unwrap_or(0), terms })
}

fn parameters(value: &Value) -> Result<Parameters> {
    as_object(value)?.iter().map(|(n, v)| Ok((n.clone(), as_integer(v).map_err(|e| e.within(n))?))).collect()
}

/// The JSON of a distribution.
pub fn to_json(distribution: &Distribution) -> Value {
    let dims: Vec<Value> = distribution.dimensions.iter().map(dimension_json).collect();
    match &distribution.layout {
        Some(layout) => json!({"dims": dims, "layout": layout}),
        None => json!({"dims": dims}),
    }
}

fn dimension_json(d: &Dimension) -> Value {
    let variable = |v: &Variable| {
        let kind = if v.kind == Kind::Arch { "arch" } else { "data" };
        json!({"name": v.name, "coef": v.coef, "lo": bounds_json(&v.lower), "hi": bounds_json(&v.upper),
               "kind": kind, "level": v.level})
    };
    json!({"offset": affine_json(&d.offset), "vars": d.variables.iter().map(variable).collect::<Vec<_>>()})
}

fn bounds_json(bounds: &[Bound]) -> Value {
    let one = |b: &Bound| {
        let mut value = affine_json(&b.affine);
        if b.divisor != 1 {
            if value.is_number() {
                value = json!({"const": value});
            }
            value["div"] = json!(b.divisor);
        }
        value
    };
    match bounds {
        [single] => one(single),
        list => list.iter().map(one).collect(),
    }
}

fn affine_json(a: &Affine) -> Value {
    if a.terms.is_empty() {
        return json!(a.constant);
    }
    let coef: Map<String, Value> = a.terms.iter().map(|(n, c)| (n.clone(), json!(c))).collect();
    json!({"const": a.constant, "coef": coef})
}

fn field<'a>(object: &'a Map<String, Value>, name: &str) -> Result<&'a Value> {
    object.get(name).ok_or_else(|| Error::new(name, "is missing", "see the schema redist-vectors/1"))
}

fn as_object(value: &Value) -> Result<&Map<String, Value>> {
    value.as_object().ok_or_else(|| Error::new("", format!("{} is not an object", brief(value)), "see the schema"))
}

fn as_list(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().ok_or_else(|| Error::new("", format!("{} is not a list", brief(value)), "see the schema"))
}

fn as_text(value: &Value) -> Result<String> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| Error::new("", format!("{} is not a text", brief(value)), "see the schema"))
}

fn as_integer(value: &Value) -> Result<i64> {
    let number = value.as_i64();
    number.ok_or_else(|| {
        let what = format!("{} is not an integer below 2^62", brief(value));
        Error::new("", what, "give an integer")
    })
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 40 { text.chars().take(40).chain("...".chars()).collect() } else { text }
}
