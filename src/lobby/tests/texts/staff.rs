//! Moderators, admins and the quiz.

use super::*;
use crate::lobby::{Report, TriviaCommand, TriviaFiles};

fn quiz(world: &mut World) {
    say(world, 'x', "/triviaon");
    let files = TriviaFiles {
        questions: "q:Who?\na:Mario\n\nq:And who?\na:Mario".to_owned(),
        scores:
            "ip:192.0.2.97\ns:24\nn:a\n\nip:192.0.2.98\ns:49\nn:b\n\nip:192.0.2.109\ns:99\nn:m\n"
                .to_owned(),
        seed: 1,
    };
    let now = world.now;
    world.lobby.trivia_fetched(now, &files, &mut world.sink);
}

/// Each of these is right once.
fn answers(world: &mut World, who: &str) {
    quiz(world);
    say(world, 'x', "/triviatime 1");
    times_out(world, 10);
    for who in who.chars() {
        say(world, who, "Mario");
        times_out(world, 1);
    }
}

pub(super) const ADMINS: &[Scene] = &[
    (
        |w| say(w, 's', "/help"),
        &[(
            "s: Info server: ",
            "HelpAdminVersion HelpKick HelpSilence HelpBan HelpClear HelpCloseGame HelpAnnounce \
             HelpAnnounceAll HelpAnnounceGame HelpFindUser HelpFindGame HelpTempAdmin",
        )],
    ),
    (
        |w| {
            let lines = "/announce; /announcegame 1; /ban; /clear; /closegame; /findgame; \
                         /finduser; /kick; /silence; /tempadmin 1; /unsilence; /permaban; \
                         /permamute; /info; /shadowsilence; /unshadowsilence; /tempelevated; \
                         /tempmoderator; /triviatime; /triviaupdate x; /announceall";
            say(w, 's', lines);
        },
        &[(
            "s: Info server: ",
            "AdminFailed UsageAnnounce UsageAnnounceGame UsageBan UsageClear \
             UsageCloseGame UsageFindGame UsageFindUser UsageKick UsageSilence \
             UsageTempAdmin",
        )],
    ),
    (
        |w| {
            let lines = "/kick 9; /closegame 9; /findgame zz; /findgame Game; /finduser zz; \
                         /finduser b; /ban 4 1; /kick 4; /silence 4 1; /ban 5 1; /kick 5; \
                         /silence 5 1; /unsilence 5; /tempadmin 1 1; /version; /stealthon; \
                         /stealthoff";
            say(w, 'x', lines);
            w.create('s', "Secret");
            w.join('x', 1);
            say(w, 'x', "/closegame 2; /stealthon");
        },
        &[(
            "x: Info server: ",
            "UserNotFound GameNotFound NoGamesFound FoundGame NoUsersFound FoundUserAddress \
             BanSelf AdminKickSelf SilenceSelf BanAdmin KickAdmin SilenceAdmin TargetAdmin \
             SuperAdminOnly VersionDetail StealthOn StealthOff CloseAdmin StealthInRoom",
        )],
    ),
    (
        |w| {
            let lines = "/clear 2; /info 2; /silence 2 5; /info 2; /permamute 2; /info 2; \
                         /unsilence 2; /info 192.0.2.201; /info 192.0.2.200; \
                         /shadowsilence 2 1; /unshadowsilence 2; /silence 2 5; /clear 2";
            say(w, 'x', lines);
            say(
                w,
                'm',
                "/ban 1 1; /silence 1 99; /silence 1 9; /silence 1 1",
            );
            say(
                w,
                'x',
                "/ban 2 5; /info 192.0.2.98; /permaban 1; /info 192.0.2.97",
            );
        },
        &[
            (
                "x: Info server: ",
                "ClearNotFound ClearSuccess InfoUser InfoAddress InfoNoBan InfoNoSilence \
                 InfoSilence InfoSilenceForGood InfoRuleSilence InfoRefused InfoNoReason InfoBan \
                 InfoBanForGood ShadowMuted ShadowUnmuted",
            ),
            (
                "abmxs: Info server: ",
                "Silenced SilencedForGood Unsilenced Banned",
            ),
            ("amxs: Info server: ", "BannedForGood"),
            (
                "m: Info server: ",
                "AdminDenied SilenceLimit SilencedAlready",
            ),
        ],
    ),
    (
        |w| {
            say(
                w,
                's',
                "/tempadmin 5 1; /tempadmin 4 1; /tempelevated 2 9; /info 2",
            );
            say(
                w,
                's',
                "/tempmoderator 2 9; /tempadmin 2 9; /tempelevated 1 9",
            );
            say(w, 's', "/finduser a; /finduser m; /finduser s; /finduser x");
        },
        &[
            (
                "s: Info server: ",
                "LevelSelf LevelAlready InfoLevelEnds LevelElevated LevelModerator LevelAdmin \
                 LevelSuperAdmin",
            ),
            (
                "abmxs: Info server: ",
                "TempElevated TempModerator TempAdmin",
            ),
        ],
    ),
    (
        |w| {
            let word = || "x".to_owned();
            let mistake = Report::Mistake {
                file: word(),
                line: 1,
                what: word(),
            };
            let reports = [
                Report::Read(word()),
                mistake,
                Report::More(1, word()),
                Report::Kept(word()),
                Report::Restart(word()),
                Report::NotSaved,
            ];
            w.lobby.tell_admins(&reports, &mut w.sink);
        },
        &[
            (
                "xs: Info server: ",
                "Reloaded ReloadMistake ReloadMore ReloadKept ReloadRestart",
            ),
            ("mxs: Info server: ", "NotSaved"),
        ],
    ),
];

pub(super) const QUIZ: &[Scene] = &[
    (
        |w| {
            say(w, 'x', "/triviawin; /triviareset");
            w.lobby.trivia_saved(false, &mut w.sink);
            quiz(w);
            let lines = "/triviaon; /triviapause; /triviaresume; /triviascores; /triviawin; \
                         /triviatime 5; /triviaupdate 192.0.2.97 192.0.2.1; \
                         /triviaupdate 192.0.2.97 192.0.2.1; /triviasave";
            say(w, 'x', lines);
            w.lobby.trivia_saved(true, &mut w.sink);
            say(w, 'x', "/triviareset; /triviascores; /triviaoff");
        },
        &[
            (
                "x: Info server: ",
                "TriviaNotRunning TriviaRunning TriviaUpdateUnknown",
            ),
            (
                "abmxs: Info server: ",
                "TriviaLine TriviaReset TriviaNotSaved TriviaOn TriviaPaused TriviaResumed \
                 TriviaTop TriviaPlace TriviaWinner TriviaTime TriviaUpdated TriviaSaved \
                 TriviaNoScores TriviaOff",
            ),
        ],
    ),
    (
        |w| {
            answers(w, "abmm");
            for seconds in [10, 15, 15, 5] {
                times_out(w, seconds);
            }
        },
        &[(
            "abmxs: Info server: ",
            "TriviaQuestion TriviaRight TriviaNext TriviaPraise TriviaPraiseMore \
             TriviaPraiseMost TriviaStreak TriviaTimeLeft TriviaHint TriviaAnswer",
        )],
    ),
    (
        |w| {
            let (now, files) = (w.now, TriviaFiles::default());
            w.lobby
                .trivia(now, key('x'), TriviaCommand::On, &mut w.sink);
            w.lobby.trivia_fetched(now, &files, &mut w.sink);
        },
        &[("abmxs: Info server: ", "TriviaNoQuestions")],
    ),
];
