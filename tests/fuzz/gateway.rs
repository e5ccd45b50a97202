//! The gateway target's corpus: pieces of a client's and a server's streams.

use super::seeds::write;

/// Of the client, encrypted.
const CLIENT: u8 = 2;
/// Of the server, encrypted.
const SERVER: u8 = 3;

const LOGIN: (u8, &[u8]) = (CLIENT, b"\x01\0ab");
const TO_7575: (u8, &[u8]) = (
    SERVER,
    b"\x0C\0\0\0\x7F\0\0\x01\x97\x1D\x31\x75\0\0\0\0\0\0\0",
);

#[test]
fn the_gateway_corpus_is_what_is_written_here() {
    let channel = |flag: u8| [&[0x10, 0, flag][..], b"\x7F\0\0\x01\x97\x1D"].concat();
    let (go, stay) = (channel(1), channel(0));
    let cases: [(&str, &[(u8, &[u8])]); 8] = [
        ("login", &[LOGIN, (SERVER, b"\0\0ok"), (CLIENT, b"\x18\0")]),
        ("select", &[LOGIN, TO_7575, (CLIENT, b"\x31\0")]),
        ("refused_select", &[LOGIN, (SERVER, b"\x0C\0\x06\0")]),
        ("short_select", &[LOGIN, (SERVER, &TO_7575.1[..10])]),
        ("channel_of_nobody", &[LOGIN, (SERVER, &go)]),
        ("channel_not_changed", &[LOGIN, (SERVER, &stay)]),
        (
            "comes_in_unexpected",
            &[(CLIENT, b"\x14\0\x31\x75\0\0\0\0")],
        ),
        (
            "garbage",
            &[LOGIN, (0, b"\xFF\xFF\xFF\xFFab"), (1, b"abcdef")],
        ),
    ];
    for (name, pieces) in cases {
        let pieces = pieces.iter().map(|(side, bytes)| {
            let head = side | (bytes.len() as u8) << 2;
            [&[head], *bytes].concat()
        });
        write("gateway", name, &pieces.collect::<Vec<_>>().concat());
    }
}
