//! Many clients at once, and one after another.

use super::*;
use crate::swarm::empty;

fn crowd(settings: &mut Settings, size: usize) {
    settings.limits = Limits {
        sessions: size + 100,
        half_open: size,
        half_open_per_address: 16,
        frames_out: 8_192,
        ..Limits::default()
    };
}

/// Everybody hears of everybody, while each gets no more than 200 messages a second.
#[test]
fn five_hundred_log_in_at_once_and_see_the_same_list() {
    for (loops, workers) in [(2, 0), (2, 2)] {
        let mut settings = settings();
        crowd(&mut settings, 500);
        let mut world = world(settings, loops, workers);
        let clients = log_in(&mut world, mixed(1..=500));
        world.run_for(10 * SECOND);
        let first = &world.emulators[clients[0]].view;
        assert_eq!(first.users.len(), 500);
        for &client in &clients {
            let emulator = &world.emulators[client];
            assert_eq!(emulator.logins, 1);
            assert!(emulator.trusted, "nothing was missed");
            assert_eq!(&emulator.view, first);
        }
        world.machine.lobby().check_invariants();
        empty(&mut world);
    }
}

#[test]
fn ten_thousand_logins_and_logouts_leave_nothing_behind() {
    let mut world = world(settings(), 2, 1);
    let clients = log_in(&mut world, mixed(1..=20));
    for _ in 1..500 {
        for &client in &clients {
            world.with(client, |emulator, ctx| emulator.quit(ctx));
        }
        world.run_for(100 * MILLI);
        for &client in &clients {
            world.with(client, |emulator, ctx| emulator.start(ctx.now));
        }
        world.run_until("all are back", 30 * SECOND, |world| {
            let mut phases = clients.iter().map(|&client| world.emulators[client].phase);
            phases.all(|phase| phase == Phase::Lobby)
        });
    }
    let logins: u64 = world.emulators.iter().map(|emulator| emulator.logins).sum();
    assert_eq!(logins, 10_000);
    empty(&mut world);
    let metrics = world.machine.control.metrics();
    assert_eq!(metrics.logins.get(), 10_000);
    assert_eq!(metrics.sessions_opened.get(), metrics.sessions_closed.get());
}
