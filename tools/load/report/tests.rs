//! Reports of the sample record, and of records at the edge.

use super::{
    compare::{Pair, Verdict, differences, notes, pairs},
    page,
    plots::{plots, plots_of_both},
    *,
};
use crate::record::{
    Compared, Comparison, Delay, Distribution, FORMAT, Limit, Record, Sample, Unit,
};
use roxmltree::{Document, Node};
use serde_json::{Value, json};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

const SAMPLE: &str = include_str!("../../../tests/data/load_record.json");

fn sample() -> Record {
    serde_json::from_str(SAMPLE).unwrap()
}

/// A run in which nothing happened.
fn nothing() -> Record {
    let record = json!({
        "format": FORMAT, "program": "samara-load", "scenario": "idle", "options": {},
        "began": 0, "seconds": 0.0,
        "users": { "asked": 0, "absent": 0, "dropped": 0 },
        "frames": {
            "expected": 0, "received": 0, "lost": 0, "late": 0, "stalls": 0,
            "desyncs": 0, "gaps": 0, "unequal": 0, "resends": 0,
        },
        "traffic": { "packets_out": 0, "packets_in": 0, "bytes_out": 0, "bytes_in": 0 },
        "times": [{
            "name": "added delay", "count": 0, "min": null, "mean": null, "p50": 0.0,
            "p90": 0.0, "p99": 0.0, "p999": 0.0, "max": 0.0, "curve": [],
        }],
        "series": [],
        "limits": [{ "name": "max-p99", "limit": 2000.0, "value": null, "held": false }],
        "extra": { "logins per second": null },
    });
    serde_json::from_value(record).unwrap()
}

/// A directory of one test, gone with it.
struct Directory(PathBuf);

impl Directory {
    fn new(test: &str) -> Self {
        let name = format!("samara-load-{test}-{}", process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn body(page: &str) -> &str {
    let start = page.find("<body>").unwrap();
    let end = page.find("</body>").unwrap();
    &page[start..end + "</body>".len()]
}

fn html(record: &Record) -> String {
    page::of_one(record).unwrap().into_string()
}

fn html_of_both(before: &Record, after: &Record) -> String {
    page::of_both(before, after).unwrap().into_string()
}

fn embedded(document: &Document<'_>, id: &str) -> Record {
    let script = document
        .descendants()
        .find(|it| it.attribute("id") == Some(id))
        .unwrap();
    assert_eq!(script.tag_name().name(), "script");
    serde_json::from_str(script.text().unwrap()).unwrap()
}

/// The lines of each plot, by how many points they have.
fn points(document: &Document<'_>) -> Vec<Vec<usize>> {
    let is_path = |it: &Node<'_, '_>| it.has_tag_name("path");
    let count = |path: Node<'_, '_>| path.attribute("d").unwrap().matches(['M', 'L']).count();
    let plots = document
        .descendants()
        .filter(|it| it.has_tag_name("svg") && it.attribute("role") == Some("img"));
    plots
        .map(|svg| svg.descendants().filter(is_path).map(count).collect())
        .collect()
}

#[test]
fn a_record_keeps_its_schema() {
    let value: Value = serde_json::from_str(SAMPLE).unwrap();
    assert_eq!(serde_json::to_value(sample()).unwrap(), value);
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let directory = Directory::new("whole");
    let file = directory.file("run.json", "what was there before");
    write_json(&sample(), &file).unwrap();
    assert_eq!(read_json(&file).unwrap(), sample());
    assert_eq!(directory.names(), ["run.json"], "nothing is left beside it");
}

#[test]
fn fields_of_later_versions_are_ignored() {
    let mut value: Value = serde_json::from_str(SAMPLE).unwrap();
    value["weather"] = json!("fine");
    value["users"]["bored"] = json!(3);
    value["series"][0]["delay"]["p90"] = json!(1.0);
    let directory = Directory::new("later");
    let file = directory.file("run.json", &value.to_string());
    assert_eq!(read_json(&file).unwrap(), sample());
}

#[test]
fn what_is_no_record_is_refused_by_name() {
    let mut other_format: Value = serde_json::from_str(SAMPLE).unwrap();
    other_format["format"] = json!(FORMAT + 1);
    let mut no_users: Value = serde_json::from_str(SAMPLE).unwrap();
    no_users.as_object_mut().unwrap().remove("users");
    let mut word: Value = serde_json::from_str(SAMPLE).unwrap();
    word["seconds"] = json!("ten");
    let directory = Directory::new("refused");
    for (content, complaint) in [
        (
            other_format.to_string(),
            "format 2 is not known here, only 1 is",
        ),
        (
            no_users.to_string(),
            "not the record of a run: missing field `users`",
        ),
        (
            word.to_string(),
            "not the record of a run: invalid type: string",
        ),
        (
            "{}".to_owned(),
            "not the record of a run: missing field `format`",
        ),
        ("[1]".to_owned(), "not the record of a run: "),
        ("samara-load".to_owned(), "not JSON: "),
        (SAMPLE[..900].to_owned(), "not JSON: EOF"),
        (String::new(), "not JSON: "),
    ] {
        let file = directory.file("run.json", &content);
        let error = read_json(&file).unwrap_err().to_string();
        assert!(error.contains("run.json: "), "{error}");
        assert!(error.contains(complaint), "{error}");
    }
    let absent = read_json(&directory.0.join("absent.json")).unwrap_err();
    assert_eq!(absent.kind(), std::io::ErrorKind::NotFound);
    assert!(absent.to_string().contains("absent.json: "), "{absent}");
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let directory = Directory::new("unwritable");
    let inside = directory.0.join("is a directory");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("and not empty"), "").unwrap();
    for written in [
        write_json(&sample(), &inside),
        write_html(&sample(), &inside),
        write_comparison(&sample(), &sample(), &inside),
    ] {
        let error = written.unwrap_err().to_string();
        assert!(error.contains("is a directory: "), "{error}");
    }
    assert_eq!(directory.names(), ["is a directory"]);
    let nowhere = directory.0.join("absent").join("run.json");
    assert!(write_json(&sample(), &nowhere).is_err());
}

#[cfg(unix)]
#[test]
fn a_link_stays_one() {
    let directory = Directory::new("link");
    let file = directory.file("run.json", "");
    let link = directory.0.join("latest.json");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write_json(&sample(), &link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read_json(&file).unwrap(), sample());
}

#[test]
fn a_number_that_is_none_survives_the_file() {
    let directory = Directory::new("nan");
    let file = directory.file("run.json", "");
    let mut record = sample();
    record.times[0].mean = f64::NAN;
    record.times[0].curve[3].1 = f64::INFINITY;
    record.series[0].packets_in = f64::NAN;
    record.extra.insert("pings per second".into(), f64::NAN);
    write_json(&record, &file).unwrap();
    let read = read_json(&file).unwrap();
    assert!(read.times[0].mean.is_nan());
    assert!(read.times[0].curve[3].1.is_nan());
    assert!(read.series[0].packets_in.is_nan());
    assert!(read.extra["pings per second"].is_nan());
    assert_eq!(read.times[0].p50, record.times[0].p50);
}

#[test]
fn the_table_tells_everything() {
    let text = table(&sample()).to_string();
    for part in [
        "kaillera: 1,000 users for 12.0 s, from 2026-01-01T10:00:00Z",
        "duration 12s",
        "expected             720,000",
        "count      min     mean      p50      p90      p99    p99.9      max",
        "added delay   720,000",
        "max-p99   at most 2.00 ms",
        "held",
        "memory peak",
        "50.3 MB",
        "logins per second       99.7",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
    assert!(!text.contains("NOT HELD"));
}

#[test]
fn a_broken_limit_is_told() {
    let mut record = sample();
    record.limits.push(Limit {
        name: "max-lost".into(),
        limit: 0.0,
        value: 12.0,
        held: false,
    });
    let text = table(&record).to_string();
    assert!(
        text.contains("at most 0        was 12      NOT HELD"),
        "{text}"
    );
    let page = html(&record);
    assert!(page.contains("<b class=\"bad\">not held</b>"));
    assert!(
        compare(&sample(), &record)
            .to_string()
            .contains("2 of 3 limits held")
    );
}

#[test]
fn a_page_is_whole_and_holds_its_data() {
    let record = sample();
    let page = html(&record);
    for outside in ["http:", "https:", "src=", "href=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let document = Document::parse(body(&page)).unwrap();
    assert_eq!(embedded(&document, "record"), record);
    let curves: Vec<_> = record.times.iter().map(|it| it.curve.len()).collect();
    let samples = record.series.len();
    assert_eq!(
        points(&document),
        [
            curves,
            vec![samples; 3],
            vec![samples; 2],
            vec![samples],
            vec![samples]
        ]
    );
}

/// Two setups took turns; the second one has streams beside datagrams.
fn turns() -> Record {
    let mut record = sample();
    for (number, sample) in record.series.iter_mut().enumerate() {
        let is_alone = number < 6;
        sample.part = Some(if is_alone { "alone" } else { "together" }.to_owned());
        sample.stream_delay = sample.delay.filter(|_| !is_alone);
    }
    record.comparisons = vec![Comparison {
        name: "players".to_owned(),
        base: "alone".to_owned(),
        other: "together".to_owned(),
        rounds: 3,
        figures: vec![
            Compared {
                name: "added delay p99".to_owned(),
                unit: Unit::Micros,
                base: 1000.0,
                other: 1250.0,
                ratio: 1.25,
                least: 0.9,
                most: 1.5,
            },
            Compared {
                name: "lost".to_owned(),
                unit: Unit::Count,
                base: 0.0,
                other: 0.0,
                ratio: f64::NAN,
                least: f64::NAN,
                most: f64::NAN,
            },
        ],
    }];
    record
}

#[test]
fn setups_that_took_turns_are_told_side_by_side() {
    let record = turns();
    let text = table(&record).to_string();
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for line in [
        "players, 3 rounds alone together ratio from, to",
        "added delay p99 1.00 ms 1.25 ms 1.25 0.90, 1.50",
        "lost 0 0 – –",
    ] {
        let told = text.lines().any(|it| words(it) == words(line));
        assert!(told, "{line}\n{text}");
    }
    let page = html(&record);
    assert!(page.contains("<b>1.25</b><span>players, added delay p99, ratio</span>"));
    let document = Document::parse(body(&page)).unwrap();
    // The record has ratios that are none, so it is not equal to itself.
    assert_eq!(embedded(&document, "record").comparisons.len(), 1);
    let [_, delay, streams, ..] = &points(&document)[..] else {
        panic!("{page}");
    };
    assert_eq!((delay, streams), (&vec![12; 3], &vec![6; 3]));
    let pair = |name| pair(&pairs(&record, &record), "players", name);
    assert_eq!(pair("added delay p99, together").before, 1250.0);
    assert_eq!(pair("added delay p99, ratio").after, 1.25);
}

#[test]
fn parts_of_a_run_are_not_joined() {
    let record = turns();
    let plots = plots(&record);
    let lines = plots.iter().find(|it| it.title == "packets, over time");
    let points = &lines.unwrap().lines[0].points;
    let gaps = points.iter().filter(|it| it.is_none()).count();
    assert_eq!((points.len(), gaps), (13, 1));
    assert!(points[6].is_none());
}

#[test]
fn a_page_of_two_runs_holds_both() {
    let before = sample();
    let mut after = sample();
    after.times.remove(2);
    after.series.truncate(7);
    let page = html_of_both(&before, &after);
    let document = Document::parse(body(&page)).unwrap();
    assert_eq!(embedded(&document, "record-a"), before);
    assert_eq!(embedded(&document, "record-b"), after);
    let curve = before.times[0].curve.len();
    let plots = points(&document);
    assert_eq!(plots[..3], [vec![curve; 2], vec![curve; 2], vec![curve]]);
    assert_eq!(plots[3], [12, 12, 12, 7, 7, 7]);
    assert_eq!(plots[4..], [vec![12, 12, 7, 7], vec![12, 7], vec![12, 7]]);
}

#[test]
fn files_are_pages() {
    let directory = Directory::new("pages");
    let file = directory.file("run.html", "");
    write_html(&sample(), &file).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), html(&sample()));
    write_comparison(&sample(), &nothing(), &file).unwrap();
    let both = html_of_both(&sample(), &nothing());
    assert_eq!(fs::read_to_string(&file).unwrap(), both);
    assert!(both.starts_with("<!DOCTYPE html>"));
    assert!(Path::new(&file).exists());
}

#[test]
fn nothing_a_user_wrote_is_markup() {
    let evil = "</script><script>\"&'\u{1b}[31m\u{0}";
    let mut record = sample();
    record.scenario = evil.into();
    record.program = evil.into();
    record.times[0].name = evil.into();
    record.limits[0].name = evil.into();
    record.options.insert(evil.into(), evil.into());
    record.extra.insert(evil.into(), 1.0);
    record.comparisons = vec![Comparison {
        name: evil.into(),
        base: evil.into(),
        other: evil.into(),
        rounds: 1,
        figures: vec![Compared {
            name: evil.into(),
            unit: Unit::Number,
            base: 1.0,
            other: 2.0,
            ratio: 2.0,
            least: 2.0,
            most: 2.0,
        }],
    }];
    let other = sample();
    for (page, scripts, id) in [
        (html(&record), 1, "record"),
        (html_of_both(&record, &other), 2, "record-a"),
        (html_of_both(&other, &record), 2, "record-b"),
    ] {
        assert_eq!(page.matches("<script").count(), scripts);
        assert_eq!(page.matches("</script").count(), scripts);
        let document = Document::parse(body(&page)).unwrap();
        assert_eq!(embedded(&document, id), record);
    }
    for text in [
        table(&record).to_string(),
        compare(&record, &other).to_string(),
    ] {
        assert!(
            text.chars().all(|c| c == '\n' || !c.is_control()),
            "{text:?}"
        );
    }
}

#[test]
fn nothing_is_told_as_nothing() {
    let record = nothing();
    let pages = [html(&record), html_of_both(&record, &record)];
    for page in &pages {
        let document = Document::parse(body(page)).unwrap();
        assert!(points(&document).is_empty(), "there is nothing to draw");
    }
    let [one, two] = pages;
    for text in [
        table(&record).to_string(),
        compare(&record, &record).to_string(),
        compare(&record, &sample()).to_string(),
        one,
        two,
    ] {
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
    let text = table(&record).to_string();
    assert!(text.contains("added delay      0    –"), "{text}");
}

#[test]
fn numbers_that_are_none_are_drawn_nowhere() {
    let mut record = sample();
    record.series[4].delay = None;
    record.series[5].packets_in = f64::NAN;
    record.series[6].cpu = Some(f64::INFINITY);
    record.times[1].curve[2].1 = f64::NAN;
    record.seconds = f64::NAN;
    let page = html(&record);
    let document = Document::parse(body(&page)).unwrap();
    let lines = points(&document);
    let curve = record.times[0].curve.len();
    assert_eq!(lines[0], [curve, curve - 1, curve]);
    assert_eq!(lines[1], [11, 11, 11]);
    assert_eq!(lines[2], [12, 11]);
    assert_eq!(lines[3], [11]);
    let texts = [page, table(&record).to_string()];
    assert!(
        texts
            .iter()
            .all(|it| !it.contains("NaN") && !it.contains("inf"))
    );
}

#[test]
fn a_single_sample_is_a_dot() {
    let mut record = sample();
    record.times = vec![Distribution {
        count: 1,
        curve: Vec::new(),
        ..record.times[0].clone()
    }];
    record.series = vec![Sample {
        at: 1.0,
        delay: Some(Delay {
            p50: 50.0,
            p99: 50.0,
            max: 50.0,
        }),
        ..Sample::default()
    }];
    let page = html(&record);
    let document = Document::parse(body(&page)).unwrap();
    assert_eq!(points(&document), [vec![6], vec![1; 3], vec![1; 2]]);
    let all = plots(&record);
    assert!(
        all.iter()
            .flat_map(|it| &it.lines)
            .all(|it| !it.points.is_empty())
    );
    assert_eq!(page.matches(" few\"").count(), 5, "dots are filled");
    assert_eq!(plots_of_both(&record, &record).len(), 3);
}

#[test]
fn a_long_run_is_drawn_whole() {
    let mut record = sample();
    let first = record.series[0].clone();
    record.series = (1..=3600)
        .map(|at| Sample {
            at: f64::from(at),
            ..first.clone()
        })
        .collect();
    let page = html(&record);
    let document = Document::parse(body(&page)).unwrap();
    assert_eq!(points(&document)[1], [3600; 3]);
    assert!(page.len() < 1_500_000, "{}", page.len());
}

fn pair(pairs: &[Pair], group: &str, name: &str) -> Pair {
    let found = pairs.iter().find(|it| it.group == group && it.name == name);
    found.unwrap().clone()
}

#[test]
fn less_is_better_by_more_than_chance() {
    let before = sample();
    let mut after = sample();
    after.times[0].p50 = before.times[0].p50 * 2.0;
    after.times[0].p90 = before.times[0].p90 * 1.04;
    after.times[0].p99 = before.times[0].p99 / 2.0;
    after.traffic.packets_in *= 3;
    if let Some(frames) = &mut after.frames {
        frames.lost = 7200;
    }
    let pairs = pairs(&before, &after);
    for (group, name, ratio, verdict) in [
        ("added delay", "p50", "2.00", Some(Verdict::A)),
        ("added delay", "p90", "1.04", Some(Verdict::Even)),
        ("added delay", "p99", "0.50", Some(Verdict::B)),
        ("added delay", "count", "1.00", None),
        ("traffic", "packets received", "3.00", None),
        ("frames", "lost", "–", Some(Verdict::A)),
        ("frames", "stalls", "1.00", Some(Verdict::Even)),
        ("users", "dropped", "1.00", Some(Verdict::Even)),
    ] {
        let pair = pair(&pairs, group, name);
        assert_eq!(
            (pair.ratio().as_str(), pair.verdict),
            (ratio, verdict),
            "{group} {name}"
        );
    }
    let share = pair(&pairs, "frames", "lost share");
    assert_eq!(share.unit.show(share.after), "1 %");
}

#[test]
fn counts_of_unequal_runs_are_not_judged() {
    let before = sample();
    let mut after = sample();
    after.seconds *= 2.0;
    after.scenario = "churn".into();
    if let Some(frames) = &mut after.frames {
        frames.late = 1_000;
    }
    let pairs = pairs(&before, &after);
    assert_eq!(pair(&pairs, "frames", "late").verdict, None);
    let share = pair(&pairs, "frames", "late share");
    assert_eq!(share.verdict, Some(Verdict::A));
    let cores = pair(&pairs, "server", "cores used");
    assert_eq!(cores.verdict, Some(Verdict::B));
    assert_eq!(notes(&before, &after).len(), 3);
    assert_eq!(notes(&before, &before).len(), 1);
}

#[test]
fn what_one_run_lacks_is_still_told() {
    let mut before = sample();
    let mut after = sample();
    before.server = None;
    after.extra.insert("pings per second".into(), 4.0);
    after.options.insert("held".into(), "90".into());
    after.options.insert("flood".into(), "1".into());
    let pairs = pairs(&before, &after);
    let threads = pair(&pairs, "server", "threads");
    assert!(threads.before.is_nan());
    assert_eq!((threads.after, threads.ratio().as_str()), (4.0, "–"));
    let groups: Vec<_> = pairs.chunk_by(|a, b| a.group == b.group).collect();
    let mut names: Vec<_> = groups.iter().map(|it| &it[0].group).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), groups.len(), "a group is told in one piece");
    assert_eq!(
        differences(&before, &after),
        [["flood", "–", "1"], ["held", "70", "90"]]
    );
    let text = compare(&before, &after).to_string();
    assert!(text.contains("pings per second"), "{text}");
    assert!(!text.contains("NaN"), "{text}");
}
