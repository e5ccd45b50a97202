//! The quiz's commands and files (kaillera-server.md 13.1).

use super::{Hall, Speaks, cases, staffed};
use crate::support::wait_until;
use std::{fs, path::PathBuf};

cases! {
    a_quiz_is_led: Lobby "/triviaon" "/triviaoff" "/triviareset" "/triviapause" "/triviaresume"
        "/triviasave" "/triviascores" "/triviawin" "/triviatime" "/triviaupdate";
}

const NOT_RUNNING: &str = "Command failed: Start the quiz first: /triviaon";

fn a_quiz_is_led() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let directory = directory.join(format!("quiz-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let mut config = staffed();
    config.trivia.questions = directory.join("questions.txt");
    config.trivia.scores = directory.join("scores.txt");
    let scores = config.trivia.scores.clone();
    fs::write(
        &config.trivia.questions,
        "q:Who jumps?\na:Mario\n\nQ:Two?\nA:2\n",
    )
    .unwrap();
    fs::write(
        &scores,
        "ip:192.0.2.1\ns:7\nn:Old\n\nip:192.0.2.2\ns:9\nn:Top\n\n",
    )
    .unwrap();
    let hall = Hall::with(&config);
    let (mut ann, mut boss) = (hall.user("Ann"), hall.admin("Boss"));
    ann.answered("/triviaon", "No such command: /triviaon");
    for line in [
        "/triviaoff",
        "/triviapause",
        "/triviaresume",
        "/triviasave",
        "/triviascores",
        "/triviawin",
        "/triviatime 5",
        "/triviaupdate 192.0.2.1 192.0.2.3",
    ] {
        boss.answered(line, NOT_RUNNING);
    }
    boss.says("/triviaon");
    ann.told("<Trivia> The quiz begins in 10 seconds!");
    // From here on nothing comes by itself.
    boss.says("/triviapause");
    ann.told("<Trivia> The quiz pauses after this question.");
    boss.says("/triviaon");
    boss.told("Command failed: The quiz is running already.");
    boss.says("/triviascores");
    ann.told("<Trivia> The best players:");
    ann.told("<Trivia> 1. Top: 9 points");
    ann.told("<Trivia> 2. Old: 7 points");
    boss.says("/triviawin");
    ann.told("<Trivia> Top wins with 9 points!");
    for line in ["/triviatime", "/triviatime 0", "/triviatime x"] {
        boss.answered(line, "Command failed: /triviatime <seconds>");
    }
    boss.says("/triviatime 600");
    ann.told("<Trivia> 600 seconds pass between questions now.");
    let usage = "Command failed: /triviaupdate <old address> <new address>";
    boss.answered("/triviaupdate 192.0.2.1", usage);
    boss.answered("/triviaupdate Ann Bob", usage);
    let update = "/triviaupdate 192.0.2.1 192.0.2.2";
    boss.says(update);
    ann.told("<Trivia> The points of 192.0.2.1 belong to 192.0.2.2 now.");
    boss.answered(update, "Command failed: 192.0.2.1 has no points.");
    boss.says("/triviasave");
    ann.told("<Trivia> The points are saved.");
    let saved = fs::read_to_string(&scores).unwrap();
    assert_eq!(saved, "ip:192.0.2.2\ns:16\nn:Top\n\n");
    boss.says("/triviaresume");
    ann.told("<Trivia> The quiz goes on.");
    ann.told("<Trivia> The next question comes in 10 seconds.");
    boss.says("/triviareset");
    ann.told("<Trivia> All points are cleared.");
    boss.says("/triviascores");
    ann.told("<Trivia> Nobody has points yet.");
    boss.says("/triviaoff");
    ann.told("<Trivia> The quiz is over.");
    wait_until("the points are written", || {
        fs::read_to_string(&scores).is_ok_and(|text| text.is_empty())
    });
    boss.answered("/triviaoff", NOT_RUNNING);
    drop(hall);
    fs::remove_dir_all(&directory).unwrap();
}
