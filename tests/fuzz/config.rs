//! The corpus of operators' files: one file each, whole or broken where a reader may trip.

use super::seeds::write;

const CONFIG: &str = include_str!("../data/emulinker/conf/emulinker.cfg");
const LANGUAGE: &str = include_str!("../data/emulinker/conf/language.properties");
const ACCESS: &str = include_str!("../data/emulinker/conf/access.cfg");
const NATIVE: &str = include_str!("../../tools/samara.example.toml");

#[test]
fn the_corpus_of_properties_is_what_is_written_here() {
    for (name, text) in [
        ("config", CONFIG),
        ("language", LANGUAGE),
        (
            "escapes",
            "a=\\t\\n\\r\\f\\\\\\,\\u00e9\\z\\ud83d\\ude00\\ud83d\\u12",
        ),
        ("goes_on", "a=1\\\n  2\\ \n# x\\\n\\\n\\"),
        ("separators", "a b\na:b\n a = b\na\\ b\\:=c\n=\n:x\n"),
        ("variables", "a=${b}$${b}${c}${\nb=${a}\nc=1,2\n"),
        ("doubling", "a=${b}${b}\nb=${c}${c}\nc=${d}${d}\nd=x\n"),
        ("line_ends", "a=1\r\nb=2\rc=3\n\r\n#\r!x"),
    ] {
        write("properties", name, text.as_bytes());
    }
    write(
        "properties",
        "bytes",
        b"\xEF\xBB\xBFa=\xE9\xFF\0\n\x85=\xA0",
    );
}

#[test]
fn the_corpus_of_emulinker_is_what_is_written_here() {
    for (name, text) in [
        ("shipped", CONFIG),
        ("language", LANGUAGE),
        ("nothing", ""),
        (
            "numbers",
            "server.maxGames=0x1F\nserver.maxUsers=+5\nserver.maxPing=-0\ngame.bufferSize=0b1",
        ),
        (
            "too_much",
            "server.maxUsers=2147483647\nserver.maxGames=99999999999999999999",
        ),
        (
            "no_numbers",
            "game.bufferSize=\nserver.maxPing=5.0\nserver.maxGames=\\u12\n",
        ),
        (
            "booleans",
            "server.allowSinglePlayer=maybe\nmasterList.touchKaillera=TRUE",
        ),
        (
            "types",
            "server.allowedConnectionTypes=1,,7,x\nserver.allowedConnectionTypes=2",
        ),
        (
            "names",
            "masterList.serverName=\\u0000\nmasterList.serverWebsite=x\nemulinker.charset=\\n",
        ),
        (
            "greetings",
            "KailleraServerImpl.LoginMessage.1=\\u0001 \\u8868\nKailleraServerImpl.LoginMessage.3=",
        ),
        (
            "misspelt",
            "server.maxUser\\n=1\nserver.MaxPing=2\nChatAction.chatDenied={9}",
        ),
    ] {
        write("emulinker", name, text.as_bytes());
    }
}

#[test]
fn the_corpus_of_rules_is_what_is_written_here() {
    for (name, text) in [
        ("shipped", ACCESS),
        (
            "levels",
            "user,ADMIN,*,Hi\nuser,KING,*\nuser, ADMIN,*\nUSER,,superadmin,,1.2.3.4",
        ),
        (
            "fields",
            "user\n,,,\nuser,ADMIN,*,a,b\nsilence,*,x\ngame,ALLOW\nemulator,no,x",
        ),
        (
            "addresses",
            "silence,1.2.3.4/33|::/0|::ffff:1.2.3.0/120|2001:db8::*|1.2.3.4/+8|hi",
        ),
        (
            "hosts",
            "user,ADMIN,dns:a.example|DNS:b\nsilence,dns:\nipaddress,DENY,dns:x|",
        ),
        (
            "stars",
            "game,DENY,**a*b*ab*|*ab*ab|\u{e9}*\u{130}\nemulator,ALLOW,|",
        ),
        ("comments", "\u{feff}# x\n//y\n #z\r\r\n   \n\u{1}\n"),
    ] {
        write("access", name, text.as_bytes());
    }
}

#[test]
fn the_corpus_of_our_own_is_what_is_written_here() {
    for (name, text) in [
        ("example", NATIVE),
        ("syntax", "[net\nport = 1"),
        (
            "names",
            "\"a\\nb\" = 1\n[\"c\\rd\"]\n[net]\n\"port\\n\" = 2",
        ),
        (
            "values",
            "[net]\nbind = [\"x\\ny\", \"\"\"\nz\"\"\"]\nport = 1979-05-27",
        ),
        (
            "rules",
            "[access]\nrules = [\"silence,hi\", \"x\", \"user,ADMIN,*\\n\"]\nfile = \"\"",
        ),
        (
            "texts",
            "[texts]\na.b.c = \"x\"\n\"d\\n\" = \"{9}\"\ne = 1\n[texts.f]\ng = \"h\"",
        ),
        (
            "text_of_another_type",
            "[texts]\n\"d\\n\" = 1\n\"e\\u0085\" = []",
        ),
        (
            "limits",
            "[kaillera]\nmax_users = 65535\n[limits]\nsessions = 0xFFFFFFFFFF",
        ),
    ] {
        write("native", name, text.as_bytes());
    }
}
