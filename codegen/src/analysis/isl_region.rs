//! The region as isl objects.

use crate::refusal::Code;
use crate::{
    Refusal,
    model::{AccessKind, Region},
};
use dvm_isl::{Ctx, Map, Set, UnionMap, UnionSet};
use std::cell::Cell;

/// Maximum of isl's operations in one stage: about one second.
const OPERATIONS: u64 = 600_000;

/// So many accesses of a statement or group are read in one stage: bodies of 75 statements have 300.
const JOINED: usize = 32;

/// The instances of a region, their original order and their accesses.
pub struct IslRegion {
    /// isl's context, with its limit of operations.
    pub ctx: Ctx,
    /// All stages share one limit.
    one_stage: Cell<bool>,
    /// Known constraints on the parameters.
    pub context: Set,
    /// All instances.
    pub domain: UnionSet,
    /// Their original order.
    pub schedule: UnionMap,
    /// Maps instances to the elements that they read.
    pub reads: UnionMap,
    /// Maps instances to the elements that they certainly write.
    pub writes: UnionMap,
    /// Maps instances to the elements that they may write.
    pub may_writes: UnionMap,
    /// Pairs of instances that the user declares independent; `None`: there is no such declaration.
    pub independent: Option<UnionMap>,
    /// The statements one by one, as in the model; a group has the name of its first statement.
    pub statements: Vec<StatementSets>,
    /// By statement of the model, as [`super::grouping::groups`] gives them.
    pub groups: Vec<usize>,
}

/// One statement's sets.
pub struct StatementSets {
    /// Its instances.
    pub domain: Set,
    /// Its place in the original order.
    pub schedule: Map,
    /// The original order for all values of its iterators, including those without an instance.
    pub everywhere: Map,
    /// Its accesses, as in the model, on its instances.
    pub accesses: Vec<Map>,
}

impl IslRegion {
    /// Begins a stage with a new limit of isl's operations.
    pub fn begin_stage(&self) {
        if !self.one_stage.get() {
            self.ctx.allow_operations(OPERATIONS);
        }
    }

    /// Begins work that nobody has asked for, in all of whose stages together isl has so many operations.
    pub fn begin_offer(&self, operations: u64) {
        self.one_stage.set(true);
        self.ctx.allow_operations(operations);
    }

    /// Ends it.
    pub fn end_offer(&self) {
        self.one_stage.set(false);
        self.begin_stage();
    }

    /// The original order for all values of the statements' iterators, including those without an instance.
    pub fn everywhere(&self) -> dvm_isl::Result<UnionMap> {
        let mut all = UnionMap::parse(&self.ctx, "{ }")?;
        for statement in &self.statements {
            all = all.union(&UnionMap::from_map(&statement.everywhere)?)?;
        }
        Ok(all)
    }

    /// Reads the model's texts; large bodies become groups.
    pub fn read(region: &Region) -> Result<IslRegion, Refusal> {
        IslRegion::grouped(region, super::grouping::groups(region))
    }

    /// The same with each statement on its own.
    pub fn apart(region: &Region) -> Result<IslRegion, Refusal> {
        IslRegion::grouped(region, vec![1; region.statements.len()])
    }

    fn grouped(region: &Region, groups: Vec<usize>) -> Result<IslRegion, Refusal> {
        let ctx = Ctx::new(OPERATIONS);
        let context =
            Set::parse(&ctx, &region.context).map_err(|error| bad_text("context", &region.context, &error))?;
        let empty = UnionMap::parse(&ctx, "{ }")?;
        let mut isl_region = IslRegion {
            context: context.params()?,
            domain: UnionSet::parse(&ctx, "{ }")?,
            schedule: empty.clone(),
            reads: empty.clone(),
            writes: empty.clone(),
            may_writes: empty,
            independent: None,
            statements: Vec::new(),
            groups,
            ctx,
            one_stage: Cell::new(false),
        };
        for (at, count) in isl_region.groups.clone().into_iter().enumerate().filter(|(_, count)| *count > 0) {
            isl_region.add(&region.statements[at..at + count])?;
        }
        if isl_region.statements.len() < region.statements.len() {
            isl_region.join()?;
        }
        Ok(isl_region)
    }

    /// Joins accesses: neighbours touch neighbouring elements, which are few sets then.
    fn join(&mut self) -> Result<(), Refusal> {
        for all in [&mut self.reads, &mut self.writes, &mut self.may_writes] {
            *all = all.coalesce()?;
        }
        Ok(())
    }

    /// The place in the model of the statement that begins the group of statement `at`.
    pub fn leader(&self, at: usize) -> usize {
        (0..=at).rev().find(|before| self.groups[*before] > 0).unwrap_or(at)
    }

    fn add(&mut self, group: &[crate::model::Statement]) -> Result<(), Refusal> {
        let Some(statement) = group.first() else { return Ok(()) };
        self.begin_stage();
        let domain =
            Set::parse(&self.ctx, &statement.domain).map_err(|error| bad_text("domain", &statement.domain, &error))?;
        let domain = domain.intersect_params(&self.context)?;
        let schedule = Map::parse(&self.ctx, &statement.schedule)
            .map_err(|error| bad_text("schedule", &statement.schedule, &error))?;
        if let Some(outer) = statement.independent {
            let pairs = UnionMap::parse(&self.ctx, &same_outer(&statement.name, statement.iterators.len(), outer))?;
            self.independent = Some(match &self.independent {
                Some(before) => before.union(&pairs)?,
                None => pairs,
            });
        }
        let everywhere = schedule;
        let schedule = everywhere.intersect_domain(&domain)?;
        self.domain = self.domain.union(&UnionSet::from_set(&domain)?)?;
        self.schedule = self.schedule.union(&UnionMap::from_map(&schedule)?)?;
        let (mut accesses, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
        let members = group.iter().flat_map(|member| member.accesses.iter().map(move |access| (member, access)));
        for (member, access) in members {
            if accesses.len() % JOINED == JOINED - 1 {
                self.begin_stage();
                self.join()?;
            }
            // Neighbours mostly touch the same elements.
            let own = access.relation.replace(&format!("{}[", member.name), "[");
            if !seen.insert((access.kind, own)) {
                continue;
            }
            let map = Map::parse(&self.ctx, &access.relation)
                .map_err(|error| bad_text("access", &access.relation, &error))?;
            let map = map.named_input(&statement.name)?.intersect_domain(&domain)?;
            let all = match access.kind {
                AccessKind::Read => &mut self.reads,
                AccessKind::Write => &mut self.writes,
                AccessKind::MayWrite => &mut self.may_writes,
            };
            *all = all.union(&UnionMap::from_map(&map)?)?;
            accesses.push(map);
        }
        self.statements.push(StatementSets { domain, schedule, everywhere, accesses });
        Ok(())
    }
}

/// The pairs of a statement's instances that agree in some outer iterators, as isl text.
fn same_outer(name: &str, iterators: usize, outer: usize) -> String {
    let side = |letter: &str| (0..iterators).map(|k| format!("{letter}{k}")).collect::<Vec<_>>().join(", ");
    let equal: Vec<String> = (0..outer).map(|k| format!("x{k} = y{k}")).collect();
    let condition = if equal.is_empty() { String::new() } else { format!(" : {}", equal.join(" and ")) };
    format!("{{ {name}[{}] -> {name}[{}]{condition} }}", side("x"), side("y"))
}

fn bad_text(what: &str, text: &str, error: &dvm_isl::Error) -> Refusal {
    Refusal::new(Code::Defect, format!("the model's {what} `{text}` is not understood ({error})"), "correct the model")
}
