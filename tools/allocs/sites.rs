//! Which places in the code ask for memory, as dhat tells.

use crate::{counting, record::Site, user::Failure};
use serde::Deserialize;
use std::{collections::HashMap, fs, io, path::PathBuf};

/// Functions of a stack that are kept: more than there are between a caller and the allocator.
const STACK: usize = 24;

/// Where the server's functions are.
const SERVER: &str = "samara::";
/// Where those are that only hand on what others ask for.
const GO_BETWEENS: [&str; 4] = ["alloc::", "core::", "dhat::", "samara_allocs::counting"];

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
    let mut sites: HashMap<(&str, &str), Site> = HashMap::new();
    for stack in &profile.pps {
        let (function, place) = asker(&profile, stack);
        let site = sites.entry((function, place)).or_insert_with(|| Site {
            function: function.to_owned(),
            place: place.to_owned(),
            ..Site::default()
        });
        site.allocations += stack.tbk;
        site.bytes += stack.tb;
    }
    let mut sites: Vec<_> = sites.into_values().collect();
    sites.sort_by(|a, b| (b.bytes, &a.place).cmp(&(a.bytes, &b.place)));
    Ok(sites)
}

/// The innermost function of the server's own, or else of whoever else it is.
fn asker<'a>(profile: &'a Profile, stack: &Stack) -> (&'a str, &'a str) {
    let frames = stack.fs.iter().filter_map(|&at| profile.ftbl.get(at));
    let mut frames = frames.filter_map(|frame| split(frame));
    let begins = |function: &str, path: &str| function.trim_start_matches('<').starts_with(path);
    let servers = frames
        .clone()
        .find(|(function, place)| begins(function, SERVER) || is_in_a_room(place));
    let any = || frames.find(|(it, _)| !GO_BETWEENS.iter().any(|path| begins(it, path)));
    servers.or_else(any).unwrap_or(("somebody", "?"))
}

/// Function and place of a frame such as `0x55d8: samara::timer::f (src/timer.rs:68:9)`.
fn split(frame: &str) -> Option<(&str, &str)> {
    let (_, frame) = frame.split_once(": ")?;
    let (function, place) = frame.rsplit_once(" (")?;
    Some((function, within_the_package(place.strip_suffix(')')?)))
}

/// Whether a file is the library's. An optimised build names its inlined functions without
/// their paths, and the standard library's files begin with `src/`, too.
fn is_in_a_room(place: &str) -> bool {
    let lib = include_str!("../../src/lib.rs");
    let rooms = lib.lines().filter_map(|line| line.strip_prefix("pub mod "));
    let mut rooms = rooms.filter_map(|room| room.strip_suffix(';'));
    let inside = place.strip_prefix("src/");
    let name = inside.and_then(|place| place.split(['/', '.']).next());
    name.is_some_and(|name| rooms.any(|room| room == name))
}

/// dhat leaves up to two directories, also those before the package's own.
fn within_the_package(place: &str) -> &str {
    let inside = place.find("/src/").and_then(|at| place.get(at + 1..));
    inside.unwrap_or(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What dhat wrote of a server with one user, but five stacks of it.
    const SAMPLE: &str = include_str!("../../tests/data/allocs/profile.json");

    #[test]
    fn stacks_that_end_in_one_place_are_one_site() {
        let sites = parse(SAMPLE).unwrap();
        let first = sites.first().unwrap();
        assert_eq!(first.function, "samara::buffer::pool::Home::make");
        assert_eq!(first.place, "src/buffer/pool.rs:207:23");
        assert_eq!((first.allocations, first.bytes), (2, 2 * 208_896));
        let bytes: Vec<_> = sites.iter().map(|site| site.bytes).collect();
        assert_eq!(bytes, [417_792, 1920, 16, 6]);
    }

    #[test]
    fn a_site_is_the_servers_or_whose_else_it_is() {
        let sites = parse(SAMPLE).unwrap();
        let [.., bell, thread] = sites.as_slice() else {
            panic!("{sites:?}");
        };
        assert_eq!(bell.place, "src/actor/bell.rs:29:34");
        assert!(thread.function.starts_with("std::sys::pal::unix::"));
    }

    #[test]
    fn frames_name_function_and_place() {
        let frame = "0x1: <samara::a::B as c::D>::e::{{closure}} (x/src/a.rs:1:2)";
        let parts = ("<samara::a::B as c::D>::e::{{closure}}", "src/a.rs:1:2");
        assert_eq!(split(frame), Some(parts));
        assert_eq!(split("[root]"), None);
    }

    #[test]
    fn inlined_functions_are_known_by_their_file() {
        let frames = r#"["0x1: alloc (dhat-0.3.3/src/lib.rs:1:1)", "0x1: new (src/vec/mod.rs:2:2)",
            "0x1: make (src/kaillera/history.rs:45:20)", "0x1: samara::server::run (src/server.rs:1:1)"]"#;
        let text =
            format!(r#"{{"pps": [{{"tb": 8, "tbk": 1, "fs": [0, 1, 2, 3]}}], "ftbl": {frames}}}"#);
        let sites = parse(&text).unwrap();
        assert_eq!(
            sites.first().unwrap().place,
            "src/kaillera/history.rs:45:20"
        );
        assert!(is_in_a_room("src/timer.rs:1:1") && is_in_a_room("src/net/sys/mod.rs:1:1"));
        assert!(!is_in_a_room("src/vec/mod.rs:1:1") && !is_in_a_room("bytes-1.0/src/net.rs:1:1"));
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        for text in ["", "{}", "{\"pps\": [], \"ftbl\": 7}"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("{\"pps\": [], \"ftbl\": [\"[root]\"]}").unwrap(), []);
    }
}
