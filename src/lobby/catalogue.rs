//! Every text of the server's own that a user can see (kaillera-server.md 4.3).

use super::charset::Charset;
use encoding_rs::Encoding;

/// Who signs information lines and rejections.
pub(super) const LOBBY_NAME: &[u8] = b"server";
/// Who signs notices in a room.
pub(super) const ROOM_NAME: &[u8] = b"Server";
/// Who signs refusals in a room.
pub(super) const ERROR_NAME: &[u8] = b"Error";

/// Longest line, in bytes: the oldest clients' buffers have 256.
pub(super) const LINE: usize = 200;
/// Longest reason for a rejection, in bytes: clients' buffers have 128.
pub(super) const REASON: usize = 126;
/// Longest name, in bytes: clients' buffers have 32.
pub(super) const NAME: usize = 30;

macro_rules! catalogue {
    ($($name:ident, $key:literal, $english:literal;)*) => {
        /// A text, by its place in the catalogue.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Text {
            $($name,)*
        }

        impl Text {
            /// Every text there is.
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name operators' language files know it by.
            #[cfg(test)]
            fn key(self) -> &'static str {
                match self {
                    $(Self::$name => $key,)*
                }
            }

            /// The English wording; `{0}` stands for the first parameter.
            fn english(self) -> &'static str {
                match self {
                    $(Self::$name => $english,)*
                }
            }
        }
    };
}

catalogue! {
    LoginPing, "KailleraServerImpl.LoginDeniedPingTooHigh", "Your ping is too high ({0}).";
    LoginFull, "KailleraServerImpl.LoginDeniedServerFull", "No room: the server is full.";
    LoginAccess, "KailleraServerImpl.LoginDeniedAccessDenied", "You may not use this server.";
    LoginAddress, "KailleraServerImpl.LoginDeniedAlreadyLoggedInAs", "Your address is in use by {0}.";
    LoginType, "KailleraServerImpl.LoginDeniedConnectionTypeDenied", "Connection type not allowed: {0}";
    LoginEmulatorLong, "KailleraServerImpl.LoginDeniedEmulatorNameTooLong", "The emulator name is too long.";
    LoginEmulatorIllegal, "KailleraServerImpl.LoginDeniedIllegalCharactersInEmulatorName", "The emulator name has characters that are not allowed.";
    LoginNameIllegal, "KailleraServerImpl.LoginDeniedIllegalCharactersInUserName", "Your name has characters that are not allowed.";
    LoginNameEmpty, "KailleraServerImpl.LoginDeniedUserNameEmpty", "Please choose a name.";
    LoginNameLong, "KailleraServerImpl.LoginDeniedUserNameTooLong", "Your name is too long.";
    LoginNameTaken, "KailleraServerImpl.LoginDeniedDuplicateName", "This name is in use by {0}.";

    ChatDenied, "ChatAction.ChatDenied", "Not sent: {0}";
    ChatFlood, "KailleraServerImpl.ChatDeniedFloodControl", "you are sending too fast";
    ChatIllegal, "KailleraServerImpl.ChatDeniedIllegalCharacters", "the text has characters that are not allowed";
    ChatLong, "KailleraServerImpl.ChatDeniedMessageTooLong", "the text is too long";
    GameChatLong, "KailleraGameImpl.GameChatDeniedMessageTooLong", "Not sent: the text is too long";
    UnknownCommand, "ChatAction.UnrecognizedCommand", "No such command: {0}";

    CreateDenied, "CreateGameAction.CreateGameDenied", "Room not created: {0}";
    CreateFlood, "KailleraServerImpl.CreateGameDeniedFloodControl", "please wait a moment";
    CreateIllegal, "KailleraServerImpl.CreateGameDeniedIllegalCharacters", "the game name has characters that are not allowed";
    CreateMaxGames, "KailleraServerImpl.CreateGameDeniedMaxGames", "the server allows {0} rooms at most";
    CreateLong, "KailleraServerImpl.CreateGameDeniedNameTooLong", "the game name is too long";
    CreateInRoom, "KailleraServerImpl.CreateGameErrorAlreadyInGame", "leave your room first";
    CreateEmpty, "KailleraServerImpl.CreateGameErrorEmptyName", "the game has no name";
    RoomOpened, "KailleraServerImpl.UserCreatedGameAnnouncement", "{0} opened a room: {1}";

    JoinDenied, "JoinGameAction.JoinGameDenied", "You cannot join: {0}";
    JoinRunning, "KailleraGameImpl.JoinGameDeniedGameIsInProgress", "the game has started";
    JoinRunningWatch, "KailleraGameImpl.JoinGameDeniedWatch", "the game has started; say /watch {0} and join again to watch it";
    JoinKicked, "KailleraGameImpl.JoinGameDeniedPreviouslyKicked", "you were removed from this room";
    JoinMember, "KailleraGameImpl.JoinGameErrorAlreadyInGame", "you are in this room already";
    JoinInRoom, "KailleraUserImpl.JoinGameErrorAlreadyInGame", "leave your room first";
    JoinGone, "KailleraUserImpl.JoinGameErrorDoesNotExist", "this room is gone";
    JoinFull, "KailleraGameImpl.JoinGameDeniedFull", "this room is full";
    JoinPing, "KailleraGameImpl.JoinGameDeniedPingTooHigh", "your ping is too high for this room";
    JoinEmulator, "KailleraGameImpl.JoinGameDeniedEmulator", "this room takes only the emulator {0}";
    JoinType, "KailleraGameImpl.JoinGameDeniedConnectionType", "this room takes only the connection type {0}";
    JoinSpam, "KailleraGameImpl.JoinGameDeniedSpam", "you joined this room too often";
    OtherEmulator, "KailleraGameImpl.DifferentEmulator", "{0} uses another emulator version: {1}";

    QuitStandard, "KailleraServerImpl.StandardQuitMessage", "Left the server";
    QuitReconnected, "KailleraServerImpl.ForcedQuitReconnected", "Came back on a new connection";
    QuitIdle, "KailleraServerImpl.ForcedQuitInactivityTimeout", "Idle for too long";
    QuitLost, "KailleraServerImpl.ForcedQuitPingTimeout", "Connection lost";
    QuitFailed, "KailleraServerImpl.ForcedQuitInternalError", "Removed after an error of the server";
    ShuttingDown, "KailleraServerImpl.ServerShuttingDown", "The server is going down.";

    StartNotInRoom, "KailleraUserImpl.StartGameErrorNotInGame", "You are not in a room.";
    StartNotOwner, "KailleraGameImpl.StartGameDeniedOnlyOwnerMayStart", "Only the room's owner can start.";
    StartAlone, "KailleraGameImpl.StartGameDeniedSinglePlayerNotAllowed", "At least two players are needed here.";
    StartSynchronizing, "KailleraGameImpl.StartGameErrorSynchronizing", "Players are still getting ready.";
    StartPlaying, "KailleraGameImpl.StartGameErrorStatusIsPlaying", "Not everyone has left the last game.";
    StartTypeInfo, "KailleraGameImpl.StartGameConnectionTypeMismatchInfo", "All players must choose the owner's connection type: {0}";
    StartType, "KailleraGameImpl.StartGameDeniedConnectionTypeMismatch", "The connection types differ.";
    StartEmulatorInfo, "KailleraGameImpl.StartGameEmulatorMismatchInfo", "All players must use the owner's emulator version: {0}";
    StartEmulator, "KailleraGameImpl.StartGameDeniedEmulatorMismatch", "The emulators differ.";
    StartNobody, "KailleraGameImpl.StartGameErrorNobodyPlays", "Everybody here only watches.";
    NotReady, "KailleraGameImpl.ReadyTimeout", "{0} did not get ready in time.";
    Delay, "KailleraGameImpl.Delay", "P{0} Delay = {1} ({2} frame delay)";
    SameDelay, "KailleraGameImpl.SameDelay", "Delay of all players = {0} ({1} frame delay)";
    Delays, "KailleraGameImpl.Delays", "Delay (frames): {0}";

    KickNotInRoom, "KailleraUserImpl.KickErrorNotInGame", "You are not in a room.";
    KickSelf, "KailleraGameImpl.GameKickDeniedCannotKickSelf", "You cannot remove yourself.";
    KickNotOwner, "KailleraGameImpl.GameKickDeniedNotGameOwner", "Only the room's owner can remove players.";
    KickNotFound, "KailleraGameImpl.GameKickErrorUserNotFound", "That user is not in this room.";

    DesyncName, "PlayerDesynchAction.DesynchDetected", "Out of sync!";
    DesyncGap, "KailleraGameImpl.DesynchDetectedDroppedPacket", "A packet from {0} was lost.";
    DesyncStall, "KailleraGameImpl.DesynchDetectedPlayerLagged", "{0} does not answer.";
    DesyncDropped, "KailleraGameImpl.DesynchDropped", "{0} sent nothing for too long and was dropped; the others play on.";
    BadCacheIndex, "KailleraGameImpl.BadCacheIndex", "Your inputs were not understood; your game may differ from the others'.";

    QuietStart, "KailleraGameImpl.QuietStart", "Lobby messages are held back while you play.";
    QuietEnd, "KailleraGameImpl.QuietEnd", "Lobby messages were held back; log in again to refresh your lists.";

    Autofire, "AutoFireScanner2.AutoFireDetected", "Autofire noticed: {0}";
    AutofireHelpOn, "GameOwnerCommandAction.HelpSensitivity", "/detectautofire 1 (least) to 5 (most sensitive)";
    AutofireHelpOff, "GameOwnerCommandAction.HelpDisable", "/detectautofire 0 switches it off";
    AutofireLevel, "GameOwnerCommandAction.HelpCurrentSensitivity", "Autofire sensitivity is {0}";
    AutofireOff, "GameOwnerCommandAction.HelpDisabled", "Autofire sensitivity is {0} (off)";
    AutofireInGame, "GameOwnerCommandAction.AutoFireChangeDeniedInGame", "Everyone must leave the game before this can change.";

    LagGame, "Lagstat.TotalGameLagSummary", "Lag in the last {0}: {1}";
    LagPlayers, "Lagstat.PerUserSummary", "Lag known to come from: {0}";
    LagNone, "Lagstat.GameNotLaggy", "The game runs smoothly.";
    LagAdvice, "Lagstat.LagReductionRecommendation", "Advice: {0} should use {1} frames of delay; set the spoofed ping to {2} when joining, then run /lagstat again.";
    LagReset, "Lagstat.LagstatReset", "Lag counters cleared.";
    LagRate, "Fps.NewFpsMeasurement", "Lag is now measured against {0} frames per second";

    Swapped, "GameOwnerCommandAction.Swapped", "{0} will be player {1}.";
    SwapUndone, "GameOwnerCommandAction.SwapUndone", "Players are numbered in the order they joined again.";
    StartAt, "GameOwnerCommandAction.StartAt", "The game starts as soon as one joins and {0} are in.";
    StartAtOff, "GameOwnerCommandAction.StartAtOff", "The game starts by hand again.";
    DelayChosen, "GameCommandAction.DelayChosen", "{0} gets a delay of {1} from the next start.";
    DelayAuto, "GameCommandAction.DelayAuto", "{0} gets the delay of its ping from the next start.";

    WatchOff, "WatchAction.Off", "Games cannot be watched here.";
    WatchJoin, "WatchAction.Join", "Join room {0} now, and you will watch it.";
    WatchStart, "WatchAction.Start", "You watch; what you press has no effect. You see the game from its start: take your emulator's speed limit off to catch up.";
    WatchRefused, "WatchAction.Refused", "There is no whole recording of this game to show you.";
    WatchOutrun, "WatchAction.Outrun", "You were too far behind; the recording does not go back that far any more.";
    WatchLost, "WatchAction.Lost", "Messages of yours were lost; join again to watch on.";
    Watches, "WatchAction.Watches", "{0} watches.";
    Plays, "WatchAction.Plays", "{0} plays from the next start on.";
    ReturnStart, "WatchAction.ReturnStart", "You are back and see the game from its start: take your emulator's speed limit off to catch up and play on.";
    Returned, "WatchAction.Returned", "{0} is back in the game.";

    Emote, "ChatAction.Emote", "*{0} {1}";
    CommandFailed, "GameOwnerCommandAction.CommandFailed", "Did not work: {0}";
    CommandOwner, "GameOwnerCommandAction.NotOwner", "Only the room's owner can do that.";
    CommandUsage, "ChatAction.CommandUsage", "Use: {0}";
    MaxUsers, "GameOwnerCommandAction.MaxUsers", "The room takes {0} members.";
    MaxPing, "GameOwnerCommandAction.MaxPing", "The room takes pings up to {0} ms.";
    SetEmulatorAny, "GameOwnerCommandAction.SetEmulatorAny", "The room takes any emulator.";
    SetEmulatorOnly, "GameOwnerCommandAction.SetEmulatorOnly", "The room takes only the emulator {0}.";
    SetTypeAny, "GameOwnerCommandAction.SetTypeAny", "The room takes any connection type.";
    SetTypeOnly, "GameOwnerCommandAction.SetTypeOnly", "The room takes only the connection type {0}.";
    SameDelayOn, "GameOwnerCommandAction.SameDelayOn", "From the next start all players get the highest delay.";
    SameDelayOff, "GameOwnerCommandAction.SameDelayOff", "From the next start each player gets its own delay.";
    Members, "GameOwnerCommandAction.Members", "Members: {0}";
    QuietOn, "GameCommandAction.QuietOn", "{0} gets no lobby messages during games.";
    QuietOff, "GameCommandAction.QuietOff", "{0} gets lobby messages during games.";
    QuietOnAll, "GameCommandAction.QuietOnAll", "You get no lobby messages during games.";
    QuietOffAll, "GameCommandAction.QuietOffAll", "You get lobby messages during games.";

    HelpHelp, "ChatAction.HelpHelp", "/help lists the commands";
    HelpVersion, "ChatAction.HelpVersion", "/version shows the server's version";
    HelpMyIp, "ChatAction.HelpMyIp", "/myip shows your address";
    HelpAliveCheck, "ChatAction.HelpAliveCheck", "/alivecheck tests your connection";
    HelpMe, "ChatAction.HelpMe", "/me <text> says what you do";
    HelpQuietOn, "GameCommandAction.HelpQuietOn", "/p2pon holds lobby messages back during games";
    HelpQuietOff, "GameCommandAction.HelpQuietOff", "/p2poff lets them through";
    HelpMaxUsers, "GameOwnerCommandAction.HelpMaxUsers", "/maxusers <1-100> sets how many may join";
    HelpMaxPing, "GameOwnerCommandAction.HelpMaxPing", "/maxping <1-1000> sets the highest ping that may join";
    HelpSetEmulator, "GameOwnerCommandAction.HelpSetEmulator", "/setemu lets only your emulator join; /setemu any lifts it";
    HelpSetType, "GameOwnerCommandAction.HelpSetType", "/setconn lets only your connection type join; /setconn any lifts it";
    HelpSameDelay, "GameOwnerCommandAction.HelpSameDelay", "/samedelay <true|false> gives all players the highest delay";
    HelpStart, "GameOwnerCommandAction.HelpStart", "/start starts the game";
    HelpAutofire, "GameOwnerCommandAction.SetAutofireDetection", "/detectautofire <0-5> sets autofire detection";
    HelpStartAt, "GameOwnerCommandAction.HelpStartAt", "/startn <1-100> starts when so many are in; /startn off lifts it";
    HelpSwap, "GameOwnerCommandAction.HelpSwap", "/swap <order> renumbers the players, such as /swap 312 or /swap 3 1 2";
    HelpDelay, "GameCommandAction.HelpDelay", "/delay <1-60|auto> sets your frame delay for the next start";
    HelpFrameRate, "GameCommandAction.HelpFrameRate", "/fps <0.1-100> measures lag against another rate";
    HelpLagReset, "GameCommandAction.HelpLagReset", "/lagreset clears the lag counters";
    HelpLagStat, "GameCommandAction.HelpLagStat", "/lagstat shows who makes the others wait";
    HelpPlay, "GameCommandAction.HelpPlay", "/play lets you play from the next start on";
    HelpWatchNext, "GameCommandAction.HelpWatch", "/watch lets you watch from the next start on";
    HelpWatch, "WatchAction.Help", "/watch <number> lets you watch the room that you join next";
    HelpMembers, "GameOwnerCommandAction.HelpMembers", "/num shows how many are in the room";
}

/// A value put into a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Param<'a> {
    /// Another text of the catalogue.
    Text(Text),
    /// A word of the server's.
    Word(&'a str),
    /// What a user or an earlier rendering provided, already in bytes.
    Bytes(&'a [u8]),
    /// A number, in decimal without grouping.
    Number(u64),
}

/// The texts as they go out.
#[derive(Debug)]
pub(super) struct Catalogue {
    charset: Charset,
}

impl Catalogue {
    pub(super) fn new(encoding: &'static Encoding) -> Self {
        let charset = Charset::new(encoding);
        Self { charset }
    }

    /// The bytes of `text` with its parameters, at most [`LINE`] of them.
    pub(super) fn line(&self, text: Text, params: &[Param<'_>]) -> Vec<u8> {
        self.bytes(text, params, LINE)
    }

    /// The bytes of `text` with its parameters, cut between characters to `limit` bytes.
    ///
    /// Lines that begin with a colon are data to the admin client family; no parameter
    /// can make one (kaillera-server.md 16.1).
    pub(super) fn bytes(&self, text: Text, params: &[Param<'_>], limit: usize) -> Vec<u8> {
        let mut out = Vec::new();
        self.render(text, params, &mut out);
        if !text.english().starts_with(':') {
            let colons = out.iter().take_while(|byte| **byte == b':').count();
            out.drain(..colons);
        }
        let end = self.charset.split(&out, limit).0.len();
        out.truncate(end);
        out
    }

    /// A line of the server's that is in no catalogue, split to [`LINE`] bytes.
    pub(super) fn lines(&self, text: &str) -> Vec<Vec<u8>> {
        let mut bytes = Vec::new();
        self.charset.encode_into(text, &mut bytes);
        let mut lines = Vec::new();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (line, tail) = self.charset.split(rest, LINE);
            lines.push(line.to_vec());
            rest = tail;
        }
        lines
    }

    fn render(&self, text: Text, params: &[Param<'_>], out: &mut Vec<u8>) {
        let mut rest = text.english();
        while let Some((before, place)) = rest.split_once('{') {
            self.charset.encode_into(before, out);
            let (index, after) = place.split_once('}').unwrap_or((place, ""));
            let param = index
                .parse()
                .ok()
                .and_then(|index: usize| params.get(index));
            match param {
                Some(Param::Text(text)) => self.render(*text, &[], out),
                Some(Param::Word(word)) => self.charset.encode_into(word, out),
                Some(Param::Bytes(bytes)) => out.extend_from_slice(bytes),
                Some(Param::Number(number)) => out.extend_from_slice(number.to_string().as_bytes()),
                None => {}
            }
            rest = after;
        }
        self.charset.encode_into(rest, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{SHIFT_JIS, WINDOWS_1252};
    use std::collections::HashSet;

    #[test]
    fn keys_are_unique() {
        let keys: HashSet<_> = Text::ALL.iter().map(|text| text.key()).collect();
        assert_eq!(keys.len(), Text::ALL.len());
    }

    #[test]
    fn parameters_take_their_places() {
        let catalogue = Catalogue::new(WINDOWS_1252);
        let params = [Param::Number(12345), Param::Number(1), Param::Number(2)];
        let line = catalogue.line(Text::Delay, &params);
        assert_eq!(line, b"P12345 Delay = 1 (2 frame delay)");
        let nested = catalogue.line(Text::ChatDenied, &[Param::Text(Text::ChatFlood)]);
        assert_eq!(nested, b"Not sent: you are sending too fast");
    }

    #[test]
    fn no_parameter_makes_a_data_line() {
        let catalogue = Catalogue::new(WINDOWS_1252);
        let params = [Param::Bytes(b"::ACCESS=x"), Param::Bytes(b"g")];
        assert_eq!(
            catalogue.line(Text::RoomOpened, &params),
            b"ACCESS=x opened a room: g"
        );
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let catalogue = Catalogue::new(SHIFT_JIS);
        let long = [0x95, 0x5C].repeat(200);
        let line = catalogue.line(Text::UnknownCommand, &[Param::Bytes(&long)]);
        let prefix = "No such command: ".len();
        assert_eq!(line.len(), prefix + (LINE - prefix) / 2 * 2);
        let lines = catalogue.lines(&"表".repeat(150));
        assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [200, 100]);
    }
}
