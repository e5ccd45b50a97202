//! What a web hook is told, with places for names.

use super::Identity;
use crate::service::kaillera::RoomNews;
use std::str::FromStr;

/// What may stand in braces in a text for web hooks.
pub const PLACEHOLDERS: &str = "{owner}, {game}, {emulator}, {server} and {address}";

/// A text with places for names; empty says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Owner,
    Game,
    Emulator,
    Server,
    Address,
}

/// Letters that mean something to readers of Discord's markup, or begin a link.
const MARKUP: &[char] = &[
    '\\', '*', '_', '~', '`', '|', '<', '>', '#', '[', ']', '(', ')', ':', '@', '+', '-',
];

impl Template {
    /// Whether nothing is to be said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text about `news` of the server. Names are made plain: no markup of theirs works.
    pub(super) fn render(&self, news: &RoomNews, identity: &Identity) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(own) => text.push_str(own),
                Part::Owner => plain(&news.owner, &mut text),
                Part::Game => plain(&news.game, &mut text),
                Part::Emulator => plain(&news.emulator, &mut text),
                Part::Server => plain(&identity.name, &mut text),
                // An operator's own, and of use only if it can be copied.
                Part::Address => text.push_str(&identity.address),
            }
        }
        text
    }
}

impl FromStr for Template {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, place)) = rest.split_once('{') {
            let (name, after) = place.split_once('}').ok_or(())?;
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(match name {
                "owner" => Part::Owner,
                "game" => Part::Game,
                "emulator" => Part::Emulator,
                "server" => Part::Server,
                "address" => Part::Address,
                _ => return Err(()),
            });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self(parts))
    }
}

fn plain(name: &str, out: &mut String) {
    for letter in name.trim().chars().filter(|it| !it.is_control()) {
        if MARKUP.contains(&letter) {
            out.push('\\');
        }
        out.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::RoomEventKind;

    fn render(template: &str, owner: &str, game: &str) -> String {
        let news = RoomNews {
            kind: RoomEventKind::Opened,
            id: 1,
            game: game.to_owned(),
            owner: owner.to_owned(),
            emulator: "EMU".to_owned(),
            posted: true,
        };
        let identity = Identity {
            name: "Home".to_owned(),
            address: "192.0.2.1".to_owned(),
            ..Identity::default()
        };
        let template: Template = template.parse().unwrap();
        template.render(&news, &identity)
    }

    #[test]
    fn names_take_their_places() {
        let text = render(
            "{owner} plays {game} with {emulator} on {server} ({address})",
            "A",
            "G",
        );
        assert_eq!(text, "A plays G with EMU on Home (192.0.2.1)");
        assert_eq!(render("plain", "A", "G"), "plain");
        assert!("".parse::<Template>().unwrap().is_empty());
    }

    #[test]
    fn no_name_is_markup_or_a_link() {
        let text = render("{owner}: {game}", "**@here**", "[x](http://y)\r\n<@1>");
        assert_eq!(
            text,
            "\\*\\*\\@here\\*\\*: \\[x\\]\\(http\\://y\\)\\<\\@1\\>"
        );
        assert_eq!(render("{owner}{game}", " {game} ", "\0é"), "{game}é");
    }

    #[test]
    fn other_places_are_mistakes() {
        for text in ["{user}", "{owner", "{}", "{ owner }", "{{owner}}"] {
            assert_eq!(text.parse::<Template>(), Err(()), "{text}");
        }
    }
}
