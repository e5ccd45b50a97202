//! Which places in the code ask for memory, as dhat tells.

use crate::{counting, record::Site, user::Failure};
use serde::Deserialize;
use std::{collections::HashMap, fs, io, path::PathBuf};

/// Functions of a stack that are kept: more than there are between a caller and the allocator.
const STACK: usize = 24;

/// Where the server's functions are; what calls them, or they call, is none of a site.
const CRATE: &str = "samara::";

/// Watches who asks for memory until [`Watch::finish`].
#[derive(Debug)]
pub(crate) struct Watch {
    profiler: dhat::Profiler,
    file: PathBuf,
}

impl Watch {
    /// From here on the server's calls are noted. It is slower for it, and the process larger.
    pub(crate) fn start() -> Self {
        let file = format!("samara-allocs-{}.json", std::process::id());
        let file = std::env::temp_dir().join(file);
        counting::profile(true);
        let profiler = dhat::Profiler::builder()
            .trim_backtraces(Some(STACK))
            .file_name(&file)
            .build();
        Self { profiler, file }
    }

    /// All sites, those that asked for most bytes first.
    pub(crate) fn finish(self) -> Result<Vec<Site>, Failure> {
        drop(self.profiler);
        counting::profile(false);
        let sites = fs::read_to_string(&self.file).and_then(|text| Ok(parse(&text)?));
        sites.map_err(|error: io::Error| {
            Failure(format!("the profile {}: {error}", self.file.display()))
        })
    }
}

/// A profile of dhat's, version 2; short names are its own.
#[derive(Debug, Deserialize)]
struct Profile {
    pps: Vec<Stack>,
    ftbl: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Stack {
    /// Bytes, over the whole run.
    tb: u64,
    /// Blocks, over the whole run.
    tbk: u64,
    /// The innermost function first, by position in the table.
    fs: Vec<usize>,
}

fn parse(text: &str) -> serde_json::Result<Vec<Site>> {
    let profile: Profile = serde_json::from_str(text)?;
    let mut sites: HashMap<(String, String), Site> = HashMap::new();
    for stack in &profile.pps {
        let frames = stack.fs.iter().filter_map(|&at| profile.ftbl.get(at));
        let frames = frames.filter_map(|frame| split(frame));
        let mut inner = frames.clone();
        let of_the_server = frames
            .clone()
            .find(|(function, _)| function.trim_start_matches('<').starts_with(CRATE));
        let (function, place) = of_the_server.or_else(|| inner.next()).unwrap_or_default();
        let key = (function.to_owned(), place.to_owned());
        let site = sites.entry(key).or_insert_with(|| Site {
            function: function.to_owned(),
            place: within_the_package(place).to_owned(),
            ..Site::default()
        });
        site.allocations += stack.tbk;
        site.bytes += stack.tb;
    }
    let mut sites: Vec<_> = sites.into_values().collect();
    sites.sort_by(|a, b| (b.bytes, &a.place).cmp(&(a.bytes, &b.place)));
    Ok(sites)
}

/// Function and place of a frame such as `0x55d8: samara::timer::f (src/timer.rs:68:9)`.
fn split(frame: &str) -> Option<(&str, &str)> {
    let (_, frame) = frame.split_once(": ")?;
    let (function, place) = frame.rsplit_once(" (")?;
    Some((function, place.strip_suffix(')')?))
}

/// dhat keeps a few directories in front.
fn within_the_package(place: &str) -> &str {
    place
        .find("/src/")
        .map_or(place, |at| place.get(at + 1..).unwrap_or(place))
}
