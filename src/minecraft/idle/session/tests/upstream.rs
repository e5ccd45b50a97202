use super::*;

#[test]
fn an_upstream_lets_in_or_says_why_not() {
    let mut buf = [0; 100];
    let mut writer = Writer::new(&mut buf);
    let name = LoginName::new("Tester").unwrap();
    let login = UpstreamLogin::begin("127.0.0.1", 25571, name, &mut writer).unwrap();
    let vectors = vectors();
    let frames = list(&vectors["session"]["frames"]);
    let first: Vec<u8> = frames[..2]
        .iter()
        .flat_map(|it| bytes(&it["frame"]))
        .collect();
    assert_eq!(writer.written(), first);
    let mut zlib = Zlib::new();
    let mut ask = |mut login: UpstreamLogin, stream: &[u8]| {
        let mut at = 0;
        loop {
            let (len, answer) = login.receive(&stream[at..], &mut zlib).unwrap();
            at += len;
            if answer != Answer::Wait || len == 0 {
                return answer;
            }
        }
    };
    let stream: Vec<u8> = frames[2..4]
        .iter()
        .flat_map(|it| bytes(&it["frame"]))
        .collect();
    let framing = Framing::new(MAX_FRAME).with_threshold(256);
    let welcome = Answer::Welcome {
        uuid: UUID,
        name,
        framing,
    };
    assert_eq!(ask(login, &stream), welcome);
    assert_eq!(ask(login, &stream[..20]), Answer::Wait);
    for vector in list(&vectors["packets"]) {
        if vector["state"] == "login" && vector["direction"] == "clientbound" {
            let answer = ask(login, &bytes(&vector["frame"]));
            match text(&vector["name"]) {
                "disconnect" => {
                    assert_eq!(answer, Answer::Refused("{\"text\":\"full\"}".to_owned()));
                }
                "encryption_begin" => assert_eq!(answer, Answer::NeedsAccount),
                _ => {}
            }
        }
    }
    // Without compression.
    let mut writer = Writer::new(&mut buf);
    let success = login::LoginSuccess {
        uuid: Text::cut("f3d28cb0-7225-3cb1-baeb-2dadd2be89ae"),
        username: Text::cut("Tester"),
    };
    Zlib::new()
        .write(Framing::new(MAX_FRAME), &success, &mut writer)
        .unwrap();
    let Answer::Welcome { framing, .. } = ask(login, writer.written()) else {
        panic!("not welcome");
    };
    assert_eq!(framing.threshold(), None);
}
