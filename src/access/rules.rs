//! The lines of access.cfg (kaillera-server.md 5.1, 5.2).

use super::{AccessLevel, AddressPattern, Names, Pattern};
use std::{fmt, net::IpAddr};

/// Longest piece of a line in a report, in characters.
const EXCERPT: usize = 60;

/// What a rule says about whoever matches first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Let in.
    Allow,
    /// Kept out.
    Deny,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The level of addresses.
    User {
        /// The level.
        level: AccessLevel,
        /// Whose.
        who: AddressPattern,
        /// What everybody is told when such a user logs in.
        announcement: Option<String>,
    },
    /// Whether addresses may connect.
    Address(Action, AddressPattern),
    /// Whether ordinary users may log in with emulators.
    Emulator(Action, Pattern),
    /// Whether ordinary users may open rooms for games.
    Game(Action, Pattern),
    /// Addresses that may not chat.
    Silence(AddressPattern),
}

/// A list of rules in the order of their lines; of each kind the first that matches counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

/// What became of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The lines that could be read.
    pub rules: Rules,
    /// What is wrong with the others, in the order of the lines.
    pub mistakes: Vec<Mistake>,
}

/// Something wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, counted from 1.
    pub line: usize,
    /// The piece it is about.
    pub excerpt: String,
    /// What is wrong.
    pub problem: Problem,
}

/// The kinds of mistakes. All but the last reject their line, and that line alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The first field names no kind of rule.
    UnknownType,
    /// Fields are missing from a rule of this type.
    TooFewFields(&'static str),
    /// A rule of this type has more fields than it can.
    TooManyFields(&'static str),
    /// The second field of a `user` rule is no level.
    UnknownLevel,
    /// The second field is neither ALLOW nor DENY.
    UnknownAction,
    /// There is no host name behind `dns:`.
    NoHost,
    /// No address can match this alternative; the rest of the line counts.
    NeverMatches,
}

impl Rules {
    /// Reads a whole text. Blank lines and those that begin with `#` or `//` say nothing.
    pub fn parse(text: &str) -> Parsed {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self::from_lines((1..).zip(lines(text)))
    }

    /// Reads lines that come with their numbers.
    pub fn from_lines<'t>(lines: impl IntoIterator<Item = (usize, &'t str)>) -> Parsed {
        let mut parsed = Parsed::default();
        for (line, text) in lines {
            if text.trim().is_empty() || text.starts_with('#') || text.starts_with("//") {
                continue;
            }
            let mistake = |(problem, excerpt): (Problem, &str)| Mistake {
                line,
                excerpt: excerpt.chars().take(EXCERPT).collect(),
                problem,
            };
            match Rule::parse(text) {
                Ok(rule) => {
                    let never = rule.unmatchable();
                    let never = never.map(|it| mistake((Problem::NeverMatches, it)));
                    parsed.mistakes.extend(never);
                    parsed.rules.0.push(rule);
                }
                Err(error) => parsed.mistakes.push(mistake(error)),
            }
        }
        parsed
    }

    /// Adds `rules` behind those there are.
    pub fn append(&mut self, mut rules: Self) {
        self.0.append(&mut rules.0);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The host names whose addresses have to be known.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter_map(Rule::who)
            .flat_map(AddressPattern::hosts)
    }

    /// The first `user` rule's level and announcement.
    pub(super) fn user(
        &self,
        address: IpAddr,
        names: &Names,
    ) -> Option<(AccessLevel, Option<&str>)> {
        self.0.iter().find_map(|rule| match rule {
            Rule::User {
                level,
                who,
                announcement,
            } => who
                .matches(address, names)
                .then_some((*level, announcement.as_deref())),
            _ => None,
        })
    }

    pub(super) fn may_connect(&self, address: IpAddr, names: &Names) -> bool {
        let first = self.0.iter().find_map(|rule| match rule {
            Rule::Address(action, who) => who.matches(address, names).then_some(*action),
            _ => None,
        });
        first != Some(Action::Deny)
    }

    pub(super) fn allows_emulator(&self, name: &str) -> bool {
        let first = self.0.iter().find_map(|rule| match rule {
            Rule::Emulator(action, what) => what.matches(name).then_some(*action),
            _ => None,
        });
        first != Some(Action::Deny)
    }

    pub(super) fn allows_game(&self, name: &str) -> bool {
        let first = self.0.iter().find_map(|rule| match rule {
            Rule::Game(action, what) => what.matches(name).then_some(*action),
            _ => None,
        });
        first != Some(Action::Deny)
    }

    pub(super) fn silences(&self, address: IpAddr, names: &Names) -> bool {
        self.0.iter().any(|rule| match rule {
            Rule::Silence(who) => who.matches(address, names),
            _ => false,
        })
    }
}

impl Parsed {
    /// Whether there were rules and not one of them could be read: such a text is no rule file
    /// at all and must not replace one.
    pub fn is_unusable(&self) -> bool {
        self.rules.is_empty() && !self.mistakes.is_empty()
    }
}

impl Rule {
    /// Reads one line; an error comes with the piece it is about.
    fn parse(line: &str) -> Result<Self, (Problem, &str)> {
        let mut fields = line.split(',').filter(|field| !field.is_empty());
        let kind = fields.next().unwrap_or_default();
        let fields: Vec<&str> = fields.collect();
        let address = |text| AddressPattern::parse(text).map_err(|_| (Problem::NoHost, text));
        match kind.to_ascii_lowercase().as_str() {
            "user" => {
                let (level, who, announcement) = match *fields.as_slice() {
                    [level, who] => (level, who, None),
                    [level, who, announcement] => (level, who, Some(announcement.to_owned())),
                    [] | [_] => return Err((Problem::TooFewFields("user"), line)),
                    [..] => return Err((Problem::TooManyFields("user"), line)),
                };
                let level = AccessLevel::from_word(level).ok_or((Problem::UnknownLevel, level))?;
                let who = address(who)?;
                Ok(Self::User {
                    level,
                    who,
                    announcement,
                })
            }
            "ipaddress" => {
                let (action, who) = action_and_pattern("ipaddress", line, &fields)?;
                Ok(Self::Address(action, address(who)?))
            }
            "emulator" => {
                let (action, what) = action_and_pattern("emulator", line, &fields)?;
                Ok(Self::Emulator(action, Pattern::new(what)))
            }
            "game" => {
                let (action, what) = action_and_pattern("game", line, &fields)?;
                Ok(Self::Game(action, Pattern::new(what)))
            }
            "silence" => match *fields.as_slice() {
                [who] => Ok(Self::Silence(address(who)?)),
                [] => Err((Problem::TooFewFields("silence"), line)),
                [..] => Err((Problem::TooManyFields("silence"), line)),
            },
            _ => Err((Problem::UnknownType, kind)),
        }
    }

    fn who(&self) -> Option<&AddressPattern> {
        match self {
            Self::User { who, .. } | Self::Address(_, who) | Self::Silence(who) => Some(who),
            Self::Emulator(..) | Self::Game(..) => None,
        }
    }

    fn unmatchable(&self) -> impl Iterator<Item = &str> {
        self.who().into_iter().flat_map(AddressPattern::unmatchable)
    }
}

fn action_and_pattern<'t>(
    kind: &'static str,
    line: &'t str,
    fields: &[&'t str],
) -> Result<(Action, &'t str), (Problem, &'t str)> {
    let (action, pattern) = match *fields {
        [action, pattern] => (action, pattern),
        [] | [_] => return Err((Problem::TooFewFields(kind), line)),
        [..] => return Err((Problem::TooManyFields(kind), line)),
    };
    if action.eq_ignore_ascii_case("allow") {
        Ok((Action::Allow, pattern))
    } else if action.eq_ignore_ascii_case("deny") {
        Ok((Action::Deny, pattern))
    } else {
        Err((Problem::UnknownAction, action))
    }
}

/// The lines of a text, however they end.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    lines.flat_map(|line| line.split('\r'))
}

impl Problem {
    /// Whether the whole line does not count.
    pub fn rejects_line(self) -> bool {
        self != Self::NeverMatches
    }

    /// What would be right.
    pub fn valid(self) -> &'static str {
        match self {
            Self::UnknownType => {
                "user, ipaddress, emulator, game or silence at the very beginning of the line"
            }
            Self::TooFewFields(kind) | Self::TooManyFields(kind) => match kind {
                "user" => "user,LEVEL,ADDRESS or user,LEVEL,ADDRESS,ANNOUNCEMENT (no comma in it)",
                "ipaddress" => "ipaddress,ALLOW,ADDRESS or ipaddress,DENY,ADDRESS",
                "emulator" => "emulator,ALLOW,NAME or emulator,DENY,NAME",
                "game" => "game,ALLOW,NAME or game,DENY,NAME",
                _ => "silence,ADDRESS",
            },
            Self::UnknownLevel => {
                "NORMAL, ELEVATED, MODERATOR, ADMIN or SUPERADMIN, without blanks around it"
            }
            Self::UnknownAction => "ALLOW or DENY, without blanks around it",
            Self::NoHost => "dns: and a host name of at least two letters",
            Self::NeverMatches => {
                "an address, one with *, a network such as 192.0.2.0/24, or dns: and a host name"
            }
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownType => "no such type of rule",
            Self::TooFewFields(_) => "fields are missing",
            Self::TooManyFields(_) => "too many fields",
            Self::UnknownLevel => "no such level",
            Self::UnknownAction => "no such action",
            Self::NoHost => "no host name",
            Self::NeverMatches => "no address can match this",
        })
    }
}

impl fmt::Display for Mistake {
    /// `` `excerpt`: problem, the line is left out; valid: ... ``, without the line's number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            excerpt, problem, ..
        } = self;
        let left_out = match problem.rejects_line() {
            true => ", the line is left out",
            false => "",
        };
        let excerpt = excerpt.escape_debug();
        write!(
            f,
            "`{excerpt}`: {problem}{left_out}; valid: {}",
            problem.valid()
        )
    }
}
