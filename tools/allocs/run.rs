//! Runs a script, phase by phase, and fills its record.

use crate::{
    options::{Output, Phases, Reference},
    record::{FORMAT, Phase, Process, Record, Site},
    sites::Watch,
    stage::Stage,
    usage,
    user::Failure,
    workload::{KAILLERA, REFERENCE, Size, Workload},
};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// Runs all there is.
pub(crate) fn phases(options: &Phases) -> Result<Record, Failure> {
    let size = Size {
        users: options.users,
        inputs: options.inputs,
        speed: None,
    };
    let mut record = run(KAILLERA, size, &options.output)?;
    record.scenario = "phases".into();
    // Neither its processor time nor its memory is of use next to so many users' own.
    record.process = None;
    record
        .options
        .insert("users".into(), options.users.to_string());
    record
        .options
        .insert("inputs".into(), options.inputs.to_string());
    Ok(record)
}

/// Runs the reference.
pub(crate) fn reference(options: &Reference) -> Result<Record, Failure> {
    let size = Size {
        users: 1,
        inputs: options.inputs(),
        speed: Some(options.speed),
    };
    let mut record = run(REFERENCE, size, &options.output)?;
    record.scenario = "reference".into();
    let duration = format!("{} s", options.duration.as_secs_f64());
    record
        .options
        .insert("speed".into(), options.speed.to_string());
    record.options.insert("duration".into(), duration);
    Ok(record)
}

fn run(script: &[Workload], size: Size, output: &Output) -> Result<Record, Failure> {
    let watched = match &output.sites {
        None => Watched::Nothing,
        Some(None) => Watched::Everything,
        Some(Some(phase)) => Watched::Phase(known(script, phase)?),
    };
    let resident_before = usage::peak_resident();
    let began = SystemTime::now().duration_since(UNIX_EPOCH);
    let clock = Instant::now();
    let mut stage = Stage::new(output.threads);
    let mut sites = Vec::new();
    let mut cpu = None;
    let mut phases = Vec::with_capacity(script.len());
    let all = (watched == Watched::Everything).then(Watch::start);
    for workload in script {
        // The last phase stops the server, and its threads are gone with what is told of them.
        cpu = stage.cpu().or(cpu);
        let this = (watched == Watched::Phase(workload.name)).then(Watch::start);
        let phase = stage.count(|stage| (workload.run)(stage, &size))?;
        sites.extend(finish(this)?);
        phases.push(Phase {
            name: workload.name.into(),
            message: workload.message.into(),
            steady: workload.steady,
            ..phase
        });
    }
    sites.extend(finish(all)?);
    let seconds = clock.elapsed().as_secs_f64();
    Ok(Record {
        format: FORMAT,
        program: concat!("samara-allocs ", env!("CARGO_PKG_VERSION")).into(),
        scenario: String::new(),
        options: common(output),
        began: began.map_or(0, |it| it.as_secs()),
        total: total(&phases),
        phases,
        process: Some(Process {
            seconds,
            cpu_seconds: cpu.map(|cpu: Duration| cpu.as_secs_f64()),
            resident_before,
            resident_peak: usage::peak_resident(),
        }),
        sites,
    })
}

/// When to look for sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watched<'a> {
    Nothing,
    Everything,
    Phase(&'a str),
}

fn known<'a>(script: &'a [Workload], phase: &str) -> Result<&'a str, Failure> {
    let mut names = script.iter().map(|it| it.name);
    names.clone().find(|name| *name == phase).ok_or_else(|| {
        let mut valid = names.next().unwrap_or_default().to_owned();
        names.for_each(|name| valid = format!("{valid}, {name}"));
        Failure(format!("there is no phase \"{phase}\"; valid: {valid}"))
    })
}

fn finish(watch: Option<Watch>) -> Result<Vec<Site>, Failure> {
    watch.map_or_else(|| Ok(Vec::new()), Watch::finish)
}

fn common(output: &Output) -> BTreeMap<String, String> {
    let threads = output.threads;
    let mut options = BTreeMap::new();
    options.insert("loops".into(), threads.loops.to_string());
    options.insert("workers".into(), threads.workers.to_string());
    options
}

fn total(phases: &[Phase]) -> Phase {
    let mut total = Phase {
        name: "total".into(),
        ..Phase::default()
    };
    for phase in phases {
        total.datagrams_in += phase.datagrams_in;
        total.datagrams_out += phase.datagrams_out;
        total.allocations += phase.allocations;
        total.bytes += phase.bytes;
        total.live = phase.live;
        total.peak = total.peak.max(phase.peak);
    }
    total
}
