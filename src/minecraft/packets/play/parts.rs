//! What play packets consist of beside plain fields.

use crate::minecraft::{Json, List, LongText, Text, Uuid, VarInt, VarLong};

record! {
    /// A speed, in 1/8000 block per tick.
    Velocity {
        x: i16,
        y: i16,
        z: i16,
    }
}

choices! {
    /// What a player does with an entity.
    Use by var_int {
        /// Interacts.
        0 Interact { hand: VarInt }
        /// Hits it.
        1 Attack {}
        /// Interacts with a place on it.
        2 InteractAt { x: f32, y: f32, z: f32, hand: VarInt }
    }
}

choices! {
    /// News of the recipe book.
    BookUpdate by var_int {
        /// A recipe is shown.
        0 Displayed { recipe: i32 }
        /// The book is opened, closed or filtered.
        1 Status { open: bool, filter: bool }
    }
}

choices! {
    /// What a player does with the advancements.
    TabAction<'a> by var_int {
        /// Opens a tab.
        0 Open { tab: LongText<'a> }
        /// Closes them.
        1 Close {}
    }
}

record! {
    /// A counter of a player's statistics.
    Statistic<'a> {
        name: LongText<'a>,
        value: VarInt,
    }
}

choices! {
    /// News of a boss's bar.
    BossBarAction<'a> by var_int {
        /// The bar appears.
        0 Add { title: Json<'a>, health: f32, color: VarInt, dividers: VarInt, flags: u8 }
        /// It is gone.
        1 Remove {}
        /// How full it is, 0 to 1.
        2 Health { health: f32 }
        /// What is written on it.
        3 Title { title: Json<'a> }
        /// What it looks like.
        4 Style { color: VarInt, dividers: VarInt }
        /// What it does to the sky.
        5 Flags { flags: u8 }
    }
}

record! {
    /// A changed block of a column.
    BlockRecord {
        /// x in the high half, z in the low one, both within the column.
        horizontal: u8,
        y: u8,
        /// Block id << 4 | variant.
        state: VarInt,
    }
}

record! {
    /// A block that an explosion removes, from its center.
    Offset {
        x: i8,
        y: i8,
        z: i8,
    }
}

record! {
    /// A mark on a map.
    MapIcon {
        direction_and_type: i8,
        x: i8,
        z: i8,
    }
}

choices! {
    /// News of a fight.
    Combat<'a> by var_int {
        /// It begins.
        0 Enter {}
        /// It is over.
        1 End { duration: VarInt, entity_id: i32 }
        /// The player died.
        2 Dead { player_id: VarInt, entity_id: i32, message: Json<'a> }
    }
}

record! {
    /// A signed fact about a player, its skin for one.
    Property<'a> {
        name: LongText<'a>,
        value: LongText<'a>,
        signature: Option<LongText<'a>>,
    }
}

record! {
    /// A player of the list.
    NewPlayer<'a> {
        uuid: Uuid,
        name: Text<'a, 16>,
        properties: List<'a, VarInt, Property<'a>>,
        game_mode: VarInt,
        /// Milliseconds.
        ping: VarInt,
        display_name: Option<Json<'a>>,
    }
}

record! {
    /// A player's new mode.
    PlayerMode {
        uuid: Uuid,
        game_mode: VarInt,
    }
}

record! {
    /// A player's new latency.
    PlayerPing {
        uuid: Uuid,
        /// Milliseconds.
        ping: VarInt,
    }
}

record! {
    /// A player's new name in the list.
    PlayerTitle<'a> {
        uuid: Uuid,
        display_name: Option<Json<'a>>,
    }
}

choices! {
    /// News of the list of players.
    PlayerListAction<'a> by var_int {
        /// Players come.
        0 Add { players: List<'a, VarInt, NewPlayer<'a>> }
        /// Their modes change.
        1 GameMode { players: List<'a, VarInt, PlayerMode> }
        /// Their latencies change.
        2 Latency { players: List<'a, VarInt, PlayerPing> }
        /// Their names change.
        3 DisplayName { players: List<'a, VarInt, PlayerTitle<'a>> }
        /// They leave.
        4 Remove { players: List<'a, VarInt, Uuid> }
    }
}

choices! {
    /// News of the recipes a player knows.
    Recipes<'a> by var_int {
        /// All of them, and those to be shown.
        0 Init {
            open: bool,
            filter: bool,
            shown: List<'a, VarInt, VarInt>,
            known: List<'a, VarInt, VarInt>,
        }
        /// More of them.
        1 Add { open: bool, filter: bool, recipes: List<'a, VarInt, VarInt> }
        /// Fewer.
        2 Remove { open: bool, filter: bool, recipes: List<'a, VarInt, VarInt> }
    }
}

choices! {
    /// News of the world's border; diameters in blocks, speeds in milliseconds.
    Border by var_int {
        /// It has a diameter.
        0 Size { diameter: f64 }
        /// It moves.
        1 Lerp { old: f64, new: f64, speed: VarLong }
        /// It has a center.
        2 Center { x: f64, z: f64 }
        /// All of it.
        3 Init {
            x: f64,
            z: f64,
            old: f64,
            new: f64,
            speed: VarLong,
            portal: VarInt,
            warning_time: VarInt,
            warning_blocks: VarInt,
        }
        /// When it warns, in seconds.
        4 WarningTime { seconds: VarInt }
        /// Where it warns.
        5 WarningBlocks { blocks: VarInt }
    }
}

choices! {
    /// News of an objective.
    ObjectiveAction<'a> by i8 {
        /// It is made.
        0 Create { text: Text<'a, 32>, kind: Text<'a, 16> }
        /// It is gone.
        1 Remove {}
        /// It reads otherwise.
        2 Update { text: Text<'a, 32>, kind: Text<'a, 16> }
    }
}

record! {
    /// What a team looks like and may do.
    TeamLook<'a> {
        name: Text<'a, 32>,
        prefix: Text<'a, 16>,
        suffix: Text<'a, 16>,
        friendly_fire: i8,
        name_tags: Text<'a, 32>,
        collision: Text<'a, 32>,
        color: i8,
    }
}

choices! {
    /// News of a team.
    TeamAction<'a> by i8 {
        /// It is made.
        0 Create { look: TeamLook<'a>, players: List<'a, VarInt, Text<'a, 40>> }
        /// It is gone.
        1 Remove {}
        /// It looks otherwise.
        2 Update { look: TeamLook<'a> }
        /// Players come.
        3 Join { players: List<'a, VarInt, Text<'a, 40>> }
        /// Players leave.
        4 Leave { players: List<'a, VarInt, Text<'a, 40>> }
    }
}

choices! {
    /// News of a score.
    ScoreAction<'a> by var_int {
        /// It has a value.
        0 Set { objective: Text<'a, 16>, value: VarInt }
        /// It is gone.
        1 Remove { objective: Text<'a, 16> }
    }
}

choices! {
    /// What is written across the screen; times in ticks.
    TitleAction<'a> by var_int {
        /// Large.
        0 Title { text: Json<'a> }
        /// Below it.
        1 Subtitle { text: Json<'a> }
        /// Above the hotbar.
        2 ActionBar { text: Json<'a> }
        /// For how long.
        3 Times { fade_in: i32, stay: i32, fade_out: i32 }
        /// Not now.
        4 Hide {}
        /// Not any more.
        5 Reset {}
    }
}

record! {
    /// A change to an attribute.
    Modifier {
        uuid: Uuid,
        amount: f64,
        operation: i8,
    }
}

record! {
    /// An attribute of an entity.
    Attribute<'a> {
        key: LongText<'a>,
        value: f64,
        modifiers: List<'a, VarInt, Modifier>,
    }
}
