//! The passes from a region's model to C, in order; `--print` shows what stands after each.

use crate::refusal::Code;
use crate::{
    Refusal,
    analysis::{Dependences, IslRegion, ValueFlow, footprint, obstacle, order_properties, overlap, row_overruns},
    clauses,
    emit::{self, Generated, PhaseParts, RegionContext, RegionParts},
    lowered::{
        AcrossParts, ArrayFootprint, BodyOrder, Component, FlowLoops, FlowSymbols, HostLoops, Loops, Ordered,
        OverlapChecks, PlaceForm, TileBox,
    },
    model::Region,
    transform::{
        Legality, NO_PARALLELISM, Phase, PhaseKind, Plan, Search, Step, across,
        host_loops::host_loops,
        jam,
        phase_loops::loops_over,
        place::place_form,
        proven,
        register_blocks::{self, Rounds, TilePart},
        tile::PhaseSets,
        tile_box::tile_box,
        tile_flow::tile_flow,
    },
};
use dvm_isl::{Set, UnionMap};
use serde::{Deserialize, Serialize};
use std::{fmt::Write, str::FromStr};

/// Isl's operations to prepare a region to run on several processes that nobody has asked for. A stencil in
/// time over two arrays needs between 200,000 and this.
const OFFERED_OPERATIONS: u64 = 1_000_000;

/// One step on the way to C.
struct Pass<'a> {
    /// Its name, as `--print` takes it.
    name: &'static str,
    /// The generated C does not need it: it only runs to be printed.
    is_extra: bool,
    run: fn(&mut Work<'a>) -> Result<(), Refusal>,
    /// What stands after it.
    print: fn(&Work<'a>) -> Result<String, Refusal>,
}

/// A pass, by which what stands after it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stage(usize);

impl Stage {
    /// All passes, in their order.
    pub fn all() -> impl Iterator<Item = Stage> {
        (0..Work::PASSES.len()).map(Stage)
    }

    /// The pass's name.
    pub fn name(self) -> &'static str {
        Work::PASSES[self.0].name
    }

    /// After it nothing is left to do.
    pub fn is_last(self) -> bool {
        self.0 + 1 == Work::PASSES.len()
    }
}

impl FromStr for Stage {
    type Err = String;

    fn from_str(text: &str) -> Result<Stage, String> {
        Stage::all().find(|stage| stage.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Stage::all().map(Stage::name).collect();
            format!("`{text}` is no stage: {}", names.join(", "))
        })
    }
}

impl TryFrom<String> for Stage {
    type Error = String;

    fn try_from(text: String) -> Result<Stage, String> {
        text.parse()
    }
}

impl From<Stage> for String {
    fn from(stage: Stage) -> String {
        stage.name().to_owned()
    }
}

/// Generates the C text that stands for `region`, whose own text is `original`.
pub fn generate(region: &Region, original: &str) -> Result<Generated, Refusal> {
    let mut work = Work::of(region, original);
    let passes = Work::PASSES.iter().filter(|pass| !pass.is_extra);
    work.run(passes).map_err(|refusal| clauses::with_private(region, refusal))?;
    work.generated.take().ok_or_else(unmade)
}

/// What stands after one pass, for a region whose text is `original`.
pub fn print(region: &Region, stage: Stage, original: &str) -> Result<String, Refusal> {
    let mut work = Work::of(region, original);
    let before = Work::PASSES[..stage.0].iter().filter(|pass| !pass.is_extra);
    work.run(before.chain([&Work::PASSES[stage.0]]))?;
    (Work::PASSES[stage.0].print)(&work)
}

/// A region in isl's terms, its dependences and its proven plan.
pub fn plan(region: &Region) -> Result<(IslRegion, Dependences, Plan), Refusal> {
    let mut work = Work::of(region, "");
    let tiles = Work::PASSES.iter().position(|pass| pass.name == "tiles").ok_or_else(unmade)?;
    work.run(Work::PASSES[..=tiles].iter())?;
    match (work.isl_region, work.dependences, work.plan) {
        (Some(isl_region), Some(dependences), Some(plan)) => Ok((isl_region, dependences, plan)),
        _ => Err(unmade()),
    }
}

/// The flow between the tiles of a region.
pub struct RegionFlow {
    /// The region in isl's terms.
    pub isl_region: IslRegion,
    /// Its proven plan.
    pub plan: Plan,
    /// The names of the tiles' boxes.
    pub symbols: FlowSymbols,
    /// By pair of phases: the loops over what flows.
    pub loops: Vec<FlowLoops>,
}

/// What flows between the tiles of a region.
pub fn flow(region: &Region) -> Result<RegionFlow, Refusal> {
    let mut work = Work::of(region, "");
    let last = Work::PASSES.iter().position(|pass| pass.name == "sets").ok_or_else(unmade)?;
    work.run(Work::PASSES[..=last].iter().filter(|pass| !pass.is_extra))?;
    work.flow()?;
    match (work.isl_region, work.plan, work.shared) {
        (Some(isl_region), Some(plan), Some(shared)) => {
            Ok(RegionFlow { isl_region, plan, symbols: shared.flow, loops: work.flow })
        }
        _ => Err(unmade()),
    }
}

/// What the passes made so far.
struct Work<'a> {
    region: &'a Region,
    original: &'a str,
    isl_region: Option<IslRegion>,
    dependences: Option<Dependences>,
    /// The dependences that the search goes by.
    legality: Option<Legality>,
    /// The plans still to come.
    search: Search,
    /// The best plan so far; it is not proven.
    candidate: Option<Plan>,
    /// The proven plan.
    plan: Option<Plan>,
    leaving: Option<Set>,
    shared: Option<RegionContext<'a>>,
    /// By phase.
    sets: Vec<PhaseSets>,
    /// By phase and array; a sequential phase has none.
    footprints: Vec<Vec<ArrayFootprint>>,
    /// By phase.
    loops: Vec<Loops>,
    /// By phase: the parts of a tile, if some may run as blocks.
    components: Vec<Vec<Component>>,
    increasing: Vec<Vec<bool>>,
    /// By phase; a sequential phase has none.
    boxes: Vec<Option<TileBox>>,
    host_loops: Option<HostLoops>,
    overlaps: Option<OverlapChecks>,
    flow: Vec<FlowLoops>,
    /// By phase.
    places: Vec<Option<PlaceForm>>,
    /// What the region needs to run on several processes, if it may.
    across: Option<AcrossParts>,
    generated: Option<Generated>,
}

fn unmade() -> Refusal {
    Refusal::new(Code::Defect, "a pass lacks what an earlier one makes", "report this region as a defect")
}

fn made<T>(value: Option<&T>) -> Result<&T, Refusal> {
    value.ok_or_else(unmade)
}

impl<'a> Work<'a> {
    /// All passes. A new one is a line here.
    const PASSES: [Pass<'a>; 16] = [
        Pass { name: "model", is_extra: false, run: Work::read, print: Work::print_model },
        Pass { name: "deps", is_extra: false, run: Work::depend, print: Work::print_dependences },
        Pass { name: "schedule", is_extra: false, run: Work::schedule, print: Work::print_schedule },
        Pass { name: "tiles", is_extra: false, run: Work::order, print: Work::print_tiles },
        Pass { name: "rows", is_extra: false, run: Work::rows, print: Work::print_rows },
        Pass { name: "sets", is_extra: false, run: Work::sets, print: Work::print_sets },
        Pass { name: "footprint", is_extra: false, run: Work::footprint, print: Work::print_footprint },
        Pass { name: "loops", is_extra: false, run: Work::loops, print: Work::print_loops },
        Pass { name: "blocks", is_extra: false, run: Work::blocks, print: Work::print_blocks },
        Pass { name: "jam", is_extra: false, run: Work::jam, print: Work::print_jam },
        Pass { name: "boxes", is_extra: false, run: Work::boxes, print: Work::print_boxes },
        Pass { name: "hosts", is_extra: false, run: Work::hosts, print: Work::print_hosts },
        Pass { name: "overlaps", is_extra: false, run: Work::overlaps, print: Work::print_overlaps },
        Pass { name: "flow", is_extra: true, run: Work::flow, print: Work::print_flow },
        Pass { name: "place", is_extra: true, run: Work::place, print: Work::print_place },
        Pass { name: "c", is_extra: false, run: Work::emit, print: Work::print_c },
    ];

    fn of(region: &'a Region, original: &'a str) -> Work<'a> {
        Work {
            region,
            original,
            isl_region: None,
            dependences: None,
            legality: None,
            search: Search::default(),
            candidate: None,
            plan: None,
            leaving: None,
            shared: None,
            sets: Vec::new(),
            footprints: Vec::new(),
            loops: Vec::new(),
            components: Vec::new(),
            increasing: Vec::new(),
            boxes: Vec::new(),
            host_loops: None,
            overlaps: None,
            flow: Vec::new(),
            places: Vec::new(),
            across: None,
            generated: None,
        }
    }

    fn run<'p>(&mut self, mut passes: impl Iterator<Item = &'p Pass<'a>>) -> Result<(), Refusal>
    where
        'a: 'p,
    {
        passes.try_for_each(|pass| (pass.run)(self))
    }

    /// The front end made the model: there is nothing to do.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self)]
    fn read(&mut self) -> Result<(), Refusal> {
        Ok(())
    }

    fn depend(&mut self) -> Result<(), Refusal> {
        self.depend_on(IslRegion::read(self.region)?)
    }

    fn depend_on(&mut self, isl_region: IslRegion) -> Result<(), Refusal> {
        let dependences = Dependences::of(&isl_region)?;
        self.legality = Some(Legality::new(&dependences.all));
        (self.isl_region, self.dependences) = (Some(isl_region), Some(dependences));
        Ok(())
    }

    fn schedule(&mut self) -> Result<(), Refusal> {
        match self.search() {
            // Distribution may leave a part parallel.
            Err(refusal) if refusal.reason == NO_PARALLELISM && made(self.isl_region.as_ref())?.groups.contains(&0) => {
                self.depend_on(IslRegion::apart(self.region)?)?;
                self.search = Search::default();
                self.search()
            }
            searched => searched,
        }
        .map_err(|refusal| self.explained(refusal))
    }

    fn search(&mut self) -> Result<(), Refusal> {
        let (isl_region, dependences) = (made(self.isl_region.as_ref())?, made(self.dependences.as_ref())?);
        self.candidate = Some(self.search.next(isl_region, dependences, made(self.legality.as_ref())?)?);
        Ok(())
    }

    /// The refusal with the dependence that it is about.
    fn explained(&self, refusal: Refusal) -> Refusal {
        let (Some(isl_region), Some(dependences)) = (&self.isl_region, &self.dependences) else { return refusal };
        let named = (refusal.reason == NO_PARALLELISM).then(|| obstacle(self.region, isl_region, dependences));
        let Some(obstacle) = named.flatten() else { return refusal };
        let array = self.region.arrays.iter().find(|array| array.name == obstacle.array);
        let reason = format!("no parallelism was found: {}", obstacle.text);
        match array.and_then(|array| array.scattered.as_ref()) {
            Some((why, remedy)) => Refusal::new(
                Code::ScatteredDependence,
                format!("{reason}; which elements is not known: {why}"),
                format!(
                    "{remedy}; or add `independent` to the pragma if no iteration of the loop after it touches what another one writes"
                ),
            ),
            None => Refusal::new(
                Code::NoParallelism,
                reason,
                array.and_then(clauses::for_dependence).unwrap_or(refusal.remedy),
            ),
        }
    }

    /// Takes the best plan that is proven right.
    fn order(&mut self) -> Result<(), Refusal> {
        while let Some(candidate) = self.candidate.take() {
            let (isl_region, dependences) = (made(self.isl_region.as_ref())?, made(self.dependences.as_ref())?);
            match proven(isl_region, dependences, made(self.legality.as_ref())?, candidate) {
                Ok(plan) => self.plan = Some(self.reducing(plan)?),
                Err(refusal) => {
                    self.search.failed(refusal);
                    self.schedule()?;
                }
            }
        }
        Ok(())
    }

    /// The plan, if the region's reductions allow it: one graph of independent tiles in the order of the loop.
    fn reducing(&self, plan: Plan) -> Result<Plan, Refusal> {
        if self.region.reductions.is_empty() {
            return Ok(plan);
        }
        let schedule = &made(self.isl_region.as_ref())?.schedule;
        if let [Phase { kind: PhaseKind::Graph { band, carried, .. }, depth: 0, .. }] = plan.phases.as_slice()
            && carried.as_slice() == [false]
        {
            let earlier = schedule.lex_lt(schedule)?;
            if earlier.decreasing_at(&band.functions()?.at(0)?)?.is_empty()? {
                return Ok(plan);
            }
            return Err(Refusal::new(
                Code::ReductionDown,
                "a loop with a reduction counts down",
                "let its counter rise, and compute the falling value from it",
            ));
        }
        let none = Refusal::new(
            Code::NoParallelism,
            NO_PARALLELISM,
            "remove the dependence, or the reduction from the pragma",
        );
        Err(self.explained(none))
    }

    fn rows(&mut self) -> Result<(), Refusal> {
        self.leaving = row_overruns::leaving(self.region, made(self.isl_region.as_ref())?)?;
        Ok(())
    }

    fn sets(&mut self) -> Result<(), Refusal> {
        let (isl_region, plan) = (made(self.isl_region.as_ref())?, made(self.plan.as_ref())?);
        let hosts = plan.phases.iter().map(|phase| phase.depth).max().unwrap_or(0);
        let dimension = plan.phases.iter().filter_map(Phase::dimension).max().unwrap_or(0);
        let shared = RegionContext::of(self.region, &isl_region.groups, self.original, hosts, dimension);
        let sets = plan.phases.iter().map(|phase| PhaseSets::of(isl_region, phase, &shared.symbols));
        self.sets = sets.collect::<Result<_, _>>()?;
        self.shared = Some(shared);
        Ok(())
    }

    fn footprint(&mut self) -> Result<(), Refusal> {
        let isl_region = made(self.isl_region.as_ref())?;
        for phase in &made(self.plan.as_ref())?.phases {
            self.footprints.push(match &phase.kind {
                PhaseKind::Sequential => Vec::new(),
                PhaseKind::Graph { band, dimension, .. } => {
                    footprint::of_tiles(isl_region, &self.region.arrays, &phase.domain, band, *dimension)?
                }
            });
        }
        Ok(())
    }

    fn loops(&mut self) -> Result<(), Refusal> {
        let (isl_region, dependences) = (made(self.isl_region.as_ref())?, made(self.dependences.as_ref())?);
        isl_region.begin_stage();
        self.increasing = order_properties::increasing(self.region, isl_region)?;
        let symbols = &made(self.shared.as_ref())?.symbols;
        for (phase, sets) in made(self.plan.as_ref())?.phases.iter().zip(&self.sets) {
            isl_region.begin_stage();
            let instances = sets.tile.as_ref().unwrap_or(&sets.whole);
            let mut loops = loops_over(isl_region, dependences, phase, instances, symbols)?;
            if !self.region.reductions.is_empty() {
                // The compiler would reassociate the updates in a loop that it is told to vectorise.
                loops.independent.fill(false);
            }
            self.loops.push(loops);
        }
        Ok(())
    }

    fn blocks(&mut self) -> Result<(), Refusal> {
        let (isl_region, dependences) = (made(self.isl_region.as_ref())?, made(self.dependences.as_ref())?);
        let (plan, symbols) = (made(self.plan.as_ref())?, &made(self.shared.as_ref())?.symbols);
        let legality = Legality::new(&dependences.conflicts);
        for (phase, sets) in plan.phases.iter().zip(&self.sets) {
            let place = (phase, plan.phases.len() == 1);
            let found = register_blocks::components(self.region, isl_region, &legality, place, sets, symbols)?;
            let lowered = found.into_iter().map(|part| self.component(phase, part, 0));
            self.components.push(lowered.collect::<Result<_, Refusal>>()?);
        }
        Ok(())
    }

    /// A part of a tile, so many loops of rounds around it, with loops for what does not run as blocks.
    fn component(&self, phase: &Phase, part: TilePart, depth: usize) -> Result<Component, Refusal> {
        let (isl_region, dependences) = (made(self.isl_region.as_ref())?, made(self.dependences.as_ref())?);
        let symbols = &made(self.shared.as_ref())?.symbols;
        let TilePart { instances, blocks, rounds } = part;
        let Some(Rounds { iterator, exists, ends, falls, parts }) = rounds else {
            isl_region.begin_stage();
            let loops = loops_over(isl_region, dependences, phase, &instances, symbols)?;
            return Ok(Component { blocks, order: Ordered::Loops(loops) });
        };
        let name = instances.all.sets()?.first().and_then(Set::name);
        let statement = self.region.statements.iter().find(|statement| Some(&statement.name) == name.as_ref());
        let counter = statement.map(|statement| statement.iterators[iterator].name.clone()).unwrap_or_default();
        let components = parts.into_iter().map(|part| self.component(phase, part, depth + 1));
        let components = components.collect::<Result<_, Refusal>>()?;
        let symbol = symbols.rounds[depth].clone();
        Ok(Component { blocks, order: Ordered::Rounds { counter, symbol, exists, ends, falls, components } })
    }

    /// Where no blocks run: jams a free loop around a chain.
    fn jam(&mut self) -> Result<(), Refusal> {
        let (isl_region, dependences) = (made(self.isl_region.as_ref())?, made(self.dependences.as_ref())?);
        let symbols = &made(self.shared.as_ref())?.symbols;
        let legality = Legality::new(&dependences.conflicts);
        let plan = self.plan.as_mut().ok_or_else(unmade)?;
        let alone = plan.phases.len() == 1;
        for (at, phase) in plan.phases.iter_mut().enumerate().filter(|(at, _)| self.components[*at].is_empty()) {
            let Some(order) = jam::jam(self.region, isl_region, &legality, (phase, alone))? else { continue };
            let PhaseKind::Graph { body, .. } = &mut phase.kind else { continue };
            let former = std::mem::replace(body, order);
            let instances = self.sets[at].tile.as_ref().unwrap_or(&self.sets[at].whole);
            isl_region.begin_stage();
            let loops = loops_over(isl_region, dependences, phase, instances, symbols)?;
            if loops.guards.is_empty() {
                self.loops[at] = loops;
            } else if let PhaseKind::Graph { body, .. } = &mut phase.kind {
                // The exact loops would be too long.
                *body = former;
            }
        }
        Ok(())
    }

    fn boxes(&mut self) -> Result<(), Refusal> {
        let isl_region = made(self.isl_region.as_ref())?;
        let phases = made(self.plan.as_ref())?.phases.iter().zip(&self.sets);
        let symbols = &made(self.shared.as_ref())?.symbols;
        self.boxes =
            phases.map(|(phase, sets)| tile_box(isl_region, phase, sets, symbols)).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn hosts(&mut self) -> Result<(), Refusal> {
        let (isl_region, plan) = (made(self.isl_region.as_ref())?, made(self.plan.as_ref())?);
        let symbols = &made(self.shared.as_ref())?.symbols;
        self.host_loops = Some(host_loops(isl_region, plan, self.leaving.as_ref(), symbols)?);
        Ok(())
    }

    fn overlaps(&mut self) -> Result<(), Refusal> {
        self.overlaps = Some(overlap::checks(self.region, made(self.isl_region.as_ref())?)?);
        Ok(())
    }

    fn flow(&mut self) -> Result<(), Refusal> {
        let (isl_region, plan) = (made(self.isl_region.as_ref())?, made(self.plan.as_ref())?);
        let values = ValueFlow::of(self.region, isl_region)?;
        self.flow = tile_flow(self.region, isl_region, plan, &values, &made(self.shared.as_ref())?.flow)?;
        Ok(())
    }

    fn place(&mut self) -> Result<(), Refusal> {
        let (isl_region, plan) = (made(self.isl_region.as_ref())?, made(self.plan.as_ref())?);
        let symbols = &made(self.shared.as_ref())?.symbols;
        let places = plan.phases.iter().map(|phase| place_form(self.region, isl_region, phase, symbols));
        self.places = places.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Prepares the region to run on several processes.
    fn across(&mut self) -> Result<(), Refusal> {
        across::admit(self.region, made(self.plan.as_ref())?)?;
        self.flow()?;
        self.place()?;
        let (plan, flow) = (made(self.plan.as_ref())?, std::mem::take(&mut self.flow));
        let isl_region = made(self.isl_region.as_ref())?;
        self.across = Some(across::across_parts(self.region, isl_region, plan, flow, &self.places));
        Ok(())
    }

    /// A region that cannot run on several processes runs in its own.
    fn emit(&mut self) -> Result<(), Refusal> {
        if self.region.options.offered && !self.region.options.across {
            return self.emit_offered();
        }
        if !self.region.options.across {
            self.generated = Some(self.emitted()?);
            return Ok(());
        }
        let across = self.across().and_then(|()| self.emitted());
        self.generated = Some(match across {
            Ok(generated) => generated,
            Err(refusal) => {
                self.across = None;
                // The refusal may be that isl took too long.
                made(self.isl_region.as_ref())?.begin_stage();
                Generated { in_own_process: Some(refusal), ..self.emitted()? }
            }
        });
        Ok(())
    }

    /// Nobody has asked for several processes: what would take long, or cannot be served, runs in one, and nothing is told.
    fn emit_offered(&mut self) -> Result<(), Refusal> {
        if self.region.reductions.is_empty() && self.region.ties.is_empty() {
            made(self.isl_region.as_ref())?.begin_offer(OFFERED_OPERATIONS);
            let offered = self.across().and_then(|()| self.emitted());
            made(self.isl_region.as_ref())?.end_offer();
            if let (Ok(generated), true) = (offered, self.across.as_ref().is_some_and(|across| across.served.is_ok())) {
                self.generated = Some(generated);
                return Ok(());
            }
            self.across = None;
        }
        self.generated = Some(self.emitted()?);
        Ok(())
    }

    fn emitted(&self) -> Result<Generated, Refusal> {
        let lowered = self.loops.iter().zip(&self.components).zip(&self.boxes).zip(&self.footprints);
        let phases: Vec<PhaseParts> = made(self.plan.as_ref())?
            .phases
            .iter()
            .zip(lowered)
            .map(|(phase, (((loops, components), tiles), footprints))| PhaseParts {
                depth: phase.depth,
                loops,
                components,
                tiles: tiles.as_ref(),
                footprints,
            })
            .collect();
        let parts = RegionParts {
            shared: made(self.shared.as_ref())?,
            increasing: &self.increasing,
            phases: &phases,
            host_loops: made(self.host_loops.as_ref())?,
            overlaps: made(self.overlaps.as_ref())?,
            across: self.across.as_ref(),
        };
        emit::emit(&parts, self.original)
    }
}

/// What stands after the passes, as text.
impl Work<'_> {
    #[allow(clippy::unnecessary_wraps)]
    fn print_model(&self) -> Result<String, Refusal> {
        Ok(self.region.to_string())
    }

    fn print_dependences(&self) -> Result<String, Refusal> {
        let dependences = made(self.dependences.as_ref())?;
        let mut text = String::new();
        if !dependences.exact {
            text.push_str("# all pairs: the exact analysis would take too long\n");
        }
        for (kind, map) in [("flow", &dependences.flow), ("anti", &dependences.anti), ("output", &dependences.output)] {
            text.push_str(&lines(map, &format!("{kind} "))?);
        }
        Ok(text)
    }

    fn print_schedule(&self) -> Result<String, Refusal> {
        Ok(format!("{}\n", made(self.candidate.as_ref())?.schedule.trim_end()))
    }

    fn print_tiles(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for phase in &made(self.plan.as_ref())?.phases {
            let place: Vec<String> = phase
                .steps
                .iter()
                .map(|step| match step {
                    Step::Sequence(place) => place.to_string(),
                    Step::Host(k) => format!("h{k}"),
                })
                .collect();
            let _ = write!(text, "phase [{}]", place.join(", "));
            match &phase.kind {
                PhaseKind::Sequential => text.push_str(" in sequence\n"),
                PhaseKind::Graph { band, carried, body, .. } => {
                    let waits: Vec<&str> =
                        carried.iter().map(|carried| if *carried { "carried" } else { "free" }).collect();
                    let order = match body {
                        BodyOrder::Original => "original order".to_owned(),
                        BodyOrder::Permuted(permutation) => format!("order {permutation:?}"),
                        BodyOrder::Jammed { free, .. } => format!("coordinate {free} inside"),
                    };
                    let _ = writeln!(text, " graph ({}), {order}", waits.join(", "));
                    text.push_str(&lines(band, "  band ")?);
                }
            }
            if phase.depth > 0 {
                text.push_str(&lines(&phase.hosts, "  hosts ")?);
            }
        }
        Ok(text)
    }

    #[allow(clippy::unnecessary_wraps)]
    fn print_rows(&self) -> Result<String, Refusal> {
        Ok(self.leaving.as_ref().map(|set| format!("leaves a row {set}\n")).unwrap_or_default())
    }

    #[allow(clippy::unnecessary_wraps)]
    fn print_sets(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for (at, sets) in self.sets.iter().enumerate() {
            let _ = writeln!(text, "phase {at}\n  all {}\n  known {}", sets.whole.all, sets.whole.known);
            if let Some(tile) = &sets.tile {
                let _ = writeln!(text, "  tile {}\n  known {}", tile.all, tile.known);
            }
        }
        Ok(text)
    }

    #[allow(clippy::unnecessary_wraps)]
    fn print_footprint(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for (at, footprints) in self.footprints.iter().enumerate() {
            let _ = writeln!(text, "phase {at}");
            for (array, footprint) in self.region.arrays.iter().zip(footprints) {
                let _ = writeln!(text, "  {} {footprint}", array.symbol);
            }
        }
        Ok(text)
    }

    #[allow(clippy::unnecessary_wraps)]
    fn print_loops(&self) -> Result<String, Refusal> {
        let print = |(at, loops): (usize, &Loops)| format!("phase {at}\n{}", loops.tree);
        Ok(self.loops.iter().enumerate().map(print).collect())
    }

    #[allow(clippy::unnecessary_wraps)]
    fn print_blocks(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for (at, components) in self.components.iter().enumerate() {
            let _ = writeln!(text, "phase {at}");
            self.print_components(components, 1, &mut text);
        }
        Ok(text)
    }

    fn print_components(&self, components: &[Component], indent: usize, text: &mut String) {
        let margin = "  ".repeat(indent);
        for Component { blocks, order } in components {
            match order {
                Ordered::Loops(loops) => {
                    let statements: Vec<&str> = loops.statements.iter().map(String::as_str).collect();
                    let _ = writeln!(text, "{margin}{}", statements.join(", "));
                }
                Ordered::Rounds { counter, symbol, exists, ends, falls, components } => {
                    let falls = if *falls { ", falling" } else { "" };
                    let _ = writeln!(text, "{margin}rounds of {counter}: {symbol} from {ends}{falls}; if {exists}");
                    self.print_components(components, indent + 1, text);
                }
            }
            for block in blocks {
                let statement = &self.region.statements[block.statement];
                let name = |k: &usize| statement.iterators[*k].name.as_str();
                let serial: Vec<&str> = block.serial.iter().map(name).collect();
                let rows = block.rows.as_ref().map(|k| format!("rows of {}, ", name(k))).unwrap_or_default();
                let serial = if serial.is_empty() { String::new() } else { format!(", all {}", serial.join(", ")) };
                let _ = write!(text, "{margin}{}: {rows}vectors of {}{serial}", statement.name, name(&block.vector));
                let _ = writeln!(text, "; if {} and {}", block.exists, block.full);
            }
        }
    }

    fn print_jam(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for (at, (phase, loops)) in made(self.plan.as_ref())?.phases.iter().zip(&self.loops).enumerate() {
            let _ = writeln!(text, "phase {at}");
            if let PhaseKind::Graph { body: BodyOrder::Jammed { free, .. }, .. } = &phase.kind {
                let _ = write!(text, "strips of coordinate {free}\n{}", loops.tree);
            }
        }
        Ok(text)
    }

    #[allow(clippy::unnecessary_wraps)]
    fn print_boxes(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for (at, tiles) in self.boxes.iter().enumerate() {
            let _ = writeln!(text, "phase {at}");
            if let Some(tiles) = tiles {
                let _ = write!(text, "{tiles}");
            }
        }
        Ok(text)
    }

    fn print_hosts(&self) -> Result<String, Refusal> {
        let HostLoops { tree, leaves_row, work } = made(self.host_loops.as_ref())?;
        let row = leaves_row.as_ref().map(|condition| format!("leaves a row if {condition}\n")).unwrap_or_default();
        let boxes = work.iter().fold(String::new(), |text, ends| {
            let ends: Vec<String> = ends.iter().map(ToString::to_string).collect();
            text + "works on " + &ends.join(", ") + "\n"
        });
        Ok(format!("{row}{boxes}{tree}"))
    }

    fn print_overlaps(&self) -> Result<String, Refusal> {
        let OverlapChecks { pairs, hulls, .. } = made(self.overlaps.as_ref())?;
        let name = |at: &usize| &self.region.arrays[*at].symbol;
        let mut text = String::new();
        for (one, other) in pairs {
            let _ = writeln!(text, "{} and {}", name(one), name(other));
        }
        for (at, hull) in hulls {
            let hull = hull.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string);
            let _ = writeln!(text, "  {}: {hull}", name(at));
        }
        Ok(text)
    }

    #[allow(clippy::unnecessary_wraps)]
    fn print_flow(&self) -> Result<String, Refusal> {
        let end = |phase: Option<usize>, outside: &str| {
            phase.map_or_else(|| outside.to_owned(), |phase| format!("phase {phase}"))
        };
        let mut text = String::new();
        for FlowLoops { writer, reader, array, pairs, elements, .. } in &self.flow {
            let (writer, reader) = (end(*writer, "before"), end(*reader, "after"));
            let _ = writeln!(text, "{writer} to {reader}: {}", self.region.arrays[*array].symbol);
            let _ = write!(text, "  {pairs}\n{elements}");
        }
        Ok(text)
    }

    #[allow(clippy::unnecessary_wraps)]
    fn print_place(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for (at, place) in self.places.iter().enumerate() {
            let Some(PlaceForm { statement, array, subscripts, kind, .. }) = place else {
                let _ = writeln!(text, "phase {at}: no place");
                continue;
            };
            let subscripts: Vec<String> = subscripts.iter().map(ToString::to_string).collect();
            let (statement, array) = (&self.region.statements[*statement], &self.region.arrays[*array]);
            let (writer, element) = (&statement.name, format!("{}[{}]", array.symbol, subscripts.join(", ")));
            let _ = writeln!(text, "phase {at}: {writer} writes {element}, {kind}");
        }
        Ok(text)
    }

    fn print_c(&self) -> Result<String, Refusal> {
        let generated = made(self.generated.as_ref())?;
        Ok(format!("{}{}", generated.file_scope, generated.call))
    }
}

/// The maps of each pair of spaces, one a line, in a fixed order.
fn lines(map: &UnionMap, start: &str) -> Result<String, Refusal> {
    let mut lines: Vec<String> = map.maps()?.iter().map(|map| format!("{start}{map}\n")).collect();
    lines.sort();
    Ok(lines.concat())
}
