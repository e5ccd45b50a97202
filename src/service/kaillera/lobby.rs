//! The lobby's worker: the rules between the users' mail and their backlogs.

use super::{
    RoomNews,
    courier::Courier,
    journal::Journal,
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
        message::{ClientMessage, ServerMessage},
    },
    lobby::{
        Close, Event, GameKey, LagOrder, Lobby, Login, Player, RoomEvent, Sink, Start, TriviaWish,
        UserKey, Watcher, sync::FIRST_WATCHER,
    },
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
    /// Counts the games and those who are shown them, so that mail for an old one is recognised.
    run: u32,
    /// The login in hand was refused.
    rejected: bool,
    courier: Courier,
    /// For users, whom the lobby does not wait for: they may be waiting for it.
    to_users: Courier,
    journal: Journal,
}

#[derive(Debug)]
struct Running {
    game: u32,
    /// What the mail of each player bears.
    runs: Box<[u32]>,
    players: Box<[Player]>,
    watchers: Vec<Watching>,
}

/// One who is shown a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Watching {
    index: u8,
    user: UserKey,
    run: u32,
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
                journal: Journal::new(settings.rules.charset),
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
        admission.set_synchronizing(self.lobby.synchronizing());
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
                post.exchange().live.set(&rules);
                lobby.set_rules(*rules);
            }
            LobbyMail::Update(update) => lobby.set_update(*update),
            LobbyMail::Report(reports) => lobby.tell_admins(&reports, outlet),
            LobbyMail::Drain => lobby.drain(now, outlet),
            LobbyMail::ShutDown => lobby.shut_down(now, outlet),
            LobbyMail::CloseAll => lobby.close_all(now, outlet),
            mail => of_game(lobby, now, mail, outlet),
        }
    }
}

/// What a game's actor has to tell.
fn of_game(lobby: &mut Lobby, now: Time, mail: LobbyMail, outlet: &mut Outlet<'_>) {
    match mail {
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
        LobbyMail::Lag {
            game,
            report,
            asked,
        } => lobby.lag_measured(game, report, asked, outlet),
        LobbyMail::Autofire {
            game,
            player,
            rhythm,
        } => lobby.autofire(game, player.into(), rhythm, outlet),
        LobbyMail::WatchAnswered { game, user, index } => {
            lobby.watch_answered(game, user, index, outlet);
        }
        LobbyMail::WatchEnded {
            game,
            user,
            index,
            end,
        } => lobby.watch_ended(game, user, index, end, outlet),
        LobbyMail::Returned { game, user, player } => {
            lobby.returned(now, game, user, player.into(), outlet);
        }
        LobbyMail::Login { .. }
        | LobbyMail::Message { .. }
        | LobbyMail::Depart { .. }
        | LobbyMail::DropPlayer { .. }
        | LobbyMail::TriviaFetched(_)
        | LobbyMail::TriviaSaved(_)
        | LobbyMail::Access(_)
        | LobbyMail::Names(_)
        | LobbyMail::Rules(_)
        | LobbyMail::Update(_)
        | LobbyMail::Report(_)
        | LobbyMail::Drain
        | LobbyMail::ShutDown
        | LobbyMail::CloseAll => {}
    }
}

impl Running {
    fn take_watching(&mut self, is_it: impl Fn(&Watching) -> bool) -> Option<Watching> {
        let place = self.watchers.iter().position(is_it)?;
        Some(self.watchers.swap_remove(place))
    }
}

impl Stage {
    fn next_run(&mut self) -> u32 {
        self.run = self.run.wrapping_add(1);
        self.run
    }

    fn running(&self, game: GameKey) -> Option<&Running> {
        self.running.get(game.index as usize)?.as_ref()
    }

    fn running_mut(&mut self, game: GameKey) -> Option<&mut Running> {
        self.running.get_mut(game.index as usize)?.as_mut()
    }
}

impl Outlet<'_> {
    fn game(&mut self, game: u32, mail: GameMail) {
        self.stage.courier.game(game, mail, self.post);
    }

    fn user(&mut self, user: UserKey, mail: UserMail) {
        self.stage.to_users.user(user.seat, mail, self.post);
    }

    /// Sends what the user's client says of the game to its actor.
    fn seat(&mut self, user: UserKey, game: u32, run: u32, player: usize) {
        let playing = Playing {
            game,
            run,
            player: player as u8,
        };
        let mail = UserMail::Seat {
            generation: user.generation,
            playing,
        };
        self.user(user, mail);
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

    fn begin(&mut self, game: GameKey, start: &Start<'_>) {
        let players = start.players;
        let Some(actor) = players.first().and_then(|first| self.idle_game(first.user)) else {
            log::error!("no game actor left for {} players", players.len());
            return;
        };
        self.post.exchange().metrics.games_started.add(1);
        let run = self.stage.next_run();
        let begin = GameMail::Begin {
            run,
            key: game,
            connection_type: start.connection_type,
            players: players.into(),
            autofire: start.autofire,
            rate: start.rate,
        };
        self.game(actor, begin);
        for (player, seat) in players.iter().enumerate() {
            self.seat(seat.user, actor, run, player);
        }
        let index = game.index as usize;
        if self.stage.running.len() <= index {
            self.stage.running.resize_with(index + 1, || None);
        }
        if let Some(place) = self.stage.running.get_mut(index) {
            *place = Some(Running {
                game: actor,
                runs: vec![run; players.len()].into(),
                players: players.into(),
                watchers: Vec::new(),
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
        let actor = running.game;
        let user = running.players.get(player).map(|player| player.user);
        let run = running.runs.get(player).copied();
        let Some((user, run)) = user.zip(run) else {
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
        for (player, run) in running.players.iter().zip(&running.runs) {
            self.unseat(player.user, *run);
        }
        for watching in &running.watchers {
            self.unseat(watching.user, watching.run);
        }
        self.game(running.game, GameMail::End);
        let worker = self.post.exchange().layout.worker_of_game(running.game);
        if let Some(games) = self.stage.idle_games.get_mut(worker) {
            games.push(running.game);
        }
    }

    fn lag(&mut self, game: GameKey, order: LagOrder) {
        if let Some(actor) = self.stage.running(game).map(|running| running.game) {
            self.game(actor, GameMail::Lag(order));
        }
    }

    fn watch(&mut self, game: GameKey, watcher: Watcher) {
        let run = self.stage.next_run();
        let Some(running) = self.stage.running_mut(game) else {
            return;
        };
        let Watcher { index, user, .. } = watcher;
        running.watchers.push(Watching { index, user, run });
        let actor = running.game;
        self.game(actor, GameMail::Watch { run, watcher });
        self.seat(user, actor, run, FIRST_WATCHER + usize::from(index));
    }

    fn unwatch(&mut self, game: GameKey, user: UserKey, index: u8) {
        let Some(running) = self.stage.running_mut(game) else {
            return;
        };
        let actor = running.game;
        if let Some(watching) = running.take_watching(|it| it.index == index && it.user == user) {
            self.unseat(user, watching.run);
            self.game(actor, GameMail::Unwatch { index });
        }
    }

    fn reseat(&mut self, game: GameKey, user: UserKey, player: usize) {
        let Some(running) = self.stage.running_mut(game) else {
            return;
        };
        let watching = running.take_watching(|watching| watching.user == user);
        let places = (
            running.players.get_mut(player),
            running.runs.get_mut(player),
        );
        if let (Some(player), Some(run)) = places {
            player.user = user;
            *run = watching.map_or(*run, |watching| watching.run);
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

    fn event(&mut self, event: &Event<'_>) {
        self.stage.journal.hear(self.now, event);
    }

    fn trivia(&mut self, wish: TriviaWish<'_>) {
        let errand = match wish {
            TriviaWish::Fetch => Errand::Fetch,
            TriviaWish::Save(text) => Errand::Save(text.to_owned()),
        };
        trivia_files::run(self.post.exchange(), errand);
    }
}
