//! The rules of the house that no compiler checks.
//!
//! Each complaint names file, line and rule. A rule that is wrong is changed here, not worked
//! around where it hurts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
};

const FILE_LINES: usize = 600;
const TEST_FILE_LINES: usize = 900;
const FUNCTION_LINES: usize = 70;
const COLUMNS: usize = 100;

/// Where unsafe code may be: system calls, vector instructions, the allocator that counts, and
/// the limit that safe stores are measured against.
const UNSAFE: [&str; 9] = [
    "src/net/sys/linux.rs",
    "src/net/sys/linux/",
    "src/maple/shanda/avx2.rs",
    "src/maple/shanda/avx512.rs",
    "src/maple/shuffle/avx512.rs",
    "src/maple/lanes/vaes.rs",
    "benches/maple/vaes.rs",
    "benches/minecraft/raw.rs",
    "tools/allocs/counting.rs",
];

/// The rooms that hold them; every other one forbids unsafe code at its root.
const UNSAFE_ROOMS: [&str; 2] = ["net", "maple"];

/// Files of the binary, above all rooms.
const BINARY: [&str; 2] = ["main", "cli"];

const BANNED_MODULES: [&str; 8] = [
    "common", "helper", "helpers", "misc", "shared", "types", "util", "utils",
];

/// In two parts, or this file would break its own rules.
const BANNED_WORDS: [&str; 6] = [
    concat!("to", "do!"),
    concat!("unimplemented", "!"),
    concat!("db", "g!"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("TO", "DO"),
];
const DEVELOPER_PATHS: [&str; 5] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/Us", "ers/"),
    concat!("/t", "mp/"),
];

/// Directories that hold no text of ours.
const SKIPPED: [&str; 4] = ["target", ".git", "tests/data", "fuzz-corpus"];

struct File {
    /// With slashes, from the package's root.
    path: String,
    text: String,
    /// The text with comments and literals blanked out; empty unless it is Rust.
    code: String,
}

impl File {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    fn is_test(&self) -> bool {
        self.path.starts_with("tests/")
            || self.path.ends_with("/tests.rs")
            || self.path.contains("/tests/")
    }

    /// The file's or directory's name right under `src`.
    fn room(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/")?;
        inside.split(['/', '.']).next()
    }

    fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap();
        name.split('.').next().unwrap()
    }
}

/// What is wrong, all of it, told at the end of a test.
#[derive(Default)]
struct Complaints(Vec<String>);

impl Complaints {
    fn add(&mut self, file: &str, line: usize, rule: impl Display) {
        self.0.push(format!("{file}:{line}: {rule}"));
    }
}

impl Drop for Complaints {
    fn drop(&mut self) {
        assert!(self.0.is_empty(), "\n{}\n", self.0.join("\n"));
    }
}

#[test]
fn rooms_import_from_rooms_above_them_only() {
    let mut complaints = Complaints::default();
    let layers = layers();
    let layer_of = |room: &str| layers.iter().find(|it| it.1 == room).map(|it| it.0);
    for file in rust_files() {
        let Some(room) = file.room().filter(|room| *room != "lib") else {
            continue;
        };
        if BINARY.contains(&room) {
            continue;
        }
        let Some(layer) = layer_of(room) else {
            complaints.add(&file.path, 1, "src/lib.rs names no layer for this room");
            continue;
        };
        for (line, name) in crate_paths(&file.code) {
            let above = layer_of(&name).is_some_and(|other| other < layer);
            if name != room && !above {
                let rule = format!("{room} is on layer {layer} and may not import {name}");
                complaints.add(&file.path, line, rule);
            }
        }
    }
}

#[test]
fn the_map_is_complete() {
    let mut complaints = Complaints::default();
    let layers = layers();
    let lib = read("src/lib.rs");
    for (line, text) in numbered(&lib) {
        if let Some(room) = text.strip_prefix("pub mod ") {
            let room = room.trim_end_matches(';');
            if layers.iter().filter(|it| it.1 == room).count() != 1 {
                let rule = format!("{room} needs one place in the table of layers");
                complaints.add("src/lib.rs", line, rule);
            }
        }
    }
    for (_, room) in &layers {
        if !lib.contains(&format!("\npub mod {room};")) {
            complaints.add("src/lib.rs", 1, format!("there is no room {room}"));
        }
        let paths = [format!("src/{room}/mod.rs"), format!("src/{room}.rs")];
        let root = paths.iter().find(|path| root().join(path).exists());
        let root = root.unwrap_or_else(|| panic!("{room} has no root file"));
        let forbids = read(root).contains("\n#![forbid(unsafe_code)]\n");
        if forbids == UNSAFE_ROOMS.contains(&room.as_str()) {
            complaints.add(
                root,
                1,
                "only rooms with unsafe leaves do not forbid it at the root",
            );
        }
    }
}

#[test]
fn unsafe_code_is_where_it_may_be() {
    let mut complaints = Complaints::default();
    for file in rust_files() {
        if UNSAFE.iter().any(|path| file.path.starts_with(path)) {
            continue;
        }
        for (line, text) in numbered(&file.code) {
            if words(text).any(|word| word == "unsafe") {
                complaints.add(&file.path, line, "unsafe code outside its leaf files");
            }
            if text.contains("allow(unsafe_code)") || text.contains("expect(unsafe_code") {
                complaints.add(&file.path, line, "unsafe code is allowed elsewhere only");
            }
        }
    }
}

#[test]
fn files_and_functions_are_short() {
    let mut complaints = Complaints::default();
    for file in rust_files() {
        let most = if file.is_test() {
            TEST_FILE_LINES
        } else {
            FILE_LINES
        };
        let lines = file.text.lines().count();
        if lines > most {
            let rule = format!("{lines} lines, at most {most}");
            complaints.add(&file.path, lines, rule);
        }
        for (line, lines) in functions(&file.code) {
            if lines > FUNCTION_LINES && !file.is_test() {
                let rule = format!("a function of {lines} lines, at most {FUNCTION_LINES}");
                complaints.add(&file.path, line, rule);
            }
        }
    }
}

#[test]
fn lines_are_short_and_clean() {
    let mut complaints = Complaints::default();
    for file in files() {
        for (line, text) in numbered(&file.text) {
            if text.contains('\t') {
                complaints.add(&file.path, line, "a tab");
            }
            if text.ends_with([' ', '\r']) {
                complaints.add(&file.path, line, "blanks at the end");
            }
            let columns = text.chars().count();
            // Texts for users and rows of tables have no seam to break them at.
            let is_seamless = text.contains('"') || text.starts_with("//! |");
            if file.is_rust() && columns > COLUMNS && !is_seamless {
                let rule = format!("{columns} columns, at most {COLUMNS}");
                complaints.add(&file.path, line, rule);
            }
            for path in DEVELOPER_PATHS {
                if text.contains(path) {
                    complaints.add(&file.path, line, format!("a path of one machine: {path}"));
                }
            }
        }
        if !file.text.ends_with('\n') || file.text.ends_with("\n\n") {
            complaints.add(&file.path, file.text.lines().count(), "ends in one newline");
        }
    }
}

#[test]
fn nothing_is_left_for_later() {
    let mut complaints = Complaints::default();
    for file in rust_files() {
        for (line, text) in numbered(&file.text) {
            for word in BANNED_WORDS {
                if text.contains(word) {
                    complaints.add(&file.path, line, format!("{word} is left"));
                }
            }
        }
        if BANNED_MODULES.contains(&file.stem()) {
            complaints.add(&file.path, 1, "a module is named by what it is about");
        }
    }
}

#[test]
fn every_file_says_what_it_is() {
    let mut complaints = Complaints::default();
    for file in rust_files() {
        let is_unit_test = file.is_test() && file.path.starts_with("src/");
        if !is_unit_test && !file.text.starts_with("//! ") {
            complaints.add(&file.path, 1, "a file starts with //! and what it is about");
        }
    }
}

#[test]
fn documents_name_what_exists() {
    let mut complaints = Complaints::default();
    let manifest = read("Cargo.toml");
    for document in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        let mut in_block = false;
        for (line, text) in numbered(&read(document)) {
            if text.starts_with("```") {
                in_block = text == "```sh";
                continue;
            }
            let mut missing = |what: &str| {
                complaints.add(document, line, format!("{what} does not exist"));
            };
            for target in text
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next())
            {
                let path = target.split('#').next().unwrap();
                if !target.contains("://") && !path.is_empty() && !root().join(path).exists() {
                    missing(path);
                }
            }
            if in_block {
                missing_in_command(text, &manifest).for_each(|it| missing(&it));
            }
        }
    }
}

#[test]
fn the_package_has_its_papers() {
    let mut complaints = Complaints::default();
    if !read("CHANGELOG.md").contains("\n## [Unreleased]\n") {
        complaints.add("CHANGELOG.md", 1, "has a section [Unreleased]");
    }
    for file in rust_files().filter(|file| file.path.starts_with("src/config/")) {
        for (line, text) in numbered(&file.text) {
            let Some(start) = text.find("tools/") else {
                continue;
            };
            let path = text[start..].split(['`', '"', ' ', ')']).next().unwrap();
            if !root().join(path).exists() {
                complaints.add(&file.path, line, format!("{path} does not exist"));
            }
        }
    }
}

/// What a command of a document names and nobody has: paths, and targets of Cargo's.
fn missing_in_command(command: &str, manifest: &str) -> impl Iterator<Item = String> {
    let words: Vec<_> = command.split_whitespace().collect();
    let mut missing = Vec::new();
    for pair in words.windows(2) {
        let (flag, name) = (pair[0], pair[1]);
        let exists = match flag {
            "--bin" => name == "samara" || manifest.contains(&format!("name = \"{name}\"")),
            "--features" => manifest.contains(&format!("\n{name} = ")),
            "--test" => is_target("tests", name),
            "--bench" => is_target("benches", name),
            "--example" => is_target("examples", name),
            _ => true,
        };
        if !exists {
            missing.push(format!("{flag} {name}"));
        }
    }
    for word in words {
        let is_path = word.contains('/') && !word.contains(':') && !word.starts_with(['/', '-']);
        if is_path && !word.starts_with("target/") && !root().join(word).exists() {
            missing.push(word.to_owned());
        }
    }
    missing.into_iter()
}

fn is_target(directory: &str, name: &str) -> bool {
    let paths = [
        format!("{directory}/{name}.rs"),
        format!("{directory}/{name}/main.rs"),
    ];
    paths.iter().any(|path| root().join(path).exists())
}

/// The rooms and their layers, from the table in `src/lib.rs`.
fn layers() -> Vec<(usize, String)> {
    let mut layers = Vec::new();
    for line in read("src/lib.rs").lines() {
        let Some(row) = line.strip_prefix("//! | ") else {
            continue;
        };
        let Some((layer, rooms)) = row.split_once('|') else {
            continue;
        };
        if let Ok(layer) = layer.trim().parse() {
            let names = rooms.split("[`").skip(1);
            let names = names.filter_map(|rest| rest.split('`').next());
            layers.extend(names.map(|name| (layer, name.to_owned())));
        }
    }
    assert!(layers.len() >= 5, "src/lib.rs has a table of layers");
    layers
}

/// The names that follow `crate::`, with their lines.
fn crate_paths(code: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || "_$".contains(c)) {
            continue;
        }
        let line = 1 + code[..at].matches('\n').count();
        let rest = &code[at + "crate::".len()..];
        if !rest.starts_with('{') {
            paths.push((line, name(rest).to_owned()));
            continue;
        }
        let mut depth = 0;
        for (at, c) in rest.char_indices() {
            let before = depth;
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if (before == 0 && c == '{') || (depth == 1 && c == ',') {
                let item = rest[at + 1..].trim_start();
                if !item.starts_with('}') {
                    paths.push((line, name(item).to_owned()));
                }
            }
        }
    }
    paths
}

/// The identifier that `text` begins with.
fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// Where functions begin and how many lines each has.
fn functions(code: &str) -> Vec<(usize, usize)> {
    let mut functions = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let rest = &code[at..];
        let is_word = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if !is_word || name(&rest[3..]).is_empty() {
            continue;
        }
        let mut brackets = 0;
        let mut depth = 0;
        let end = rest.char_indices().find(|&(_, c)| {
            match c {
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets -= 1,
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            (c == '}' && depth == 0) || (c == ';' && depth == 0 && brackets == 0)
        });
        let (end, _) = end.unwrap_or((rest.len(), ' '));
        let line = 1 + code[..at].matches('\n').count();
        functions.push((line, 1 + rest[..end].matches('\n').count()));
    }
    functions
}

/// Rust with spaces in place of comments and of what is in literals; lines stay where they are.
fn blank(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let is_word = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => quoted(rest, '"'),
            '\'' if is_char(rest) => quoted(rest, '\''),
            'r' | 'b' if !is_word && raw_string(rest).is_some() => raw_string(rest).unwrap(),
            _ => {
                code.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        let (blanked, after) = rest.split_at(length);
        code.extend(blanked.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = after;
    }
    code
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of a literal that ends with `quote`, as it begins.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Whether a tick begins a character and not a lifetime.
fn is_char(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}

fn raw_string(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let body = rest[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - body.len();
    let length = body.find(&end)? + end.len();
    Some(start + length)
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.split('\n'))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn rust_files() -> impl Iterator<Item = File> {
    files().filter(File::is_rust)
}

/// Every text file of the package.
fn files() -> impl Iterator<Item = File> {
    let mut paths = Vec::new();
    walk(root(), &mut paths);
    paths.sort();
    paths.into_iter().map(|path| {
        let text = read(&path);
        let code = if path.ends_with(".rs") {
            blank(&text)
        } else {
            String::new()
        };
        File { path, text, code }
    })
}

fn walk(directory: &Path, paths: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let inside = path.strip_prefix(root()).unwrap();
        let name = inside.to_str().unwrap().replace('\\', "/");
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        let is_text = [".rs", ".toml", ".md", ".sh", ".yml", ".ci/run"]
            .iter()
            .any(|end| name.ends_with(end));
        if path.is_dir() {
            walk(&path, paths);
        } else if is_text {
            paths.push(name);
        }
    }
}

#[test]
fn comments_and_literals_are_no_code() {
    let source = "a /* b /* c */ d */ \"e\\\"f\" g 'h' '\\'' &'i j r#\"k\"l\"# m // n\no";
    let code = blank(source);
    let left: Vec<_> = words(&code).filter(|word| !word.is_empty()).collect();
    assert_eq!(left, ["a", "g", "i", "j", "m", "o"]);
    assert_eq!(code.len(), source.len());
}

#[test]
fn paths_and_functions_are_found() {
    let code =
        "use crate::{\n  a::{b, c},\n  d,\n};\nfn e(f: [u8; 2]) {\n  crate::g::h()\n}\nfn i();";
    let paths = crate_paths(code);
    let names: Vec<_> = paths.iter().map(|it| (it.0, it.1.as_str())).collect();
    assert_eq!(names, [(1, "a"), (1, "d"), (6, "g")]);
    assert_eq!(functions(code), [(5, 3), (8, 1)]);
}
