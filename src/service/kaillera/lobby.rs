//! The lobby's worker: the rules between the users' mail and their backlogs.

use super::{
    RoomNews,
    courier::Courier,
    mail::{GameMail, LobbyMail, Playing, UserMail},
    post::Post,
    sanctions_file,
    trivia_files::{self, Errand},
};
use crate::{
    actor::Turn,
    buffer::Writer,
    kaillera::{
        MAX_MESSAGE,
        message::{ClientMessage, ConnectionType, ServerMessage},
    },
    lobby::{Close, GameKey, Lobby, Login, Player, RoomEvent, Sink, TriviaWish, UserKey},
    timer::Time,
};

/// The one actor that knows all users and rooms.
#[derive(Debug)]
pub(super) struct LobbyActor {
    lobby: Lobby,
    /// What of the lobby's decisions is kept, by its number.
    kept: u64,
    stage: Stage,
}

/// What the lobby's words become: messages in backlogs, mail to games and users.
#[derive(Debug)]
struct Stage {
    scratch: Box<[u8]>,
    /// Games that run, by the room's place in the lobby's table.
    running: Vec<Option<Running>>,
    /// Per worker, its game actors that have nothing to do.
    idle_games: Box<[Vec<u32>]>,
    /// Counts the games, so that mail for an old one is recognised.
    run: u32,
    /// The login in hand was refused.
    rejected: bool,
    courier: Courier,
    /// For users, whom the lobby does not wait for: they may be waiting for it.
    to_users: Courier,
}

#[derive(Debug)]
struct Running {
    game: u32,
    run: u32,
    players: Box<[Player]>,
}

struct Outlet<'a> {
    now: Time,
    stage: &'a mut Stage,
    post: &'a Post,
}

impl LobbyActor {
    pub(super) fn new(post: &Post) -> Self {
        let exchange = post.exchange();
        let layout = exchange.layout;
        let settings = &exchange.settings;
        let mut lobby = Lobby::new(settings.rules.clone());
        let access = lobby.access_mut();
        access.set_rules(settings.access.rules.clone());
        access.restore(Time::ZERO, settings.access.epoch, &settings.access.saved);
        exchange.gate.set(access.clone());
        Self {
            kept: lobby.access().revision(),
            lobby,
            stage: Stage {
                scratch: vec![0; MAX_MESSAGE].into_boxed_slice(),
                running: Vec::new(),
                idle_games: (0..layout.workers)
                    .map(|worker| layout.games_of_worker(worker).rev().collect())
                    .collect(),
                run: 0,
                rejected: false,
                courier: Courier::default(),
                to_users: Courier::default(),
            },
        }
    }

    pub(super) fn run(&mut self, now: Time, budget: usize, post: &Post) -> Turn {
        let mut left = budget;
        self.stage.courier.deliver(post);
        self.stage.to_users.deliver(post);
        while left > 0
            && self.stage.courier.is_free()
            && let Some(mail) = post.exchange().lobby_inbox().pop()
        {
            self.handle(now, mail, post);
            left -= 1;
        }
        if self.lobby.poll_timeout().is_some_and(|at| at <= now) {
            let mut outlet = Outlet {
                now,
                stage: &mut self.stage,
                post,
            };
            self.lobby.handle_timeout(now, &mut outlet);
        }
        self.keep_decisions(now, post);
        let admission = &post.exchange().admission;
        admission.set_users(self.lobby.users());
        admission.set_games(self.lobby.games());
        admission.set_playing(self.lobby.playing());
        let bulletin = &post.exchange().bulletin;
        bulletin.publish(now, || self.lobby.snapshot());
        Turn {
            more: left == 0 || !self.stage.courier.is_free() || !self.stage.to_users.is_free(),
            deadline: self.lobby.poll_timeout(),
        }
    }

    /// Shows the loops what moderators have decided, and has it written.
    fn keep_decisions(&mut self, now: Time, post: &Post) {
        let access = self.lobby.access();
        if access.revision() != self.kept {
            self.kept = access.revision();
            let exchange = post.exchange();
            exchange.gate.set(access.clone());
            let epoch = exchange.settings.access.epoch;
            sanctions_file::keep(exchange, access.saved(now, epoch));
        }
    }

    pub(super) fn lobby(&self) -> &Lobby {
        &self.lobby
    }

    fn handle(&mut self, now: Time, mail: LobbyMail, post: &Post) {
        let lobby = &mut self.lobby;
        let mut outlet = Outlet {
            now,
            stage: &mut self.stage,
            post,
        };
        let outlet = &mut outlet;
        match mail {
            LobbyMail::Login { user, application } => {
                let login = Login {
                    name: &application.name,
                    emulator: &application.emulator,
                    connection_type: application.connection_type,
                    ping: application.ping,
                    address: application.address,
                };
                outlet.stage.rejected = false;
                lobby.login(now, user, login, outlet);
                let metrics = &post.exchange().metrics;
                if outlet.stage.rejected {
                    metrics.logins_refused.add(1);
                } else {
                    metrics.logins.add(1);
                    let mail = UserMail::LoggedIn {
                        generation: user.generation,
                    };
                    outlet.user(user, mail);
                }
            }
            LobbyMail::Message { user, message } => {
                if let Some((kind, body)) = message.split()
                    && let Ok(message) = ClientMessage::decode(kind, body)
                {
                    lobby.message(now, user, &message, outlet);
                }
            }
            LobbyMail::Depart { user, why } => lobby.depart(now, user, why, outlet),
            LobbyMail::DropPlayer { user } => lobby.drop_player(now, user, outlet),
            LobbyMail::Desynchronised {
                game,
                player,
                cause,
            } => {
                lobby.desynchronised(now, game, player.into(), cause, outlet);
            }
            LobbyMail::BadIndex { game, player } => {
                lobby.bad_cache_index(now, game, player.into(), outlet);
            }
            LobbyMail::TriviaFetched(files) => lobby.trivia_fetched(now, &files, outlet),
            LobbyMail::TriviaSaved(saved) => lobby.trivia_saved(saved, outlet),
            LobbyMail::Access(rules) => {
                lobby.set_access_rules(now, rules, outlet);
                post.exchange().gate.set(lobby.access().clone());
            }
            LobbyMail::Names(names) => {
                lobby.set_names(now, *names, outlet);
                post.exchange().gate.set(lobby.access().clone());
            }
            LobbyMail::Rules(rules) => {
                post.exchange().admission.set_max_users(rules.max_users);
                lobby.set_rules(*rules);
            }
            LobbyMail::Report(reports) => lobby.tell_admins(&reports, outlet),
            LobbyMail::Drain => lobby.drain(now, outlet),
            LobbyMail::ShutDown => lobby.shut_down(now, outlet),
            LobbyMail::CloseAll => lobby.close_all(now, outlet),
        }
    }
}

impl Stage {
    fn running(&self, game: GameKey) -> Option<&Running> {
        self.running.get(game.index as usize)?.as_ref()
    }
}

impl Outlet<'_> {
    fn game(&mut self, game: u32, mail: GameMail) {
        self.stage.courier.game(game, mail, self.post);
    }

    fn user(&mut self, user: UserKey, mail: UserMail) {
        self.stage.to_users.user(user.seat, mail, self.post);
    }

    fn unseat(&mut self, user: UserKey, run: u32) {
        let mail = UserMail::Unseat {
            generation: user.generation,
            run,
        };
        self.user(user, mail);
    }

    /// A game actor, on the worker of the room's first player if it has one to spare.
    fn idle_game(&mut self, first: UserKey) -> Option<u32> {
        let home = self.post.exchange().layout.worker_of_seat(first.seat);
        let games = &mut self.stage.idle_games;
        let at_home = games.get_mut(home).and_then(Vec::pop);
        at_home.or_else(|| games.iter_mut().find_map(Vec::pop))
    }
}

impl Sink for Outlet<'_> {
    fn notice(&mut self, to: &[UserKey], message: &ServerMessage<'_>) {
        let mut writer = Writer::new(&mut self.stage.scratch);
        if message.encode(&mut writer).is_err() {
            log::error!("a {:?} does not fit any datagram", message.kind());
            return;
        }
        for &user in to {
            self.post.notice(user, writer.written(), self.now);
        }
    }

    fn begin(&mut self, game: GameKey, connection_type: ConnectionType, players: &[Player]) {
        let Some(actor) = players.first().and_then(|first| self.idle_game(first.user)) else {
            log::error!("no game actor left for {} players", players.len());
            return;
        };
        self.post.exchange().metrics.games_started.add(1);
        self.stage.run = self.stage.run.wrapping_add(1);
        let run = self.stage.run;
        let begin = GameMail::Begin {
            run,
            key: game,
            connection_type,
            players: players.into(),
        };
        self.game(actor, begin);
        for (player, seat) in players.iter().enumerate() {
            let playing = Playing {
                game: actor,
                run,
                player: player as u8,
            };
            let mail = UserMail::Seat {
                generation: seat.user.generation,
                playing,
            };
            self.user(seat.user, mail);
        }
        let index = game.index as usize;
        if self.stage.running.len() <= index {
            self.stage.running.resize_with(index + 1, || None);
        }
        if let Some(place) = self.stage.running.get_mut(index) {
            *place = Some(Running {
                game: actor,
                run,
                players: players.into(),
            });
        }
    }

    fn play(&mut self, now: Time, game: GameKey) {
        if let Some(actor) = self.stage.running(game).map(|running| running.game) {
            self.game(actor, GameMail::Play { at: now });
        }
    }

    fn remove(&mut self, now: Time, game: GameKey, player: usize) {
        let Some(running) = self.stage.running(game) else {
            return;
        };
        let (actor, run) = (running.game, running.run);
        let Some(user) = running.players.get(player).map(|player| player.user) else {
            return;
        };
        self.unseat(user, run);
        self.game(
            actor,
            GameMail::Remove {
                at: now,
                player: player as u8,
            },
        );
    }

    fn end(&mut self, game: GameKey) {
        let place = self.stage.running.get_mut(game.index as usize);
        let Some(running) = place.and_then(Option::take) else {
            return;
        };
        for player in &running.players {
            self.unseat(player.user, running.run);
        }
        self.game(running.game, GameMail::End);
        let worker = self.post.exchange().layout.worker_of_game(running.game);
        if let Some(games) = self.stage.idle_games.get_mut(worker) {
            games.push(running.game);
        }
    }

    fn close(&mut self, user: UserKey, close: Close) {
        self.stage.rejected |= close == Close::Rejected;
        let mail = UserMail::Close {
            generation: user.generation,
            close,
        };
        self.user(user, mail);
    }

    fn room(&mut self, event: &RoomEvent<'_>) {
        let exchange = self.post.exchange();
        let charset = exchange.settings.rules.charset;
        if !exchange.bulletin.tell(|| RoomNews::new(event, charset)) {
            exchange.metrics.news_dropped.add(1);
        }
    }

    fn trivia(&mut self, wish: TriviaWish<'_>) {
        let errand = match wish {
            TriviaWish::Fetch => Errand::Fetch,
            TriviaWish::Save(text) => Errand::Save(text.to_owned()),
        };
        trivia_files::run(self.post.exchange(), errand);
    }
}
