//! How much a session keeps.

/// The bounds of one session's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Columns.
    pub columns: usize,
    /// Bytes of the frames of columns, and of what is kept with them.
    pub column_bytes: usize,
    /// Changed blocks of a column.
    pub block_changes: usize,
    /// Chests, signs and the like of a column.
    pub block_entities: usize,
    /// Frames that replace sections of a column.
    pub partial_frames: usize,
    /// Entities.
    pub entities: usize,
    /// Players of the list.
    pub players: usize,
    /// Objectives, scores, teams, members of a team, and bars of bosses, of each so many.
    pub boards: usize,
    /// Bytes of any other value: an item, a name, a message.
    pub value_bytes: usize,
    /// Bytes that may wait for a client until it has its world.
    pub live_bytes: usize,
}

impl Limits {
    /// The bounds for a player who sees `view_distance` columns far.
    pub const fn for_view_distance(view_distance: u8) -> Self {
        let wide = 2 * view_distance as usize + 3;
        Self {
            columns: wide * wide,
            column_bytes: 32 << 20,
            block_changes: 4096,
            block_entities: 1024,
            partial_frames: 16,
            entities: 4096,
            players: 1024,
            boards: 1024,
            value_bytes: 32 << 10,
            live_bytes: 4 << 20,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::for_view_distance(10)
    }
}

/// What was not kept because of the bounds, or not understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Columns: holes in the world after the next replay.
    pub columns: u64,
    /// Changed blocks and block entities.
    pub blocks: u64,
    /// Entities.
    pub entities: u64,
    /// Players, scores, items and other values.
    pub values: u64,
    /// Packets that could not be read, and were passed on all the same.
    pub unread: u64,
}
