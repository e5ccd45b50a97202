//! The table of texts: how code names one, how operators' files name it, and its English wording.
//!
//! Keys are those of operators' files (kaillera-server.md 4.3); what no file knows yet has a key
//! in the same style. Wording with placeholders is a pattern: an apostrophe in it is doubled.

use super::pattern::{self, Part};

macro_rules! texts {
    ($($name:ident, $key:literal, $english:literal;)*) => {
        /// A text, by its place in the catalogue.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::lobby) enum Text {
            $($name,)*
        }

        impl Text {
            /// Every text there is, in the order of their places.
            pub(in crate::lobby) const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name operators' files know it by.
            pub(in crate::lobby) const fn key(self) -> &'static str {
                match self {
                    $(Self::$name => $key,)*
                }
            }

            /// The English wording, which has a place for each parameter.
            pub(super) const fn english(self) -> &'static str {
                match self {
                    $(Self::$name => $english,)*
                }
            }
        }
    };
}

texts! {
    // Refused logins.
    LoginPing, "KailleraServerImpl.LoginDeniedPingTooHigh", "Your ping is too high ({0}).";
    LoginFull, "KailleraServerImpl.LoginDeniedServerFull", "No room: the server is full.";
    LoginAccess, "KailleraServerImpl.LoginDeniedAccessDenied", "You may not use this server.";
    LoginAddress, "KailleraServerImpl.LoginDeniedAlreadyLoggedInAs", "Your address is in use by {0}.";
    LoginType, "KailleraServerImpl.LoginDeniedConnectionTypeDenied", "Connection type not allowed: {0}";
    LoginEmulatorLong, "KailleraServerImpl.LoginDeniedEmulatorNameTooLong", "The emulator name is too long.";
    LoginEmulatorIllegal, "KailleraServerImpl.LoginDeniedIllegalCharactersInEmulatorName", "The emulator name has characters that are not allowed.";
    LoginEmulatorBarred, "KailleraServerImpl.LoginDeniedEmulatorRestricted", "This emulator is not allowed: {0}";
    LoginNameIllegal, "KailleraServerImpl.LoginDeniedIllegalCharactersInUserName", "Your name has characters that are not allowed.";
    LoginNameFiltered, "KailleraServerImpl.LoginDeniedFilteredUserName", "Your name has a word that is not allowed here.";
    LoginNameEmpty, "KailleraServerImpl.LoginDeniedUserNameEmpty", "Please choose a name.";
    LoginNameLong, "KailleraServerImpl.LoginDeniedUserNameTooLong", "Your name is too long.";
    LoginDraining, "KailleraServerImpl.LoginDeniedShuttingDown", "The server is going down; nobody is let in.";
    LoginNameTaken, "KailleraServerImpl.LoginDeniedDuplicateName", "This name is in use by {0}.";

    // After login.
    Product, "KailleraServerImpl.Product", "{0} {1}";
    AdminWelcome, "KailleraServerImpl.AdminWelcomeMessage", "You have admin rights; /help lists the commands.";
    UpdateAvailable, "KailleraServerImpl.UpdateAvailable", "Version {0} can be had; this is {1}.";

    // Words inside other texts. Those for connection types are the ones of clients' menus.
    TypeLan, "ConnectionType.Lan", "LAN";
    TypeExcellent, "ConnectionType.Excellent", "Excellent";
    TypeGood, "ConnectionType.Good", "Good";
    TypeAverage, "ConnectionType.Average", "Average";
    TypeLow, "ConnectionType.Low", "Low";
    TypeBad, "ConnectionType.Bad", "Bad";
    LevelBanned, "AccessLevel.Banned", "Banned";
    LevelNormal, "AccessLevel.Normal", "Normal";
    LevelElevated, "AccessLevel.Elevated", "Elevated";
    LevelModerator, "AccessLevel.Moderator", "Moderator";
    LevelAdmin, "AccessLevel.Admin", "Admin";
    LevelSuperAdmin, "AccessLevel.SuperAdmin", "SuperAdmin";
    Seconds, "Time.SecondsAbbreviation", "{0}s";

    // Lines that are not passed on.
    ChatDenied, "ChatAction.ChatDenied", "Not sent: {0}";
    ChatFlood, "KailleraServerImpl.ChatDeniedFloodControl", "you are sending too fast";
    ChatIllegal, "KailleraServerImpl.ChatDeniedIllegalCharacters", "the text has characters that are not allowed";
    ChatLong, "KailleraServerImpl.ChatDeniedMessageTooLong", "the text is too long";
    ChatSilenced, "KailleraServerImpl.ChatDeniedSilenced", "you are silenced";
    ChatFiltered, "KailleraServerImpl.ChatDeniedFilteredWord", "the text has a word that is not allowed here";
    GameChatLong, "KailleraGameImpl.GameChatDeniedMessageTooLong", "Not sent: the text is too long";
    GameChatMuted, "KailleraGameImpl.GameChatDeniedMuted", "Not sent: you are muted in this room";
    CommandFlood, "ChatAction.CommandDenied", "Command refused: you are silenced, or sending too fast.";
    CommandUsage, "ChatAction.CommandUsage", "Use: {0}";
    UnknownCommand, "ChatAction.UnrecognizedCommand", "No such command: {0}";
    Emote, "ChatAction.Emote", "*{0} {1}";

    // Rooms refused.
    CreateDenied, "CreateGameAction.CreateGameDenied", "Room not created: {0}";
    CreateFlood, "CreateGameAction.CreateGameDeniedFloodControl", "Room not created: please wait a moment.";
    CreateBarred, "KailleraServerImpl.CreateGameDeniedGameBanned", "this game is not allowed here";
    CreateIllegal, "KailleraServerImpl.CreateGameDeniedIllegalCharacters", "the game name has characters that are not allowed";
    CreateFiltered, "KailleraServerImpl.CreateGameDeniedFilteredWord", "the game name has a word that is not allowed here";
    CreateMaxGames, "KailleraServerImpl.CreateGameDeniedMaxGames", "the server allows {0,number,integer} rooms at most";
    CreateLong, "KailleraServerImpl.CreateGameDeniedNameTooLong", "the game name is too long";
    CreateDraining, "KailleraServerImpl.CreateGameDeniedShuttingDown", "the server is going down";
    CreatePlaying, "KailleraUserImpl.CreateGameErrorAlreadyInGame", "a game of yours is still running";
    CreateInRoom, "KailleraServerImpl.CreateGameErrorAlreadyInGame", "leave your room first";
    CreateEmpty, "KailleraServerImpl.CreateGameErrorEmptyName", "the game has no name";
    JoinDenied, "JoinGameAction.JoinGameDenied", "You cannot join: {0}";
    JoinRunning, "KailleraGameImpl.JoinGameDeniedGameIsInProgress", "the game has started";
    JoinKicked, "KailleraGameImpl.JoinGameDeniedPreviouslyKicked", "you were removed from this room";
    JoinMember, "KailleraGameImpl.JoinGameErrorAlreadyInGame", "you are in this room already";
    JoinInRoom, "KailleraUserImpl.JoinGameErrorAlreadyInGame", "leave your room first";
    JoinGone, "KailleraUserImpl.JoinGameErrorDoesNotExist", "this room is gone";
    JoinFull, "KailleraGameImpl.JoinGameDeniedFull", "this room is full";
    JoinPing, "KailleraGameImpl.JoinGameDeniedPingTooHigh", "your ping is too high for this room";
    JoinEmulator, "KailleraGameImpl.JoinGameDeniedEmulator", "this room takes only the emulator {0}";
    JoinType, "KailleraGameImpl.JoinGameDeniedConnectionType", "this room takes only the connection type {0}";
    JoinSpam, "KailleraGameImpl.JoinGameDeniedSpam", "you joined this room too often";
    JoinPassword, "KailleraGameImpl.JoinGameDeniedPassword", "this room asks for a password; type {0} first";
    JoinPasswordWrong, "KailleraGameImpl.JoinGameDeniedWrongPassword", "the password is wrong";
    JoinPasswordTries, "KailleraGameImpl.JoinGameDeniedPasswordTries", "too many wrong passwords; try again later";

    // What is said when a user leaves.
    QuitStandard, "KailleraServerImpl.StandardQuitMessage", "Left the server";
    QuitReconnected, "KailleraServerImpl.ForcedQuitReconnected", "Came back on a new connection";
    QuitIdle, "KailleraServerImpl.ForcedQuitInactivityTimeout", "Idle for too long";
    QuitLost, "KailleraServerImpl.ForcedQuitPingTimeout", "Connection lost";
    QuitAccess, "KailleraServerImpl.ForcedQuitBanned", "Banned";
    QuitEmulator, "KailleraServerImpl.ForcedQuitEmulatorRestricted", "Emulator no longer allowed";
    QuitKicked, "AdminCommandAction.QuitKicked", "Removed by a moderator";
    QuitBanned, "AdminCommandAction.QuitBanned", "Banned";
    QuitFailed, "KailleraServerImpl.ForcedQuitInternalError", "Removed after an error of the server";
    ShuttingDown, "KailleraServerImpl.ServerShuttingDown", "The server is going down.";
    Draining, "KailleraServerImpl.ServerDraining", "The server goes down when the games that run are over.";

    // Rooms come and go.
    RoomOpened, "KailleraServerImpl.UserCreatedGameAnnouncement", "{0} opened a room: {1}";
    PostPending, "KailleraServerImpl.TweetPendingAnnouncement", "This room will be posted in {0,number,integer} s; type /stop to prevent it.";
    PostCanceled, "KailleraServerImpl.CanceledPendingTweet", "The post was cancelled.";
    PostNone, "KailleraServerImpl.NoPendingTweet", "There is no post to cancel.";
    OtherEmulator, "KailleraGameImpl.DifferentEmulator", "{0} uses another emulator version: {1}";

    // Starting.
    StartNotInRoom, "KailleraUserImpl.StartGameErrorNotInGame", "You are not in a room.";
    StartNotOwner, "KailleraGameImpl.StartGameDeniedOnlyOwnerMayStart", "Only the room's owner can start.";
    StartAlone, "KailleraGameImpl.StartGameDeniedSinglePlayerNotAllowed", "At least two players are needed here.";
    StartSynchronizing, "KailleraGameImpl.StartGameErrorSynchronizing", "Players are still getting ready.";
    StartPlaying, "KailleraGameImpl.StartGameErrorStatusIsPlaying", "Not everyone has left the last game.";
    StartTypeInfo, "KailleraGameImpl.StartGameConnectionTypeMismatchInfo", "All players must choose the owner''s connection type: {0}";
    StartType, "KailleraGameImpl.StartGameDeniedConnectionTypeMismatch", "The connection types differ.";
    StartEmulatorInfo, "KailleraGameImpl.StartGameEmulatorMismatchInfo", "All players must use the owner''s emulator version: {0}";
    StartEmulator, "KailleraGameImpl.StartGameDeniedEmulatorMismatch", "The emulators differ.";
    StartNobody, "KailleraGameImpl.StartGameErrorNobodyPlays", "Everybody here only watches.";
    StartDraining, "KailleraGameImpl.StartGameDeniedShuttingDown", "The server is going down; no game starts any more.";
    NotReady, "KailleraGameImpl.ReadyTimeout", "{0} did not get ready in time.";
    Delay, "KailleraGameImpl.Delay", "P{0} Delay = {1} ({2} frame delay)";
    SameDelay, "KailleraGameImpl.SameDelay", "Delay of all players = {0} ({1} frame delay)";
    Delays, "KailleraGameImpl.Delays", "Delay (frames): {0}";
    QuietStart, "KailleraGameImpl.QuietStart", "Lobby messages are held back while you play.";
    QuietEnd, "KailleraGameImpl.QuietEnd", "Lobby messages were held back; log in again to refresh your lists.";

    // Playing.
    DesyncName, "PlayerDesynchAction.DesynchDetected", "Out of sync!";
    DesyncGap, "KailleraGameImpl.DesynchDetectedDroppedPacket", "A packet from {0} was lost.";
    DesyncStall, "KailleraGameImpl.DesynchDetectedPlayerLagged", "{0} does not answer.";
    BadCacheIndex, "KailleraGameImpl.BadCacheIndex", "Your inputs were not understood; your game may differ from the others'.";
    HangDropped, "KailleraGameImpl.HangDropped", "{0} did not answer for {1} s and was dropped; the others play on.";
    Rejoined, "KailleraGameImpl.Rejoined", "{0} is back in the game.";
    Autofire, "AutoFireScanner2.AutoFireDetected", "Autofire noticed: {0}";
    LagTotal, "Lagstat.TotalGameLagSummary", "Lag in the last {0}: {1}";
    LagPlayers, "Lagstat.PerUserSummary", "Lag known to come from:";
    LagPlayer, "Lagstat.User", "P{0}: {1}";
    LagNone, "Lagstat.GameNotLaggy", "The game runs smoothly.";
    LagAdvice, "Lagstat.LagReductionRecommendation", "Advice: {0} should use {1,number,integer} frames of delay; set the spoofed ping to {2,number,integer} when joining, then run /lagstat again.";
    LagReset, "Lagstat.LagstatReset", "Lag counters cleared.";
    Fps, "Fps.NewFpsMeasurement", "Lag is now measured against {0} frames per second";

    // Watching.
    WatchHint, "ChatAction.WatchHint", "Say /watch {0} and join again to watch this game.";
    WatchNext, "ChatAction.WatchNext", "Join room {0} now to watch it.";
    WatchBegins, "KailleraGameImpl.WatchBegins", "You see this game from its start, and what you press has no effect. Take your emulator's speed limit off to catch up.";
    WatchEnds, "KailleraGameImpl.WatchEnds", "You no longer watch this game.";
    WatcherCame, "KailleraGameImpl.WatcherCame", "{0} watches the game.";
    WatcherLeft, "KailleraGameImpl.WatcherLeft", "{0} no longer watches the game.";
    WatchDenied, "KailleraGameImpl.WatchDenied", "This room cannot be watched.";
    WatchFull, "KailleraGameImpl.WatchDeniedFull", "Too many watch this game already.";

    // Kicking.
    KickNotInRoom, "KailleraUserImpl.KickErrorNotInGame", "You are not in a room.";
    KickSelf, "KailleraGameImpl.GameKickDeniedCannotKickSelf", "You cannot remove yourself.";
    KickNotOwner, "KailleraGameImpl.GameKickDeniedNotGameOwner", "Only the room's owner can remove players.";
    KickNotFound, "KailleraGameImpl.GameKickErrorUserNotFound", "That user is not in this room.";

    // The owner's commands.
    CommandFailed, "GameOwnerCommandAction.CommandFailed", "Did not work: {0}";
    CommandOwner, "GameOwnerCommandAction.NotOwner", "Only the room's owner can do that.";
    AutofireLevels, "GameOwnerCommandAction.HelpSensitivity", "/detectautofire 1 (least) to 5 (most sensitive)";
    AutofireDisable, "GameOwnerCommandAction.HelpDisable", "/detectautofire 0 switches it off";
    AutofireLevel, "GameOwnerCommandAction.HelpCurrentSensitivity", "Autofire sensitivity is {0,number,integer}";
    AutofireOff, "GameOwnerCommandAction.HelpDisabled", " (off)";
    AutofireInGame, "GameOwnerCommandAction.AutoFireChangeDeniedInGame", "Everyone must leave the game before this can change.";
    MaxUsers, "GameOwnerCommandAction.MaxUsers", "The room takes {0} members.";
    MaxPing, "GameOwnerCommandAction.MaxPing", "The room takes pings up to {0} ms.";
    StartAt, "GameOwnerCommandAction.StartAt", "The game starts when {0} players are in the room.";
    StartAtOff, "GameOwnerCommandAction.StartAtOff", "The game no longer starts by itself.";
    Muted, "GameOwnerCommandAction.Muted", "{0} is muted in this room.";
    Unmuted, "GameOwnerCommandAction.Unmuted", "{0} is no longer muted in this room.";
    MutedAll, "GameOwnerCommandAction.MutedAll", "Everyone but the owner is muted in this room.";
    UnmutedAll, "GameOwnerCommandAction.UnmutedAll", "Nobody is muted in this room any more.";
    KickNoPlayer, "GameOwnerCommandAction.KickErrorNoPlayer", "There is no player {0} in this room.";
    KickedAll, "GameOwnerCommandAction.KickedAll", "All other players are removed from this room.";
    Swapped, "GameOwnerCommandAction.Swapped", "From the next start {0} is player {1}.";
    SwapOrder, "GameOwnerCommandAction.SwapErrorOrder", "The order needs the number of each player once.";
    SwapUndone, "GameOwnerCommandAction.SwapUndone", "The players have their own numbers again.";
    SetEmulatorAny, "GameOwnerCommandAction.SetEmulatorAny", "The room takes any emulator.";
    SetEmulatorOnly, "GameOwnerCommandAction.SetEmulatorOnly", "The room takes only the emulator {0}.";
    SetTypeAny, "GameOwnerCommandAction.SetTypeAny", "The room takes any connection type.";
    SetTypeOnly, "GameOwnerCommandAction.SetTypeOnly", "The room takes only the connection type {0}.";
    SameDelayOn, "GameOwnerCommandAction.SameDelayOn", "From the next start all players get the highest delay.";
    SameDelayOff, "GameOwnerCommandAction.SameDelayOff", "From the next start each player gets its own delay.";
    DelayChanged, "GameOwnerCommandAction.DelayChanged", "From the next start {0} has a delay of {1}.";
    Members, "GameOwnerCommandAction.Members", "Members: {0}";
    PasswordSet, "GameOwnerCommandAction.PasswordSet", "The room asks for a password now.";
    PasswordOff, "GameOwnerCommandAction.PasswordOff", "The room asks for no password any more.";
    PasswordNoted, "ChatAction.PasswordNoted", "Password noted; join the room now.";
    WatchersOn, "GameOwnerCommandAction.WatchersOn", "Others may watch this room's games.";
    WatchersOff, "GameOwnerCommandAction.WatchersOff", "Nobody may watch this room's games.";
    QuietOn, "GameCommandAction.QuietOn", "{0} gets no lobby messages during games.";
    QuietOff, "GameCommandAction.QuietOff", "{0} gets lobby messages during games.";
    QuietOnAll, "GameCommandAction.QuietOnAll", "You get no lobby messages during games.";
    QuietOffAll, "GameCommandAction.QuietOffAll", "You get lobby messages during games.";

    // Users' commands.
    Alive, "ChatAction.Alive", "You are logged in.";
    Version, "ChatAction.Version", "VERSION: {0}: {1}";
    VersionDetail, "ChatAction.VersionDetail", "{0}: {1}";
    MyAddress, "ChatAction.MyAddress", "Your address: {0}";
    UserNotFound, "AdminCommandAction.UserNotFound", "No user {0}";
    GameNotFound, "AdminCommandAction.GameNotFound", "No room {0}";
    MessageSent, "PrivateMessage.Sent", "TO: <{0}>({1}) <{2}> ({3}): {4}";
    MessageReceived, "PrivateMessage.Received", "<{0}> ({1}): {2}";
    MessagesOn, "PrivateMessage.On", "You accept private messages.";
    MessagesOff, "PrivateMessage.Off", "You refuse private messages.";
    MessageSelf, "PrivateMessage.DeniedSelf", "You cannot write to yourself.";
    MessageRefused, "PrivateMessage.DeniedRefused", "{0} refuses private messages.";
    MessageIgnored, "PrivateMessage.DeniedIgnored", "{0} ignores you.";
    MessageNoPartner, "PrivateMessage.ErrorNoPartner", "You have no one to answer yet; use: {0}";
    Ignored, "Ignore.On", "{0} ({1}) ignores {2} ({3}) now.";
    Unignored, "Ignore.Off", "{0} ({1}) no longer ignores {2} ({3}).";
    IgnoredAll, "Ignore.AllOn", "{0} ({1}) ignores everyone now.";
    UnignoredAll, "Ignore.AllOff", "{0} ({1}) no longer ignores everyone.";
    IgnoreSelf, "Ignore.DeniedSelf", "You cannot ignore yourself.";
    IgnoreTwice, "Ignore.DeniedAlready", "You ignore {0} already.";
    IgnoreNot, "Ignore.DeniedNot", "You do not ignore {0}.";
    IgnoreModerator, "Ignore.DeniedModerator", "Moderators and admins cannot be ignored.";
    FoundUser, "Find.User", "UserID: {0}, Nick: <{1}>, Access: {2}";
    FoundUserAddress, "Find.UserAddress", "UserID: {0}, IP: {1}, Nick: <{2}>, Access: {3}";
    FoundInRoom, "Find.InRoom", ", GameID: {0}, Game: {1}";
    FoundGame, "Find.Game", "GameID: {0}, Owner: <{1}>, Game: {2}";
    NoUsersFound, "AdminCommandAction.NoUsersFound", "Nothing matches.";
    NoGamesFound, "AdminCommandAction.NoGamesFound", "Nothing matches.";

    // Moderators' and admins' commands.
    AdminFailed, "AdminCommandAction.Failed", "Command failed: {0}";
    AdminDenied, "AdminCommandAction.NotAdmin", "You are not an admin.";
    SuperAdminOnly, "AdminCommandAction.NotSuperAdmin", "Only a super admin can do that.";
    Banned, "AdminCommandAction.Banned", "{1} is banned for {0,number,integer} minutes";
    Silenced, "AdminCommandAction.Silenced", "{1} is silenced for {0,number,integer} minutes";
    BannedForGood, "AdminCommandAction.PermanentlyBanned", "{0} is banned for good";
    SilencedForGood, "AdminCommandAction.PermanentlySilenced", "{0} is silenced for good";
    Unsilenced, "AdminCommandAction.Unsilenced", "{0} is no longer silenced";
    ShadowMuted, "AdminCommandAction.ShadowMuted", "Nobody but {0} sees its lines now.";
    ShadowUnmuted, "AdminCommandAction.ShadowUnmuted", "The lines of {0} are shown again.";
    TempElevated, "AdminCommandAction.TempElevatedGranted", "{1} is elevated for {0,number,integer} minutes";
    TempModerator, "AdminCommandAction.TempModeratorGranted", "{1} is moderator for {0,number,integer} minutes";
    TempAdmin, "AdminCommandAction.TempAdminGranted", "{1} is admin for {0,number,integer} minutes";
    BanSelf, "AdminCommandAction.CanNotBanSelf", "You cannot do that to yourself.";
    AdminKickSelf, "AdminCommandAction.CanNotKickSelf", "You cannot do that to yourself.";
    SilenceSelf, "AdminCommandAction.CanNotSilenceSelf", "You cannot do that to yourself.";
    LevelSelf, "AdminCommandAction.AlreadyAdmin", "You cannot do that to yourself.";
    TargetSelf, "AdminCommandAction.CanNotTargetSelf", "You cannot do that to yourself.";
    BanAdmin, "AdminCommandAction.CanNotBanAdmin", "Not possible with an admin.";
    KickAdmin, "AdminCommandAction.CanNotKickAdmin", "Not possible with an admin.";
    SilenceAdmin, "AdminCommandAction.CanNotSilenceAdmin", "Not possible with an admin.";
    CloseAdmin, "AdminCommandAction.CanNotCloseAdminGame", "Not possible with an admin.";
    LevelAdminAlready, "AdminCommandAction.UserAlreadyAdmin", "Not possible with an admin.";
    TargetAdmin, "AdminCommandAction.CanNotTargetAdmin", "Not possible with an admin.";
    TargetModerator, "AdminCommandAction.CanNotTargetModerator", "Not possible with a moderator.";
    LevelAlready, "AdminCommandAction.UserAlreadyHasLevel", "{0} has this level already.";
    SilenceLimit, "AdminCommandAction.SilenceDeniedTooLong", "Moderators can silence for {0} minutes at most.";
    SilencedAlready, "AdminCommandAction.SilenceDeniedAlready", "{0} is silenced already.";
    ClearSuccess, "AdminCommandAction.ClearSuccess", "Cleared.";
    ClearNotFound, "AdminCommandAction.ClearNotFound", "Nothing to clear.";
    InfoUser, "AdminCommandAction.InfoUser", "Name: {0}, address: {1}, access: {2}";
    InfoAddress, "AdminCommandAction.InfoAddress", "Address: {0}, access: {1}";
    InfoLevelEnds, "AdminCommandAction.InfoLevelEnds", "This access ends in {0} minutes";
    InfoBan, "AdminCommandAction.InfoBan", "Banned for {0} more minutes by {1}: {2}";
    InfoBanForGood, "AdminCommandAction.InfoPermanentBan", "Banned for good by {0}: {1}";
    InfoRefused, "AdminCommandAction.InfoRefused", "Kept out by the access rules";
    InfoNoBan, "AdminCommandAction.InfoNoBan", "Not banned";
    InfoSilence, "AdminCommandAction.InfoSilence", "Silenced for {0} more minutes by {1}: {2}";
    InfoSilenceForGood, "AdminCommandAction.InfoPermanentSilence", "Silenced for good by {0}: {1}";
    InfoRuleSilence, "AdminCommandAction.InfoRuleSilence", "Silenced by the access rules";
    InfoNoSilence, "AdminCommandAction.InfoNoSilence", "Not silenced";
    InfoNoReason, "AdminCommandAction.InfoNoReason", "no reason given";
    StealthOn, "AdminCommandAction.StealthOn", "You now join rooms unseen.";
    StealthOff, "AdminCommandAction.StealthOff", "You no longer join rooms unseen.";
    StealthInRoom, "AdminCommandAction.StealthDeniedInGame", "leave your room first";
    NotSaved, "AdminCommandAction.NotSaved", "Bans and silences could not be saved; they are lost at the next start.";
    TooManyEntries, "AdminCommandAction.TooManyEntries", "There are too many entries of this kind already.";

    // What admins are told of the server's files.
    Reloaded, "Reload.Done", "{0} was read again.";
    ReloadMistake, "Reload.Mistake", "{0}, line {1}: {2}";
    ReloadMore, "Reload.MoreMistakes", "{0} more mistakes in {1}";
    ReloadKept, "Reload.Kept", "{0} cannot be used; what was read before stays in force.";
    ReloadRestart, "Reload.NeedsRestart", "{0} changes at the next start of the server.";

    // The quiz.
    TriviaLine, "Trivia.Line", "<Trivia> {0}";
    TriviaOn, "Trivia.On", "The quiz begins in {0} seconds!";
    TriviaOff, "Trivia.Off", "The quiz is over.";
    TriviaReset, "Trivia.Reset", "All points are cleared.";
    TriviaPaused, "Trivia.Paused", "The quiz pauses after this question.";
    TriviaResumed, "Trivia.Resumed", "The quiz goes on.";
    TriviaSaved, "Trivia.Saved", "The points are saved.";
    TriviaNotSaved, "Trivia.NotSaved", "The points could not be saved.";
    TriviaTop, "Trivia.Top", "The best players:";
    TriviaPlace, "Trivia.Place", "{0}. {1}: {2} points";
    TriviaNoScores, "Trivia.NoScores", "Nobody has points yet.";
    TriviaWinner, "Trivia.Winner", "{0} wins with {1} points!";
    TriviaTime, "Trivia.Time", "{0} seconds pass between questions now.";
    TriviaUpdated, "Trivia.Updated", "The points of {0} belong to {1} now.";
    TriviaUpdateUnknown, "Trivia.UpdateUnknown", "{0} has no points.";
    TriviaNotRunning, "Trivia.NotRunning", "Start the quiz first: /triviaon";
    TriviaRunning, "Trivia.Running", "The quiz is running already.";
    TriviaNoQuestions, "Trivia.NoQuestions", "There are no questions.";
    TriviaQuestion, "Trivia.Question", "{0}";
    TriviaTimeLeft, "Trivia.TimeLeft", "{0} seconds left.";
    TriviaHint, "Trivia.Hint", "Hint {0}: {1}";
    TriviaAnswer, "Trivia.Answer", "Time is up! The answer was: {0}";
    TriviaRight, "Trivia.Right", "{0} is right: {1} ({2} points)";
    TriviaStreak, "Trivia.Streak", "{0} was right {1} times in a row!";
    TriviaPraise, "Trivia.Praise", "{0} has {1} points. Well done!";
    TriviaPraiseMore, "Trivia.PraiseMore", "{0} has {1} points. Impressive!";
    TriviaPraiseMost, "Trivia.PraiseMost", "{0} has {1} points. Incredible!";
    TriviaNext, "Trivia.Next", "The next question comes in {0} seconds.";

    // One line each in the users' /help.
    HelpHelp, "ChatAction.HelpHelp", "/help lists the commands";
    HelpVersion, "ChatAction.HelpVersion", "/version shows the server's version";
    HelpMyIp, "ChatAction.HelpMyIp", "/myip shows your address";
    HelpAliveCheck, "ChatAction.HelpAliveCheck", "/alivecheck tests your connection";
    HelpMe, "ChatAction.HelpMe", "/me <text> says what you do";
    HelpMessage, "ChatAction.HelpMsg", "/msg <id> <text> writes to one user; /msg <text> to the last one";
    HelpMessagesOn, "ChatAction.HelpMsgOn", "/msgon accepts private messages";
    HelpMessagesOff, "ChatAction.HelpMsgOff", "/msgoff refuses private messages";
    HelpIgnore, "ChatAction.HelpIgnore", "/ignore <id> hides the lines of a user";
    HelpUnignore, "ChatAction.HelpUnignore", "/unignore <id> shows them again";
    HelpIgnoreAll, "ChatAction.HelpIgnoreAll", "/ignoreall hides the lines of everyone but admins";
    HelpUnignoreAll, "ChatAction.HelpUnignoreAll", "/unignoreall shows them again";
    HelpFindUserUser, "ChatAction.HelpFindUser", "/finduser <text> finds users by part of their name";
    HelpJoinPassword, "ChatAction.HelpPassword", "/password <word> gives the password of the room you join next";
    HelpWatch, "ChatAction.HelpWatch", "/watch <room> lets you watch a game";
    HelpWatchHere, "GameCommandAction.HelpWatch", "/watch lets you watch this room's games";
    HelpUnwatch, "ChatAction.HelpUnwatch", "/unwatch ends watching";
    HelpStop, "GameCommandAction.HelpStop", "/stop prevents the post about this room";
    HelpQuietOn, "GameCommandAction.HelpQuietOn", "/p2pon holds lobby messages back during games";
    HelpQuietOff, "GameCommandAction.HelpQuietOff", "/p2poff lets them through";
    HelpLagstat, "GameCommandAction.HelpLagstat", "/lagstat shows who causes lag";
    HelpLagReset, "GameCommandAction.HelpLagReset", "/lagreset clears the lag counters";
    HelpFps, "GameCommandAction.HelpFps", "/fps <0.1-100> measures lag against that many frames per second";

    // One line each in the owner's /help.
    HelpDetectAutofire, "GameOwnerCommandAction.SetAutofireDetection", "/detectautofire <0-5> sets autofire detection";
    HelpMaxUsers, "GameOwnerCommandAction.HelpMaxUsers", "/maxusers <1-100> sets how many may join";
    HelpMaxPing, "GameOwnerCommandAction.HelpMaxPing", "/maxping <1-1000> sets the highest ping that may join";
    HelpSetEmulator, "GameOwnerCommandAction.HelpSetEmulator", "/setemu lets only your emulator join; /setemu any lifts it";
    HelpSetType, "GameOwnerCommandAction.HelpSetType", "/setconn lets only your connection type join; /setconn any lifts it";
    HelpSameDelay, "GameOwnerCommandAction.HelpSameDelay", "/samedelay <true|false> gives all players the highest delay";
    HelpDelay, "GameOwnerCommandAction.HelpDelay", "/delay <1-60|auto> sets your frame delay from the next start";
    HelpStart, "GameOwnerCommandAction.HelpStart", "/start starts the game";
    HelpStartAt, "GameOwnerCommandAction.HelpStartN", "/startn <1-100> starts when that many players are in; /startn off lifts it";
    HelpMembers, "GameOwnerCommandAction.HelpMembers", "/num shows how many are in the room";
    HelpMute, "GameOwnerCommandAction.HelpMute", "/mute <id> keeps a user from writing in this room";
    HelpUnmute, "GameOwnerCommandAction.HelpUnmute", "/unmute <id> lets the user write again";
    HelpMuteAll, "GameOwnerCommandAction.HelpMuteAll", "/muteall keeps everyone from writing in this room";
    HelpUnmuteAll, "GameOwnerCommandAction.HelpUnmuteAll", "/unmuteall lets everyone write again";
    HelpKickPlayer, "GameOwnerCommandAction.HelpKick", "/kick <player> removes a player by its number";
    HelpKickAll, "GameOwnerCommandAction.HelpKickAll", "/kickall removes all other players";
    HelpSwap, "GameOwnerCommandAction.HelpSwap", "/swap <order> reorders the players, e.g. 21 or 3124";
    HelpPassword, "GameOwnerCommandAction.HelpPassword", "/password <word> asks for it at joining; /password off lifts it";
    HelpWatchers, "GameOwnerCommandAction.HelpWatchers", "/watchers <on|off> lets others watch, or not";

    // One line each in the admins' /help.
    HelpAdminVersion, "AdminCommandAction.HelpVersion", "/version shows the server's version and machine";
    HelpKick, "AdminCommandAction.HelpKick", "/kick <id> sends a user away";
    HelpSilence, "AdminCommandAction.HelpSilence", "/silence <id> <minutes> [reason] keeps a user from writing";
    HelpUnsilence, "AdminCommandAction.HelpUnsilence", "/unsilence <id> lets the user write again";
    HelpBan, "AdminCommandAction.HelpBan", "/ban <id> <minutes> [reason] keeps a user out";
    HelpPermaBan, "AdminCommandAction.HelpPermaBan", "/permaban <id> [reason] keeps a user out for good";
    HelpPermaMute, "AdminCommandAction.HelpPermaMute", "/permamute <id> [reason] keeps a user from writing for good";
    HelpShadowMute, "AdminCommandAction.HelpShadowMute", "/shadowsilence <id> <minutes> hides a user's lines unnoticed";
    HelpShadowUnmute, "AdminCommandAction.HelpShadowUnmute", "/unshadowsilence <id> shows them again";
    HelpClear, "AdminCommandAction.HelpClear", "/clear <address|id|name> lifts bans, silences and temporary levels";
    HelpInfo, "AdminCommandAction.HelpInfo", "/info <address|id|name> shows level, ban and silence";
    HelpCloseGame, "AdminCommandAction.HelpCloseGame", "/closegame <room> closes a room";
    HelpAnnounce, "AdminCommandAction.HelpAnnounce", "/announce <text> tells the lobby";
    HelpAnnounceAll, "AdminCommandAction.HelpAnnounceAll", "/announceall <text> tells the lobby and all rooms";
    HelpAnnounceGame, "AdminCommandAction.HelpAnnounceGame", "/announcegame <room> <text> tells one room";
    HelpFindUser, "AdminCommandAction.HelpFindUser", "/finduser <text> finds users by part of their name";
    HelpFindGame, "AdminCommandAction.HelpFindGame", "/findgame <pattern> finds rooms; * is any text";
    HelpStealthOn, "AdminCommandAction.HelpStealthOn", "/stealthon lets you join rooms unseen";
    HelpStealthOff, "AdminCommandAction.HelpStealthOff", "/stealthoff lets you be seen again";
    HelpTempElevated, "AdminCommandAction.HelpTempElevated", "/tempelevated <id> <minutes> lifts a user's limits for a time";
    HelpTempModerator, "AdminCommandAction.HelpTempModerator", "/tempmoderator <id> <minutes> makes a moderator for a time";
    HelpTempAdmin, "AdminCommandAction.HelpTempAdmin", "/tempadmin <id> <minutes> makes an admin for a time";
    HelpTriviaOn, "Trivia.HelpOn", "/triviaon starts the quiz; /triviaoff ends it";
    HelpTriviaPause, "Trivia.HelpPause", "/triviapause pauses the quiz; /triviaresume goes on";
    HelpTriviaReset, "Trivia.HelpReset", "/triviareset clears the points and reads the questions again";
    HelpTriviaSave, "Trivia.HelpSave", "/triviasave saves the points";
    HelpTriviaScores, "Trivia.HelpScores", "/triviascores shows the best players; /triviawin the winner";
    HelpTriviaTime, "Trivia.HelpTime", "/triviatime <seconds> sets the pause between questions";
    HelpTriviaUpdate, "Trivia.HelpUpdate", "/triviaupdate <old address> <new address> moves points";

    // How a command is used; the reason in "Command failed".
    UsageVersion, "AdminCommandAction.VersionError", "/version";
    UsageKick, "AdminCommandAction.KickError", "/kick <id>";
    UsageSilence, "AdminCommandAction.SilenceError", "/silence <id> <minutes> [reason]";
    UsageUnsilence, "AdminCommandAction.UnsilenceError", "/unsilence <id>";
    UsageBan, "AdminCommandAction.BanError", "/ban <id> <minutes> [reason]";
    UsagePermaBan, "AdminCommandAction.PermaBanError", "/permaban <id> [reason]";
    UsagePermaMute, "AdminCommandAction.PermaMuteError", "/permamute <id> [reason]";
    UsageShadowMute, "AdminCommandAction.ShadowMuteError", "/shadowsilence <id> <minutes>";
    UsageShadowUnmute, "AdminCommandAction.ShadowUnmuteError", "/unshadowsilence <id>";
    UsageClear, "AdminCommandAction.ClearError", "/clear <address|id|name>";
    UsageInfo, "AdminCommandAction.InfoError", "/info <address|id|name>";
    UsageCloseGame, "AdminCommandAction.CloseGameError", "/closegame <room>";
    UsageAnnounce, "AdminCommandAction.AnnounceError", "/announce <text>";
    UsageAnnounceAll, "AdminCommandAction.AnnounceAllError", "/announceall <text>";
    UsageAnnounceGame, "AdminCommandAction.AnnounceGameError", "/announcegame <room> <text>";
    UsageFindUser, "AdminCommandAction.FindUserError", "/finduser <text>";
    UsageFindGame, "AdminCommandAction.FindGameError", "/findgame <pattern>";
    UsageTempElevated, "AdminCommandAction.TempElevatedError", "/tempelevated <id> <minutes>";
    UsageTempModerator, "AdminCommandAction.TempModeratorError", "/tempmoderator <id> <minutes>";
    UsageTempAdmin, "AdminCommandAction.TempAdminError", "/tempadmin <id> <minutes>";
    UsageTriviaTime, "Trivia.TimeError", "/triviatime <seconds>";
    UsageTriviaUpdate, "Trivia.UpdateError", "/triviaupdate <old address> <new address>";
    UsageMessage, "PrivateMessage.Usage", "/msg <id> <text>";
    UsageMe, "ChatAction.MeError", "/me <text>";
    UsageIgnore, "Ignore.Usage", "/ignore <id>";
    UsageUnignore, "Ignore.UnignoreUsage", "/unignore <id>";
}

impl Text {
    /// The text that operators' files know by `key`.
    pub(super) fn with_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|text| text.key() == key)
    }

    /// How many parameters it is shown with.
    pub(in crate::lobby) fn params(self) -> usize {
        let places = pattern::parse(self.english()).filter_map(Part::index);
        places.max().map_or(0, |highest| highest + 1)
    }
}

/// Keys of operators' files that nothing here shows, by the reason. They are taken without
/// complaint.
pub(super) const UNUSED: &[&str] = &[
    // No server has ever shown these.
    "AdminCommandAction.AdminCommands",
    "AdminCommandAction.ClearAddressFormatError",
    "GameOwnerCommandAction.AvailableCommands",
    "KailleraGameImpl.AutofireCurrentSensitivity",
    "KailleraGameImpl.AutofireDetectionOff",
    "KailleraGameImpl.AutofireDetectionOn",
    "KailleraGameImpl.CloseGameDeniedNotGameOwner",
    "KailleraGameImpl.DesynchedWarning",
    "KailleraGameImpl.GameChatDeniedIllegalCharacters",
    "KailleraGameImpl.GameHelp",
    "KailleraUserImpl.GameDataErrorNotInGame",
    // Requests at a wrong moment, which were only logged; here they are ignored.
    "KailleraGameImpl.DropGameErrorInternalError",
    "KailleraGameImpl.DropGameErrorNotInGame",
    "KailleraGameImpl.GameChatErrorNotInGame",
    "KailleraGameImpl.QuitGameErrorNotInGame",
    "KailleraGameImpl.ReadyGameErrorIncorrectState",
    "KailleraGameImpl.ReadyGameErrorInternalError",
    "KailleraGameImpl.ReadyGameErrorNotInGame",
    "KailleraServerImpl.NotLoggedIn",
    "KailleraUserImpl.GameChatErrorNotInGame",
    "KailleraUserImpl.PlayerReadyErrorNotInGame",
    // States that a session cannot be in here: a login is one step, on one address; a user that
    // plays is in a room; a room closes with its owner.
    "KailleraGameImpl.CloseGameErrorNotGameOwner",
    "KailleraServerImpl.LoginDeniedAddressMatchError",
    "KailleraServerImpl.LoginDeniedAlreadyLoggedIn",
    "KailleraServerImpl.LoginDeniedConnectionTimedOut",
    "KailleraServerImpl.LoginErrorInvalidPing",
    "KailleraServerImpl.LoginErrorInvalidStatus",
    "KailleraUserImpl.CreateGameErrorNotFullyConnected",
    "KailleraUserImpl.JoinGameErrorAnotherGameRunning",
    "KailleraUserImpl.JoinGameErrorNotFullyConnected",
    // The same is said by another text of the same situation.
    "GameDesynchAction.DesynchDetected",
    "KailleraServerImpl.CreateGameDeniedFloodControl",
    // What they were about is not done: posts to one site are web hooks here, there is no survey,
    // and lag is told in seconds.
    "KailleraServerImpl.TweetCloseMessage",
    "Survey.Consent",
    "Survey.ConsentNo",
    "Survey.ConsentYes",
    "Survey.Question",
    "Survey.Thanks",
    "Time.MinutesAbbreviation",
];
