//! Every kind of mistake, as it is told.

use super::*;

#[test]
fn mistakes_are_told_exactly() {
    let long = format!(
        "[kaillera]\nwelcome = [\n  \"fine\",\n  \"{}\",\n]",
        "x".repeat(256)
    );
    let long_told = format!(
        "t:4: kaillera.welcome = \"{}... is not accepted; valid: a line of at most 255 bytes in \
         windows-1252, without control characters",
        "x".repeat(39),
    );
    let cases = [
        // Syntax.
        (
            "[net\nport = 1",
            "t:1: not TOML: unclosed table, expected `]`",
        ),
        (
            "[net]\n\nport 1",
            "t:3: not TOML: key with no value, expected `=`",
        ),
        (
            "[net]\nport = 1\nport = 2",
            "t:3: not TOML: duplicate key, at `port`",
        ),
        // Names.
        (
            "[nett]\nport = 1",
            "t:1: [nett] is unknown; valid: [net], [kaillera], [access], [texts], [link], [limits], [games], [tcp], [http], [maple], [gateway], [packet_log], [minecraft], [lists], [webhook], [shutdown], [trivia], [updates], [log]",
        ),
        ("\nport = 1", "t:2: port is unknown; did you mean net.port?"),
        (
            "colour = 1",
            "t:1: colour is unknown; valid: [net], [kaillera], [access], [texts], [link], [limits], [games], [tcp], [http], [maple], [gateway], [packet_log], [minecraft], [lists], [webhook], [shutdown], [trivia], [updates], [log]",
        ),
        (
            "[net]\ncolour = 1",
            "t:2: net.colour is unknown; valid: bind, port, announced_port, loops, workers, answer_wrong_version",
        ),
        (
            "[link]\nmax_ping = 1",
            "t:2: link.max_ping is unknown; did you mean kaillera.max_ping_ms?",
        ),
        (
            "[kaillera]\nmaxGames = 1",
            "t:2: kaillera.maxGames is unknown; did you mean kaillera.max_games?",
        ),
        (
            "[link]\n\"a\\nb\" = 1",
            "t:2: link.a\\nb is unknown; valid: login_timeout_s, first_keepalive_s, desync_after_s, drop_after_s",
        ),
        // Types.
        (
            "log = 1",
            "t:1: log = 1 is an integer; valid: a section, [log]",
        ),
        (
            "[[net]]\nport = 1",
            "t:1: net = [[net]] is a list; valid: a section, [net]",
        ),
        (
            "[net]\nport = \"x\"",
            "t:2: net.port = \"x\" is a text; valid: an integer, 0 to 65535 (port; 0 is any free one)",
        ),
        (
            "[net]\nport = 1.5",
            "t:2: net.port = 1.5 is a fraction; valid: an integer, 0 to 65535 (port; 0 is any free one)",
        ),
        (
            "[net]\nbind = \"::\"",
            "t:2: net.bind = \"::\" is a text; valid: a list in brackets, 1 to 16 addresses",
        ),
        (
            "[net]\nanswer_wrong_version = 1",
            "t:2: net.answer_wrong_version = 1 is an integer; valid: true or false",
        ),
        (
            "[kaillera]\ncharset = 1979-05-27",
            "t:2: kaillera.charset = 1979-05-27 is a date or time; valid: a text in quotes, windows-1252, windows-1251, GBK, Shift_JIS, x-IBM949, UTF-8, or another that has ASCII in it, by its name in Java or in HTML",
        ),
        (
            "[kaillera]\nwelcome = [\n  \"a\",\n  true,\n]",
            "t:4: kaillera.welcome = true is true or false; valid: a text in quotes, a line of at most 255 bytes in windows-1252, without control characters",
        ),
        // Ranges.
        (
            "\n\n[kaillera]\nmax_ping_ms = 5000",
            "t:4: kaillera.max_ping_ms = 5000 is out of range; valid: 1 to 1000 (milliseconds)",
        ),
        (
            "[net]\nport = -1",
            "t:2: net.port = -1 is out of range; valid: 0 to 65535 (port; 0 is any free one)",
        ),
        (
            "[limits]\ninbox = 99999999999999999999999",
            "t:2: limits.inbox = 99999999999999999999999 is out of range; valid: 16 to 4096 (messages)",
        ),
        (
            "[net]\nbind = []",
            "t:2: net.bind = [] is out of range; valid: 1 to 16 addresses",
        ),
        (
            "[kaillera]\nallowed_connection_types = [1, 0]",
            "t:2: kaillera.allowed_connection_types = 0 is out of range; valid: 1 to 6 (connection types)",
        ),
        // Texts.
        (
            "[lists]\nserver_website = \"example.net\"",
            "t:2: lists.server_website = \"example.net\" is not accepted; valid: an address of the web of at most 100 characters, or \"\"",
        ),
        (
            "[lists]\nserver_address = \"192.0.2.1:27888\"",
            "t:2: lists.server_address = \"192.0.2.1:27888\" is not accepted; valid: an IPv4 address or a host's name, without a port, or \"\"",
        ),
        (
            "[lists]\nserver_name = \" \"",
            "t:2: lists.server_name = \" \" is not accepted; valid: 1 to 100 characters without control characters",
        ),
        (
            "[lists]\nkaillera_url = \"ftp://example.net/\"",
            "t:2: lists.kaillera_url = \"ftp://example.net/\" is not accepted; valid: an address that begins with http:// or https://",
        ),
        (
            "[webhook]\nclosed = \"{user} left\"",
            "t:2: webhook.closed = \"{user} left\" is not accepted; valid: at most 500 characters, in which braces hold {owner}, {game}, {emulator}, {server} and {address}; \"\" is nothing",
        ),
        (
            "[webhook]\nurls = [\"https://a/\"]\nopened = \"\"",
            "t:3: webhook.opened = \"\" is out of range; valid: a text: what is not told to open is not told to start or close",
        ),
        (
            "[net]\nbind = [\"::1\", \"localhost\"]",
            "t:2: net.bind = \"localhost\" is not accepted; valid: an IPv4 or IPv6 address such as \"0.0.0.0\" or \"::\"",
        ),
        (
            "[kaillera]\nlanguage = \"de\"",
            "t:2: kaillera.language = \"de\" is not accepted; valid: one of en, es, ja, ko, pt, ru, zh",
        ),
        (
            "[kaillera]\ncharset = \"utf-16\"",
            "t:2: kaillera.charset = \"utf-16\" is not accepted; valid: windows-1252, windows-1251, GBK, Shift_JIS, x-IBM949, UTF-8, or another that has ASCII in it, by its name in Java or in HTML",
        ),
        (
            "[log]\naddresses = \"short\"",
            "t:2: log.addresses = \"short\" is not accepted; valid: \"shortened\", \"full\" or \"hidden\"",
        ),
        (
            "[updates]\nurl = \"example.net\"",
            "t:2: updates.url = \"example.net\" is not accepted; valid: an address that begins with http:// or https://, or \"\"",
        ),
        (
            "[log]\nfilter = \"inof\"",
            "t:2: log.filter = \"inof\" is not accepted; valid: off, error, warn, info, debug or trace, or target=level, several separated by commas",
        ),
        (&long, &long_told),
        // Keys that contradict each other.
        (
            "[kaillera]\nmax_users = 5000",
            "t:2: kaillera.max_users = 5000 is out of range; valid: at most limits.sessions, which is 4096",
        ),
        (
            "[link]\ndesync_after_s = 90",
            "t:2: link.desync_after_s = 90 is out of range; valid: at most link.drop_after_s, which is 60",
        ),
        (
            "[link]\ndrop_after_s = 5",
            "t:2: link.drop_after_s = 5 is out of range; valid: at least link.desync_after_s, which is 12",
        ),
        (
            "[tcp]\nlow_mark = 300000",
            "t:2: tcp.low_mark = 300000 is out of range; valid: at most tcp.high_mark, which is 262144",
        ),
        (
            "[tcp]\nhigh_mark = 5000",
            "t:2: tcp.high_mark = 5000 is out of range; valid: at least tcp.low_mark, which is 65536",
        ),
        (
            "[tcp]\nhard_cap = 300000",
            "t:2: tcp.hard_cap = 300000 is out of range; valid: at least 329728, which is tcp.high_mark and a message",
        ),
        (
            "[tcp]\nhigh_mark = 1000000",
            "t:2: tcp.high_mark = 1000000 is out of range; valid: at most 980992, which is tcp.hard_cap without a message",
        ),
        (
            "[http]\nlisten = [\"9100\"]",
            "t:2: http.listen = \"9100\" is not accepted; valid: an address with a port such as \"127.0.0.1:9100\" or \"[::1]:9100\"",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(mistakes(text), expected, "{text}");
    }
}
