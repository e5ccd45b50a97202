//! What a server sends to a player.

use super::{
    parts::{
        Attribute, BlockRecord, Border, BossBarAction, Combat, MapIcon, ObjectiveAction, Offset,
        PlayerListAction, Recipes, ScoreAction, Statistic, TeamAction, TitleAction, Velocity,
    },
    shapes::{MapPatch, Particles, Window},
};
use crate::minecraft::{
    Angle, Bytes, Json, List, LongText, Metadata, Nbt, OptNbt, Position, Rest, Slot, Text, Uuid,
    VarInt,
};

packets! {
    /// All packets from a server to a client in a world.
    Clientbound<'a>: Play, Clientbound;

    /// A thing appears. The pitch comes first here, and only here.
    0x00 "spawn_entity" SpawnObject {
        entity_id: VarInt,
        uuid: Uuid,
        kind: i8,
        x: f64,
        y: f64,
        z: f64,
        pitch: Angle,
        yaw: Angle,
        data: i32,
        velocity: Velocity,
    }

    /// An orb of experience appears.
    0x01 "spawn_entity_experience_orb" SpawnOrb {
        entity_id: VarInt,
        x: f64,
        y: f64,
        z: f64,
        count: i16,
    }

    /// Lightning strikes.
    0x02 "spawn_entity_weather" SpawnGlobal {
        entity_id: VarInt,
        kind: i8,
        x: f64,
        y: f64,
        z: f64,
    }

    /// A creature appears.
    0x03 "spawn_entity_living" SpawnMob<'a> {
        entity_id: VarInt,
        uuid: Uuid,
        kind: VarInt,
        x: f64,
        y: f64,
        z: f64,
        yaw: Angle,
        pitch: Angle,
        head_pitch: Angle,
        velocity: Velocity,
        metadata: Metadata<'a>,
    }

    /// A painting appears.
    0x04 "spawn_entity_painting" SpawnPainting<'a> {
        entity_id: VarInt,
        uuid: Uuid,
        title: LongText<'a>,
        location: Position,
        direction: u8,
    }

    /// A player appears, who is in the list already.
    0x05 "named_entity_spawn" SpawnPlayer<'a> {
        entity_id: VarInt,
        uuid: Uuid,
        x: f64,
        y: f64,
        z: f64,
        yaw: Angle,
        pitch: Angle,
        metadata: Metadata<'a>,
    }

    /// An entity swings an arm and the like.
    0x06 "animation" Animation {
        entity_id: VarInt,
        animation: u8,
    }

    /// What the player has done so far.
    0x07 "statistics" Statistics<'a> {
        entries: List<'a, VarInt, Statistic<'a>>,
    }

    /// A block cracks.
    0x08 "block_break_animation" BlockBreakAnimation {
        entity_id: VarInt,
        location: Position,
        stage: i8,
    }

    /// What a block holds.
    0x09 "tile_entity_data" UpdateBlockEntity<'a> {
        location: Position,
        action: u8,
        data: OptNbt<'a>,
    }

    /// A block does something.
    0x0A "block_action" BlockAction {
        location: Position,
        byte_1: u8,
        byte_2: u8,
        block: VarInt,
    }

    /// A block changes.
    0x0B "block_change" BlockChange {
        location: Position,
        /// Block id << 4 | variant.
        state: VarInt,
    }

    /// A boss's bar.
    0x0C "boss_bar" BossBar<'a> {
        uuid: Uuid,
        action: BossBarAction<'a>,
    }

    /// How hard the world is.
    0x0D "difficulty" Difficulty {
        /// 0 peaceful to 3 hard.
        difficulty: u8,
    }

    /// How a line of chat may go on.
    0x0E "tab_complete" TabComplete<'a> {
        matches: List<'a, VarInt, LongText<'a>>,
    }

    /// Somebody says something.
    0x0F "chat" Chat<'a> {
        message: Json<'a>,
        /// 0 chat, 1 system, 2 above the hotbar.
        position: i8,
    }

    /// Several blocks of a column change.
    0x10 "multi_block_change" MultiBlockChange<'a> {
        chunk_x: i32,
        chunk_z: i32,
        records: List<'a, VarInt, BlockRecord>,
    }

    /// A click was taken or refused.
    0x11 "transaction" ConfirmTransaction {
        window: i8,
        action: i16,
        accepted: bool,
    }

    /// A window closes.
    0x12 "close_window" CloseWindow {
        window: u8,
    }

    /// A window opens.
    0x13 "open_window" OpenWindow<'a> {
        window: u8,
        shape: Window<'a>,
    }

    /// All items of a window.
    0x14 "window_items" WindowItems<'a> {
        window: u8,
        items: List<'a, i16, Slot<'a>>,
    }

    /// A number of a window.
    0x15 "craft_progress_bar" WindowProperty {
        window: u8,
        property: i16,
        value: i16,
    }

    /// An item of a window.
    0x16 "set_slot" SetSlot<'a> {
        window: i8,
        slot: i16,
        item: Slot<'a>,
    }

    /// An item rests.
    0x17 "set_cooldown" SetCooldown {
        item: VarInt,
        ticks: VarInt,
    }

    /// A message between extensions.
    0x18 "custom_payload" PluginMessage<'a> {
        channel: Text<'a, 20>,
        data: Rest<'a>,
    }

    /// A sound, by its name. Places are in eighths of a block.
    0x19 "named_sound_effect" NamedSound<'a> {
        name: LongText<'a>,
        category: VarInt,
        x: i32,
        y: i32,
        z: i32,
        volume: f32,
        pitch: f32,
    }

    /// The connection closes after it.
    0x1A "kick_disconnect" Disconnect<'a> {
        reason: Json<'a>,
    }

    /// An entity is hurt, dies and the like.
    0x1B "entity_status" EntityStatus {
        entity_id: i32,
        status: i8,
    }

    /// Something blows up.
    0x1C "explosion" Explosion<'a> {
        x: f32,
        y: f32,
        z: f32,
        radius: f32,
        blocks: List<'a, i32, Offset>,
        motion_x: f32,
        motion_y: f32,
        motion_z: f32,
    }

    /// A column goes.
    0x1D "unload_chunk" UnloadChunk {
        chunk_x: i32,
        chunk_z: i32,
    }

    /// Weather, modes and ends.
    0x1E "game_state_change" ChangeGameState {
        /// 1 rain, 2 no rain, 3 the mode, 7 how much rain, 8 how much thunder.
        reason: u8,
        value: f32,
    }

    /// Wants the same number back.
    0x1F "keep_alive" KeepAlive {
        id: i64,
    }

    /// A column comes, or some of its sections.
    0x20 "map_chunk" ChunkData<'a> {
        x: i32,
        z: i32,
        /// Whether it is all of the column.
        ground_up: bool,
        /// Which sections there are.
        sections: VarInt,
        data: Bytes<'a>,
        block_entities: List<'a, VarInt, Nbt<'a>>,
    }

    /// A sound or a sight at a block.
    0x21 "world_event" Effect {
        effect: i32,
        location: Position,
        data: i32,
        global: bool,
    }

    /// Particles appear.
    0x22 "world_particles" Particle {
        particles: Particles,
    }

    /// The player is in a world.
    0x23 "login" JoinGame<'a> {
        /// The player's own.
        entity_id: i32,
        /// 0 survival, 1 creative, 2 adventure, 3 spectator; 8 is added if it is hardcore.
        game_mode: u8,
        /// -1 Nether, 0 Overworld, 1 End.
        dimension: i32,
        difficulty: u8,
        max_players: u8,
        level_type: Text<'a, 16>,
        reduced_debug: bool,
    }

    /// What a map shows.
    0x24 "map" Map<'a> {
        item_damage: VarInt,
        scale: i8,
        tracking: bool,
        icons: List<'a, VarInt, MapIcon>,
        patch: MapPatch<'a>,
    }

    /// An entity is where it was.
    0x25 "entity" Entity {
        entity_id: VarInt,
    }

    /// An entity moves, in 1/4096 block.
    0x26 "rel_entity_move" EntityMove {
        entity_id: VarInt,
        dx: i16,
        dy: i16,
        dz: i16,
        on_ground: bool,
    }

    /// An entity moves, in 1/4096 block, and turns.
    0x27 "entity_move_look" EntityMoveLook {
        entity_id: VarInt,
        dx: i16,
        dy: i16,
        dz: i16,
        yaw: Angle,
        pitch: Angle,
        on_ground: bool,
    }

    /// An entity turns.
    0x28 "entity_look" EntityLook {
        entity_id: VarInt,
        yaw: Angle,
        pitch: Angle,
        on_ground: bool,
    }

    /// Where the vehicle has to be that the player steers.
    0x29 "vehicle_move" VehicleMove {
        x: f64,
        y: f64,
        z: f64,
        yaw: f32,
        pitch: f32,
    }

    /// The player may write on a sign.
    0x2A "open_sign_entity" OpenSignEditor {
        location: Position,
    }

    /// A recipe is laid out.
    0x2B "craft_recipe_response" CraftRecipeResponse {
        window: i8,
        recipe: VarInt,
    }

    /// What the player is able to do.
    0x2C "abilities" Abilities {
        /// 1 invulnerable, 2 flying, 4 may fly, 8 creative.
        flags: i8,
        flying_speed: f32,
        walking_speed: f32,
    }

    /// A fight begins or ends.
    0x2D "combat_event" CombatEvent<'a> {
        event: Combat<'a>,
    }

    /// Who is there.
    0x2E "player_info" PlayerList<'a> {
        action: PlayerListAction<'a>,
    }

    /// Where the player has to be.
    0x2F "position" PositionLook {
        x: f64,
        y: f64,
        z: f64,
        yaw: f32,
        pitch: f32,
        /// What is relative: 1 x, 2 y, 4 z, 8 yaw, 16 pitch.
        flags: i8,
        teleport_id: VarInt,
    }

    /// Somebody lies in a bed.
    0x30 "bed" UseBed {
        entity_id: VarInt,
        location: Position,
    }

    /// Recipes become known.
    0x31 "unlock_recipes" UnlockRecipes<'a> {
        recipes: Recipes<'a>,
    }

    /// Entities go.
    0x32 "entity_destroy" DestroyEntities<'a> {
        entity_ids: List<'a, VarInt, VarInt>,
    }

    /// An effect ends.
    0x33 "remove_entity_effect" RemoveEntityEffect {
        entity_id: VarInt,
        effect: i8,
    }

    /// Offers a resource pack.
    0x34 "resource_pack_send" ResourcePack<'a> {
        url: LongText<'a>,
        hash: LongText<'a>,
    }

    /// The player is made anew, in another world if the dimension is another.
    0x35 "respawn" Respawn<'a> {
        dimension: i32,
        difficulty: u8,
        game_mode: u8,
        level_type: Text<'a, 16>,
    }

    /// An entity turns its head.
    0x36 "entity_head_rotation" HeadLook {
        entity_id: VarInt,
        yaw: Angle,
    }

    /// Shows a tab of the advancements.
    0x37 "select_advancement_tab" SelectAdvancementTab<'a> {
        tab: Option<LongText<'a>>,
    }

    /// Where the world ends.
    0x38 "world_border" WorldBorder {
        action: Border,
    }

    /// Whose eyes the player sees with.
    0x39 "camera" Camera {
        entity_id: VarInt,
    }

    /// Which place of the hotbar the player holds.
    0x3A "held_item_slot" HeldItemChange {
        /// 0 to 8.
        slot: i8,
    }

    /// Where an objective is shown.
    0x3B "scoreboard_display_objective" DisplayScoreboard<'a> {
        position: i8,
        name: Text<'a, 16>,
    }

    /// What an entity looks like.
    0x3C "entity_metadata" EntityMetadata<'a> {
        entity_id: VarInt,
        metadata: Metadata<'a>,
    }

    /// Who is on whose leash.
    0x3D "attach_entity" AttachEntity {
        entity_id: i32,
        /// -1 for nobody.
        holder_id: i32,
    }

    /// How fast an entity is.
    0x3E "entity_velocity" EntityVelocity {
        entity_id: VarInt,
        velocity: Velocity,
    }

    /// What an entity wears or holds.
    0x3F "entity_equipment" EntityEquipment<'a> {
        entity_id: VarInt,
        /// 0 hand, 1 off hand, 2 to 5 boots to helmet.
        slot: VarInt,
        item: Slot<'a>,
    }

    /// The player's experience.
    0x40 "experience" Experience {
        bar: f32,
        level: VarInt,
        total: VarInt,
    }

    /// The player's health; dead at 0 or less.
    0x41 "update_health" UpdateHealth {
        health: f32,
        food: VarInt,
        saturation: f32,
    }

    /// What is counted.
    0x42 "scoreboard_objective" ScoreboardObjective<'a> {
        name: Text<'a, 16>,
        action: ObjectiveAction<'a>,
    }

    /// Who rides an entity.
    0x43 "set_passengers" SetPassengers<'a> {
        entity_id: VarInt,
        passengers: List<'a, VarInt, VarInt>,
    }

    /// A team.
    0x44 "teams" Teams<'a> {
        team: Text<'a, 16>,
        action: TeamAction<'a>,
    }

    /// A score.
    0x45 "scoreboard_score" UpdateScore<'a> {
        item: Text<'a, 40>,
        action: ScoreAction<'a>,
    }

    /// Where the compass points.
    0x46 "spawn_position" SpawnPosition {
        location: Position,
    }

    /// What time it is.
    0x47 "update_time" TimeUpdate {
        age: i64,
        /// Ticks of the day; negative if the sun stands still.
        time: i64,
    }

    /// What is written across the screen.
    0x48 "title" Title<'a> {
        action: TitleAction<'a>,
    }

    /// A sound, by its number. Places are in eighths of a block.
    0x49 "sound_effect" Sound {
        sound: VarInt,
        category: VarInt,
        x: i32,
        y: i32,
        z: i32,
        volume: f32,
        pitch: f32,
    }

    /// What is written above and below the list of players.
    0x4A "playerlist_header" PlayerListHeader<'a> {
        header: Json<'a>,
        footer: Json<'a>,
    }

    /// Somebody picks something up.
    0x4B "collect" CollectItem {
        collected_id: VarInt,
        collector_id: VarInt,
        count: VarInt,
    }

    /// An entity is somewhere else.
    0x4C "entity_teleport" EntityTeleport {
        entity_id: VarInt,
        x: f64,
        y: f64,
        z: f64,
        yaw: Angle,
        pitch: Angle,
        on_ground: bool,
    }

    /// What the player has achieved; nested lists that nobody here reads.
    0x4D "advancements" Advancements<'a> {
        reset: bool,
        lists: Rest<'a>,
    }

    /// What an entity is able to do.
    0x4E "entity_update_attributes" EntityProperties<'a> {
        entity_id: VarInt,
        attributes: List<'a, i32, Attribute<'a>>,
    }

    /// An effect begins.
    0x4F "entity_effect" EntityEffect {
        entity_id: VarInt,
        effect: i8,
        amplifier: i8,
        /// Ticks.
        duration: VarInt,
        flags: i8,
    }
}
