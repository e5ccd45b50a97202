use super::{text::UNUSED, *};
use encoding_rs::{EUC_KR, GBK, SHIFT_JIS, UTF_8, WINDOWS_1251, WINDOWS_1252};
use proptest::prelude::*;
use std::{collections::HashSet, fs, path::Path};

/// The character set a language's players use.
fn encoding_of(language: Language) -> &'static Encoding {
    match language {
        Language::English | Language::Spanish | Language::Portuguese => WINDOWS_1252,
        Language::Japanese => SHIFT_JIS,
        Language::Korean => EUC_KR,
        Language::Russian => WINDOWS_1251,
        Language::Chinese => GBK,
    }
}

fn english() -> Catalogue {
    Catalogue::new(WINDOWS_1252, Language::English, &OperatorTexts::default())
}

fn reworded(texts: &[(&str, &str)]) -> Catalogue {
    let mut own = OperatorTexts::default();
    for (key, template) in texts {
        _ = own.set(key, template);
    }
    Catalogue::new(WINDOWS_1252, Language::Spanish, &own)
}

/// The numbers of the placeholders of `template`, sorted.
fn places(template: &str) -> Vec<usize> {
    let mut places: Vec<usize> = pattern::parse(template).filter_map(Part::index).collect();
    places.sort_unstable();
    places
}

/// The command words of `template`, sorted.
fn commands(template: &str) -> Vec<String> {
    let words = template.split(|c: char| !c.is_ascii_alphanumeric() && c != '/');
    let is_command = |word: &&str| word.len() > 2 && word.starts_with('/');
    let mut commands: Vec<String> = words.filter(is_command).map(str::to_owned).collect();
    commands.sort();
    commands
}

/// Each text of each language, with the character set it is used with.
fn all() -> impl Iterator<Item = (Language, Text, &'static str)> {
    Language::ALL.into_iter().flat_map(|language| {
        let entries = language.entries();
        entries.map(move |(key, template)| (language, Text::with_key(key).unwrap(), template))
    })
}

/// The keys that operators' files may have (kaillera-server.md 4.3), by what they begin with.
const KNOWN: &[(&str, &str)] = &[
    (
        "AdminCommandAction",
        "AdminCommands AlreadyAdmin AnnounceError AnnounceGameError BanError Banned \
         CanNotBanAdmin CanNotBanSelf CanNotCloseAdminGame CanNotKickAdmin CanNotKickSelf \
         CanNotSilenceAdmin CanNotSilenceSelf ClearAddressFormatError ClearError \
         ClearNotFound ClearSuccess CloseGameError Failed FindGameError FindUserError \
         GameNotFound HelpAnnounce HelpAnnounceAll HelpAnnounceGame HelpBan HelpClear \
         HelpCloseGame HelpFindGame HelpFindUser HelpKick HelpSilence HelpTempAdmin \
         HelpVersion KickError NoGamesFound NoUsersFound QuitBanned QuitKicked SilenceError \
         Silenced TempAdminError TempAdminGranted UserAlreadyAdmin UserNotFound VersionError",
    ),
    ("AutoFireScanner2", "AutoFireDetected"),
    ("ChatAction", "ChatDenied UnrecognizedCommand"),
    (
        "CreateGameAction",
        "CreateGameDenied CreateGameDeniedFloodControl",
    ),
    ("Fps", "NewFpsMeasurement"),
    ("GameDesynchAction", "DesynchDetected"),
    (
        "GameOwnerCommandAction",
        "AutoFireChangeDeniedInGame AvailableCommands CommandFailed HelpCurrentSensitivity \
         HelpDisable HelpDisabled HelpSensitivity SetAutofireDetection",
    ),
    ("JoinGameAction", "JoinGameDenied"),
    (
        "KailleraGameImpl",
        "AutofireCurrentSensitivity AutofireDetectionOff AutofireDetectionOn \
         CloseGameDeniedNotGameOwner CloseGameErrorNotGameOwner DesynchDetectedDroppedPacket \
         DesynchDetectedPlayerLagged DesynchedWarning DropGameErrorInternalError \
         DropGameErrorNotInGame GameChatDeniedIllegalCharacters GameChatDeniedMessageTooLong \
         GameChatErrorNotInGame GameHelp GameKickDeniedCannotKickSelf \
         GameKickDeniedNotGameOwner GameKickErrorUserNotFound JoinGameDeniedGameIsInProgress \
         JoinGameDeniedPreviouslyKicked JoinGameErrorAlreadyInGame QuitGameErrorNotInGame \
         ReadyGameErrorIncorrectState ReadyGameErrorInternalError ReadyGameErrorNotInGame \
         StartGameConnectionTypeMismatchInfo StartGameDeniedConnectionTypeMismatch \
         StartGameDeniedEmulatorMismatch StartGameDeniedOnlyOwnerMayStart \
         StartGameDeniedSinglePlayerNotAllowed StartGameEmulatorMismatchInfo \
         StartGameErrorStatusIsPlaying StartGameErrorSynchronizing",
    ),
    (
        "KailleraServerImpl",
        "AdminWelcomeMessage CanceledPendingTweet ChatDeniedFloodControl \
         ChatDeniedIllegalCharacters ChatDeniedMessageTooLong ChatDeniedSilenced \
         CreateGameDeniedFloodControl CreateGameDeniedGameBanned \
         CreateGameDeniedIllegalCharacters CreateGameDeniedMaxGames \
         CreateGameDeniedNameTooLong CreateGameErrorAlreadyInGame CreateGameErrorEmptyName \
         ForcedQuitBanned ForcedQuitEmulatorRestricted ForcedQuitInactivityTimeout \
         ForcedQuitPingTimeout ForcedQuitReconnected LoginDeniedAccessDenied \
         LoginDeniedAddressMatchError LoginDeniedAlreadyLoggedIn LoginDeniedAlreadyLoggedInAs \
         LoginDeniedConnectionTimedOut LoginDeniedConnectionTypeDenied \
         LoginDeniedEmulatorNameTooLong LoginDeniedEmulatorRestricted \
         LoginDeniedIllegalCharactersInUserName LoginDeniedPingTooHigh LoginDeniedServerFull \
         LoginDeniedUserNameEmpty LoginDeniedUserNameTooLong LoginErrorInvalidPing \
         LoginErrorInvalidStatus NotLoggedIn ServerShuttingDown StandardQuitMessage \
         TweetCloseMessage TweetPendingAnnouncement UserCreatedGameAnnouncement",
    ),
    (
        "KailleraUserImpl",
        "CreateGameErrorAlreadyInGame CreateGameErrorNotFullyConnected GameChatErrorNotInGame \
         GameDataErrorNotInGame JoinGameErrorAlreadyInGame JoinGameErrorAnotherGameRunning \
         JoinGameErrorDoesNotExist JoinGameErrorNotFullyConnected KickErrorNotInGame \
         PlayerReadyErrorNotInGame StartGameErrorNotInGame",
    ),
    (
        "Lagstat",
        "GameNotLaggy LagReductionRecommendation LagstatReset PerUserSummary \
         TotalGameLagSummary",
    ),
    ("PlayerDesynchAction", "DesynchDetected"),
    ("Survey", "Consent ConsentNo ConsentYes Question Thanks"),
    ("Time", "MinutesAbbreviation SecondsAbbreviation"),
];

#[test]
fn every_known_key_is_taken() {
    let mut own = OperatorTexts::default();
    let mut count = 0;
    for (front, names) in KNOWN {
        for name in names.split(' ') {
            assert_eq!(
                own.set(&format!("{front}.{name}"), "x"),
                Ok(()),
                "{front}.{name}"
            );
            count += 1;
        }
    }
    assert_eq!(count, 157);
}

#[test]
fn keys_are_unique() {
    let keys: HashSet<&str> = keys().chain(UNUSED.iter().copied()).collect();
    assert_eq!(keys.len(), Text::ALL.len() + UNUSED.len());
}

/// The words of the lobby's own sources, without tests and this room.
fn words_of(directory: &Path, words: &mut HashSet<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        if matches!(stem, "catalogue" | "tests") {
            continue;
        }
        if path.is_dir() {
            words_of(&path, words);
        } else {
            let source = fs::read_to_string(&path).unwrap();
            let is_sign = |c: char| !c.is_alphanumeric() && c != '_';
            words.extend(source.split(is_sign).map(str::to_owned));
        }
    }
}

#[test]
fn every_text_is_named_where_it_is_shown() {
    let mut words = HashSet::new();
    let lobby = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lobby");
    words_of(&lobby, &mut words);
    assert!(words.contains("catalogue"));
    for text in Text::ALL {
        assert!(words.contains(&format!("{text:?}")), "{text:?}");
    }
}

#[test]
fn every_language_has_every_text_once() {
    for language in Language::ALL {
        let keys: Vec<&str> = language.entries().map(|(key, _)| key).collect();
        let expected: Vec<&str> = Text::ALL.iter().map(|text| text.key()).collect();
        assert_eq!(keys, expected, "{language:?}");
    }
}

#[test]
fn translations_have_the_same_parts() {
    for (language, text, template) in all() {
        let english = text.english();
        assert_eq!(places(template), places(english), "{language:?} {text:?}");
        assert_eq!(
            commands(template),
            commands(english),
            "{language:?} {text:?}"
        );
        let appended = matches!(text, Text::AutofireOff | Text::FoundInRoom);
        assert_eq!(
            template.trim() != template,
            text == Text::AutofireOff,
            "{text:?}"
        );
        assert!(
            appended || !template.starts_with([' ', ':', ',']),
            "{text:?}"
        );
        assert!(
            !template.contains(['\\', char::REPLACEMENT_CHARACTER]),
            "{text:?}"
        );
        if text.params() > 0 {
            let pairs = template.replace("''", "");
            assert!(!pairs.contains('\''), "{language:?} {text:?}");
        }
    }
}

#[test]
fn texts_fit_their_lines() {
    for (language, text, template) in all() {
        // Names may take 30 bytes of a refusal; half a line is for longer parameters.
        let key = text.key();
        let short = key.contains(".LoginDenied") || key.contains("Quit");
        let most = match text {
            Text::DesyncName => NAME,
            Text::Delays => 20 + "{0}".len(),
            Text::RoomOpened => LINE - NAME - 126 + "{0}{1}".len(),
            Text::ShuttingDown => REASON,
            _ if short && text.params() > 0 => REASON - NAME,
            _ if short => REASON,
            _ => LINE,
        };
        for encoding in [encoding_of(language), UTF_8] {
            let (bytes, _, unmappable) = encoding.encode(template);
            assert!(!unmappable, "{language:?} {text:?}");
            let most = if encoding == UTF_8 { LINE } else { most };
            assert!(
                bytes.len() <= most,
                "{language:?} {text:?}: {}",
                bytes.len()
            );
        }
    }
}

#[test]
fn languages_know_their_character_sets() {
    for language in Language::ALL {
        assert!(language.fits(encoding_of(language)), "{language:?}");
        assert!(language.fits(UTF_8), "{language:?}");
    }
    assert!(Language::English.fits(SHIFT_JIS));
    assert!(!Language::Japanese.fits(WINDOWS_1252));
    assert!(!Language::Spanish.fits(GBK));
}

#[test]
fn parameters_take_their_places() {
    let catalogue = english();
    let params = [Param::Number(12345), Param::Number(1), Param::Number(2)];
    let line = catalogue.line(Text::Delay, &params);
    assert_eq!(line, b"P12345 Delay = 1 (2 frame delay)");
    let nested = catalogue.line(Text::ChatDenied, &[Param::Text(Text::ChatFlood)]);
    assert_eq!(nested, b"Not sent: you are sending too fast");
    let params = [Param::Number(1440), Param::Bytes(b"{0}''")];
    let line = catalogue.line(Text::Banned, &params);
    assert_eq!(line, b"{0}'' is banned for 1440 minutes");
}

#[test]
fn without_parameters_a_text_is_no_pattern() {
    let catalogue = reworded(&[
        ("KailleraServerImpl.StandardQuitMessage", "it's {x} over"),
        ("KailleraServerImpl.LoginDeniedServerFull", "it's ''full''"),
    ]);
    assert_eq!(catalogue.line(Text::QuitStandard, &[]), b"it's {x} over");
    assert_eq!(catalogue.line(Text::LoginFull, &[]), b"it's ''full''");
}

#[test]
fn operators_texts_win_over_the_language() {
    let catalogue = reworded(&[
        ("ChatAction.ChatDenied", "Nix: {0}, {1}"),
        ("KailleraServerImpl.ChatDeniedFloodControl", "first"),
        ("KailleraServerImpl.ChatDeniedFloodControl", "last"),
        ("KailleraGameImpl.GameHelp", "never shown"),
    ]);
    let line = catalogue.line(Text::ChatDenied, &[Param::Text(Text::ChatFlood)]);
    assert_eq!(line, b"Nix: last, {1}");
    let line = catalogue.line(Text::LoginFull, &[]);
    assert_eq!(line, b"No hay sitio: el servidor est\xE1 lleno.");
}

#[test]
fn operators_mistakes_are_told() {
    let mut own = OperatorTexts::default();
    let key = "ChatAction.ChatDenied";
    assert_eq!(
        own.set("chataction.chatdenied", "x"),
        Err(TextMistake::UnknownKey)
    );
    assert!(own.is_empty());
    assert_eq!(
        own.set(key, "{0} {3}"),
        Err(TextMistake::UnknownPlaceholder(3))
    );
    assert_eq!(own.set(key, "{0} '{3}' {x}"), Ok(()));
    assert_eq!(own.len(), 1);
}

#[test]
fn no_parameter_makes_a_data_line() {
    let catalogue = english();
    let params = [Param::Bytes(b"::ACCESS=x"), Param::Bytes(b"g")];
    assert_eq!(
        catalogue.line(Text::RoomOpened, &params),
        b"ACCESS=x opened a room: g"
    );
    let long = [b"x".repeat(LINE - 4), b":ACCESS=".to_vec()].concat();
    let params = [Param::Bytes(b"a"), Param::Bytes(&long)];
    for line in catalogue.wrapped(Text::Emote, &params) {
        assert_ne!(line.first(), Some(&b':'));
    }
}

#[test]
fn long_lines_are_cut_between_characters() {
    let catalogue = Catalogue::new(SHIFT_JIS, Language::English, &OperatorTexts::default());
    let long = [0x95, 0x5C].repeat(200);
    let line = catalogue.line(Text::UnknownCommand, &[Param::Bytes(&long)]);
    let prefix = "No such command: ".len();
    assert_eq!(line.len(), prefix + (LINE - prefix) / 2 * 2);
    let lines = catalogue.lines(&"表".repeat(150));
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [200, 100]);
    let wrapped = catalogue.wrapped(Text::UnknownCommand, &[Param::Bytes(&long)]);
    assert_eq!(wrapped.concat().len(), prefix + long.len());
}

#[test]
fn letters_a_character_set_lacks_are_question_marks() {
    let own = OperatorTexts::default();
    let catalogue = Catalogue::new(WINDOWS_1252, Language::Russian, &own);
    assert_eq!(catalogue.line(Text::QuitStandard, &[]), b"????? ? ???????");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever an operator writes and users say, lines keep to their limits.
    #[test]
    fn any_wording_makes_lines_within_the_limits(
        template in "[{}',0-2a-z:\u{e9}\u{8868}\u{20}]{0,80}|.{0,400}",
        param in prop::collection::vec(any::<u8>(), 0..400),
        limit in 0..LINE,
    ) {
        let mut own = OperatorTexts::default();
        _ = own.set("ChatAction.ChatDenied", &template);
        for language in [Language::English, Language::Korean] {
            let catalogue = Catalogue::new(encoding_of(language), language, &own);
            for params in [&[][..], &[Param::Bytes(&param)], &[Param::Text(Text::ChatDenied)]] {
                let line = catalogue.bytes(Text::ChatDenied, params, limit);
                prop_assert!(line.len() <= limit);
                prop_assert_ne!(line.first(), Some(&b':'));
                for line in catalogue.wrapped(Text::ChatDenied, params) {
                    prop_assert!(line.len() <= LINE);
                    prop_assert_ne!(line.first(), Some(&b':'));
                }
            }
        }
    }
}
