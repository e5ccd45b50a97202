//! Players who leave never hold up the others.

use super::*;

fn orders(players: &[usize]) -> Vec<Vec<usize>> {
    if players.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in players {
        let rest: Vec<_> = players.iter().copied().filter(|it| it != first).collect();
        all.extend(
            orders(&rest)
                .into_iter()
                .map(|order| [&[*first], &order[..]].concat()),
        );
    }
    all
}

fn round(game: &mut Game<'_>, step: u8) -> usize {
    let sends = |player| game.send(player, &[step, player as u8]);
    (0..4).map(sends).sum()
}

/// Leaves in `order`, each after `pause` rounds and when `ahead` players have already sent.
fn leave(order: &[usize], pause: u8, ahead: usize, gap: bool) {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1, 2, 1, 3]);
    game.play();
    let mut left = 4;
    for leaver in order {
        for step in 0..pause {
            round(&mut game, step);
        }
        for player in (0..4).filter(|player| player != leaver).take(ahead) {
            game.send(player, &[99, player as u8]);
        }
        if gap {
            game.gap(*leaver);
        } else {
            game.remove(*leaver);
        }
        left -= 1;
        for step in 0..30 {
            round(&mut game, step);
        }
        for step in 0..10 {
            assert_eq!(round(&mut game, step), left, "{order:?} {leaver}");
        }
    }
    assert_eq!(game.sync.poll_timeout(), None);
    game.assert_all_saw_the_same();
}

#[test]
fn in_every_order() {
    for order in orders(&[0, 1, 2, 3]) {
        for (pause, ahead) in [(0, 0), (0, 2), (3, 1), (9, 3), (30, 0), (30, 2), (30, 3)] {
            leave(&order, pause, ahead, false);
            leave(&order, pause, ahead, true);
        }
    }
}

#[test]
fn before_the_game_plays() {
    for order in orders(&[0, 1, 2, 3]) {
        let mut sync = sync();
        let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1, 2, 1, 3]);
        game.remove(order[0]);
        game.remove(order[1]);
        game.play();
        for step in 0..50 {
            round(&mut game, step);
        }
        assert_eq!(round(&mut game, 100), 2);
        game.assert_all_saw_the_same();
        let frame = game.common(order[2]).last().unwrap();
        for gone in &order[..2] {
            assert_eq!(frame[2 * gone..2 * gone + 2], [0, 0]);
        }
    }
}

#[test]
fn a_leaver_frees_the_whole_backlog() {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1, 1, 1]);
    game.play();
    for step in 0..20 {
        for player in 0..3 {
            game.send(player, &[step]);
        }
    }
    for step in 20..30 {
        assert_eq!(game.send(0, &[step]) + game.send(1, &[step]), 0);
    }
    assert_eq!(game.remove(2), 20);
    assert_eq!(game.common(0).last().unwrap(), &[29, 29, 0]);
}

#[test]
fn twice_is_once() {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1, 1]);
    game.play();
    game.gap(1);
    game.gap(1);
    game.remove(1);
    let cause = Desync::Gap;
    assert_eq!(
        game.events,
        [SyncEvent::Desynchronised { player: 1, cause }]
    );
    for step in 0..20 {
        assert_eq!(game.send(0, &[step]), 1);
        assert_eq!(game.send(1, &[step]), 0);
    }
}
