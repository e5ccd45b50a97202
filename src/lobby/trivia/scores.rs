//! The points, by address, in the form of `scores.txt`.
//!
//! ```text
//!   ip:192.0.2.1
//!   s:12
//!   n:Ann
//!   (an empty line)
//! ```

use std::{fmt, net::IpAddr};

/// Most players whose points are kept; the one with the fewest makes room.
const MOST: usize = 10_000;

/// Everybody's points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scores(Vec<Player>);

/// One player. Neighbours behind one router share an address, and so their points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Player {
    pub(super) address: IpAddr,
    pub(super) points: u64,
    /// As it was called last.
    pub(super) name: String,
}

impl Scores {
    /// Reads what is whole in a file; the rest means nothing.
    pub(super) fn parse(text: &str) -> Self {
        let mut scores = Self::default();
        let (mut address, mut points): (Option<IpAddr>, Option<u64>) = (None, None);
        for line in text.trim_start_matches('\u{FEFF}').lines() {
            let line = line.trim();
            if let Some(rest) = line.strip_prefix("ip:") {
                (address, points) = (rest.trim().parse().ok(), None);
            } else if let Some(rest) = line.strip_prefix("s:") {
                points = rest.trim().parse().ok();
            } else if let (Some(name), Some(address), Some(points)) =
                (line.strip_prefix("n:"), address.take(), points.take())
            {
                let name = one_line(name);
                scores.insert(Player {
                    address: address.to_canonical(),
                    points,
                    name,
                });
            }
        }
        scores
    }

    /// One more point for whoever is at this address; how many it has.
    pub(super) fn add(&mut self, address: IpAddr, name: &str) -> u64 {
        let name = one_line(name);
        if let Some(player) = self.find(address) {
            player.points = player.points.saturating_add(1);
            player.name = name;
            return player.points;
        }
        self.insert(Player {
            address,
            points: 1,
            name,
        });
        1
    }

    /// Gives the points of one address to another, which keeps its own; false if there are none.
    pub(super) fn move_points(&mut self, old: IpAddr, new: IpAddr) -> bool {
        let Some(place) = self.0.iter().position(|it| it.address == old) else {
            return false;
        };
        let mut moved = self.0.remove(place);
        match self.find(new) {
            Some(player) => player.points = player.points.saturating_add(moved.points),
            None => {
                moved.address = new;
                self.insert(moved);
            }
        }
        true
    }

    /// Everybody, the best first; of equals, whoever came first.
    pub(super) fn top(&self) -> impl Iterator<Item = &Player> {
        let mut players: Vec<&Player> = self.0.iter().collect();
        players.sort_by_key(|it| std::cmp::Reverse(it.points));
        players.into_iter()
    }

    fn find(&mut self, address: IpAddr) -> Option<&mut Player> {
        self.0.iter_mut().find(|it| it.address == address)
    }

    fn insert(&mut self, player: Player) {
        if let Some(known) = self.find(player.address) {
            *known = player;
            return;
        }
        if self.0.len() >= MOST {
            let fewest = self.0.iter().enumerate().min_by_key(|(_, it)| it.points);
            if let Some(place) = fewest.map(|(place, _)| place) {
                self.0.remove(place);
            }
        }
        self.0.push(player);
    }
}

impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for player in self.top() {
            let Player {
                address,
                points,
                name,
            } = player;
            write!(f, "ip:{address}\ns:{points}\nn:{name}\n\n")?;
        }
        Ok(())
    }
}

/// A name that cannot end its line in the file.
fn one_line(name: &str) -> String {
    let name: String = name.chars().filter(|it| !it.is_control()).collect();
    name.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn what_is_written_is_read() {
        let mut scores = Scores::default();
        scores.add(address(1), "Ann");
        scores.add(address(2), " Bob\r\nip:1.2.3.4\ns:99 ");
        assert_eq!(scores.add(address(2), "Bob\u{2028}by"), 2);
        scores.add("2001:db8::1".parse().unwrap(), "Cid");
        let text = scores.to_string();
        assert!(text.starts_with("ip:192.0.2.2\ns:2\nn:Bob\u{2028}by\n\nip:192.0.2.1\n"));
        let again = Scores::parse(&text);
        assert_eq!(again.to_string(), text);
        assert_eq!(Scores::parse(&text.replace('\n', "\r\n")), again);
    }

    #[test]
    fn what_is_not_whole_means_nothing() {
        for text in [
            "",
            "ip:192.0.2.1\ns:1\n",
            "ip:nowhere\ns:1\nn:Ann\n",
            "ip:192.0.2.1\ns:many\nn:Ann\n",
            "s:1\nip:192.0.2.1\nn:Ann\n",
            "ip:192.0.2.1\nn:Ann\ns:1\n",
        ] {
            assert_eq!(Scores::parse(text), Scores::default(), "{text:?}");
        }
        let old = "ip:0:0:0:0:0:0:0:1\ns:3\nn:Ann\n\nip:::ffff:192.0.2.1\ns:4\nn:\n\n";
        let addresses: Vec<_> = Scores::parse(old).top().map(|it| it.address).collect();
        assert_eq!(addresses, [address(1), "::1".parse().unwrap()]);
    }

    #[test]
    fn points_move_to_another_address() {
        let mut scores = Scores::default();
        scores.add(address(1), "Ann");
        scores.add(address(2), "Bob");
        assert!(scores.move_points(address(1), address(3)));
        assert!(!scores.move_points(address(1), address(3)));
        assert!(scores.move_points(address(2), address(3)));
        let top: Vec<_> = scores.top().map(|it| (it.points, &*it.name)).collect();
        assert_eq!(top, [(2, "Ann")]);
    }

    #[test]
    fn whoever_has_the_fewest_makes_room() {
        let mut scores = Scores::default();
        let far = |n: u32| IpAddr::from(n.to_be_bytes());
        (0..MOST as u32).for_each(|n| _ = scores.add(far(n), "x"));
        scores.add(far(0), "x");
        scores.add(address(1), "new");
        assert_eq!(scores.0.len(), MOST);
        assert!(scores.find(far(0)).is_some() && scores.find(far(1)).is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_something_that_stays(text in r"(ip:|s:|n:|[0-9.:]|\n|\PC){0,200}") {
            let written = Scores::parse(&text).to_string();
            prop_assert_eq!(Scores::parse(&written).to_string(), written);
        }
    }
}
