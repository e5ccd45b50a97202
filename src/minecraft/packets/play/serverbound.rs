//! What a player's client sends.

use super::parts::{BookUpdate, TabAction, Use};
use crate::minecraft::{LongText, Position, Rest, Slot, Text, Uuid, VarInt};

packets! {
    /// All packets from a client in a world.
    Serverbound<'a>: Play, Serverbound;

    /// Answers a teleport.
    0x00 "teleport_confirm" TeleportConfirm {
        /// The number that came with it.
        teleport_id: VarInt,
    }

    /// Asks how a line of chat may go on.
    0x01 "tab_complete" TabComplete<'a> {
        text: LongText<'a>,
        assume_command: bool,
        looked_at: Option<Position>,
    }

    /// Says something; a command begins with a slash.
    0x02 "chat" Chat<'a> {
        message: Text<'a, 256>,
    }

    /// Asks for the respawn or the statistics.
    0x03 "client_command" ClientStatus {
        /// 0 respawns, 1 asks for statistics.
        action: VarInt,
    }

    /// Tells how the client is set up.
    0x04 "settings" Settings<'a> {
        locale: Text<'a, 16>,
        /// In columns.
        view_distance: i8,
        chat_flags: VarInt,
        chat_colors: bool,
        skin_parts: u8,
        main_hand: VarInt,
    }

    /// Agrees to a refused click.
    0x05 "transaction" ConfirmTransaction {
        window: i8,
        action: i16,
        accepted: bool,
    }

    /// Picks an enchantment.
    0x06 "enchant_item" EnchantItem {
        window: i8,
        enchantment: i8,
    }

    /// Clicks into a window.
    0x07 "window_click" ClickWindow<'a> {
        window: u8,
        slot: i16,
        button: i8,
        action: i16,
        mode: i8,
        item: Slot<'a>,
    }

    /// Closes a window.
    0x08 "close_window" CloseWindow {
        window: u8,
    }

    /// A message between extensions.
    0x09 "custom_payload" PluginMessage<'a> {
        channel: Text<'a, 20>,
        data: Rest<'a>,
    }

    /// Uses or hits an entity.
    0x0A "use_entity" UseEntity {
        target: VarInt,
        action: Use,
    }

    /// Answers a keep-alive.
    0x0B "keep_alive" KeepAlive {
        /// The number that came with it.
        id: i64,
    }

    /// Tells that the player is where it was.
    0x0C "flying" Player {
        on_ground: bool,
    }

    /// Tells where the player's feet are.
    0x0D "position" PlayerPosition {
        x: f64,
        y: f64,
        z: f64,
        on_ground: bool,
    }

    /// Tells where the player's feet are and where it looks.
    0x0E "position_look" PositionLook {
        x: f64,
        y: f64,
        z: f64,
        /// Degrees; 0 is south, 90 west.
        yaw: f32,
        /// Degrees; -90 is up.
        pitch: f32,
        on_ground: bool,
    }

    /// Tells where the player looks.
    0x0F "look" Look {
        /// Degrees; 0 is south, 90 west.
        yaw: f32,
        /// Degrees; -90 is up.
        pitch: f32,
        on_ground: bool,
    }

    /// Tells where the vehicle is that the player steers.
    0x10 "vehicle_move" VehicleMove {
        x: f64,
        y: f64,
        z: f64,
        yaw: f32,
        pitch: f32,
    }

    /// Rows.
    0x11 "steer_boat" SteerBoat {
        left_paddle: bool,
        right_paddle: bool,
    }

    /// Lays out a recipe.
    0x12 "craft_recipe_request" CraftRecipeRequest {
        window: i8,
        recipe: VarInt,
        make_all: bool,
    }

    /// Starts or stops flying.
    0x13 "abilities" Abilities {
        /// 1 invulnerable, 2 flying, 4 may fly, 8 creative.
        flags: i8,
        flying_speed: f32,
        walking_speed: f32,
    }

    /// Digs, drops, or swaps hands.
    0x14 "block_dig" Digging {
        /// 0 starts, 1 cancels, 2 finishes; 3 to 6 are about items.
        status: VarInt,
        location: Position,
        face: i8,
    }

    /// Sneaks, sprints, leaves a bed and the like.
    0x15 "entity_action" EntityAction {
        entity_id: VarInt,
        /// 0 starts to sneak, 1 stops, 3 starts to sprint, 4 stops.
        action: VarInt,
        jump_boost: VarInt,
    }

    /// Steers what the player rides.
    0x16 "steer_vehicle" SteerVehicle {
        sideways: f32,
        forward: f32,
        jump: u8,
    }

    /// Tells about the recipe book.
    0x17 "crafting_book_data" CraftingBook {
        update: BookUpdate,
    }

    /// Tells what became of a resource pack.
    0x18 "resource_pack_receive" ResourcePackStatus {
        result: VarInt,
    }

    /// Opens or closes the advancements.
    0x19 "advancement_tab" AdvancementTab<'a> {
        action: TabAction<'a>,
    }

    /// Picks a place of the hotbar.
    0x1A "held_item_slot" HeldItemChange {
        /// 0 to 8.
        slot: i16,
    }

    /// Takes an item in creative mode.
    0x1B "set_creative_slot" CreativeSlot<'a> {
        slot: i16,
        item: Slot<'a>,
    }

    /// Writes on a sign.
    0x1C "update_sign" UpdateSign<'a> {
        location: Position,
        line_1: Text<'a, 384>,
        line_2: Text<'a, 384>,
        line_3: Text<'a, 384>,
        line_4: Text<'a, 384>,
    }

    /// Swings an arm.
    0x1D "arm_animation" SwingArm {
        /// 0 is the main one.
        hand: VarInt,
    }

    /// Goes to somebody, as a spectator.
    0x1E "spectate" Spectate {
        target: Uuid,
    }

    /// Places a block or uses one.
    0x1F "block_place" PlaceBlock {
        location: Position,
        direction: VarInt,
        hand: VarInt,
        cursor_x: f32,
        cursor_y: f32,
        cursor_z: f32,
    }

    /// Uses what is in a hand.
    0x20 "use_item" UseItem {
        hand: VarInt,
    }
}
