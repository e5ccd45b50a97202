use super::*;

fn room(id: u32, game: &str, owner: &str, status: GameStatus) -> RoomView {
    RoomView {
        id,
        game: game.to_owned(),
        owner: owner.to_owned(),
        emulator: "EMU 1.0".to_owned(),
        players: 2,
        capacity: 8,
        status,
    }
}

fn identity() -> Identity {
    Identity {
        name: "Home & Hearth".to_owned(),
        location: "Köln".to_owned(),
        website: "http://example.net/?a=b".to_owned(),
        address: "192.0.2.7".to_owned(),
        port: 27888,
        max_users: 100,
        max_games: 9,
    }
}

fn lobby(rooms: Vec<RoomView>) -> Snapshot {
    Snapshot {
        users: Vec::new(),
        rooms,
    }
}

#[test]
fn emulinker_is_told_in_the_order_of_the_specification() {
    let rooms = vec![
        room(1, "Game A", "Ann", GameStatus::Waiting),
        room(2, "Game B", "Bob", GameStatus::Playing),
        room(3, "Game C", "Cid", GameStatus::Synchronizing),
        room(4, "Game D", "Dan", GameStatus::Waiting),
    ];
    let request = emulinker("http://list/t.php", &identity(), &lobby(rooms));
    let version = format!("Samara%20{VERSION}");
    assert_eq!(
        request.url,
        "http://list/t.php?serverName=Home%20%26%20Hearth&location=K%C3%B6ln\
         &website=http%3A%2F%2Fexample.net%2F%3Fa%3Db&ipAddress=192.0.2.7&port=27888\
         &numUsers=0&maxUsers=100&numGames=4&maxGames=9&version="
            .to_owned()
            + &version
    );
    let games = "Game A|Ann|EMU 1.0|2/8|Game D|Dan|EMU 1.0|2/8|";
    assert_eq!(request.headers, [("Waiting-games", games.to_owned())]);
}

#[test]
fn kaillera_is_told_in_the_order_of_the_specification() {
    let rooms = vec![
        room(1, "Game A", "Ann", GameStatus::Waiting),
        room(2, "Game B", "Bob", GameStatus::Playing),
    ];
    let mut started = StartedGames::default();
    started.add("Game X".to_owned());
    started.add("Game Y".to_owned());
    let request = kaillera("http://list/t.php", &identity(), &lobby(rooms), &started);
    let version = &format!("SAM{VERSION}")[..8];
    assert_eq!(
        request.url,
        format!(
            "http://list/t.php?servername=Home%20%26%20Hearth&location=K%C3%B6ln&port=27888\
             &nbusers=0&maxconn=100&nbgames=2&version={version}&ip=192.0.2.7\
             &url=http%3A%2F%2Fexample.net%2F%3Fa%3Db"
        )
    );
    let expected = [
        ("Kaillera-games", "Game X|Game Y|".to_owned()),
        ("Kaillera-wgames", "1|Game A|Ann|EMU 1.0|2|".to_owned()),
    ];
    assert_eq!(request.headers, expected);
    started.clear();
    let request = kaillera("http://list/t.php", &identity(), &lobby(vec![]), &started);
    assert!(request.headers.iter().all(|(_, value)| value.is_empty()));
}

#[test]
fn reports_come_after_ten_seconds_and_every_minute_and_to_nobody() {
    let settings = crate::service::lists::Settings::new(identity());
    let times = (settings.first.as_secs(), settings.every.as_secs());
    assert_eq!(times, (10, 60));
    assert!(!settings.is_needed() && !settings.has_news());
}

#[test]
fn an_address_is_told_only_if_there_is_one() {
    let identity = Identity {
        address: String::new(),
        ..identity()
    };
    let nothing = StartedGames::default();
    for request in [
        emulinker("http://list/?key=1", &identity, &Snapshot::default()),
        kaillera(
            "http://list/?key=1",
            &identity,
            &Snapshot::default(),
            &nothing,
        ),
    ] {
        assert!(!request.url.contains("&ip"), "{}", request.url);
        assert!(request.url.starts_with("http://list/?key=1&server"));
    }
}

/// In a header, text cannot end an entry, the header, or the request.
#[test]
fn entries_lose_what_is_not_theirs() {
    for (game, expected) in [
        ("a|b", "ab|"),
        ("a\r\nX-Evil: 1", "aX-Evil: 1|"),
        ("\u{8868}a\u{e9}", "a|"),
        ("a\0\t\u{7f}b", "ab|"),
        ("", "|"),
    ] {
        assert_eq!(entry([game]), expected, "{game:?}");
    }
}

#[test]
fn versions_have_their_limits() {
    let nothing = StartedGames::default();
    let lobby = Snapshot::default();
    let version = |request: Request| {
        let (_, rest) = request.url.split_once("version=").unwrap();
        rest.split('&').next().unwrap().replace("%20", " ")
    };
    assert!(version(emulinker("http://a/", &identity(), &lobby)).len() <= 30);
    assert!(version(kaillera("http://a/", &identity(), &lobby, &nothing)).len() <= 8);
}

#[test]
fn headers_end_after_a_whole_entry() {
    let long = "g".repeat(126);
    let rooms = (1..=500).map(|id| room(id, &long, "Ann", GameStatus::Waiting));
    let lobby = lobby(rooms.collect());
    let mut started = StartedGames::default();
    (0..500).for_each(|n| started.add(format!("{n} {long}")));
    let requests = [
        emulinker("http://a/", &identity(), &lobby),
        kaillera("http://a/", &identity(), &lobby, &started),
    ];
    for (name, value) in requests.iter().flat_map(|it| &it.headers) {
        let bars = value.matches('|').count();
        let fields = match *name {
            "Waiting-games" => 4,
            "Kaillera-games" => 1,
            _ => 5,
        };
        assert!(
            value.len() > HEADER - 200 && value.len() <= HEADER,
            "{name}"
        );
        assert!(value.ends_with('|') && bars % fields == 0, "{name}");
    }
    // The oldest were forgotten.
    let (_, games) = &requests[1].headers[0];
    assert!(games.starts_with(&format!("{} ", 500 - STARTED)));
}
