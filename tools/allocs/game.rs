//! What users do together: a room, and a game in lockstep.

use crate::{
    player::Told,
    user::{Failure, User},
};
use samara::kaillera::message::{ClientMessage, GameId};

/// The first opens a room, the others join it, and the game starts.
pub(crate) fn begin(users: &mut [User]) -> Result<(), Failure> {
    gather(users)?;
    if let Some(owner) = users.first_mut() {
        owner.say(&ClientMessage::StartGame)?;
    }
    for user in &mut *users {
        user.wait_for(|told| matches!(told, Told::Starts { .. }).then_some(()))?;
    }
    for user in users {
        user.wait_for(|told| matches!(told, Told::Go).then_some(()))?;
    }
    Ok(())
}

/// The first opens a room, and the others join it.
pub(crate) fn gather(users: &mut [User]) -> Result<(), Failure> {
    let Some((owner, guests)) = users.split_first_mut() else {
        return Ok(());
    };
    owner.say(&ClientMessage::CreateGame { rom: b"a game" })?;
    let game: GameId = owner.wait_for(|told| match told {
        Told::Opened(game) => Some(game),
        _ => None,
    })?;
    for guest in guests {
        guest.say(&ClientMessage::JoinGame { game })?;
        guest.wait_for(|told| matches!(told, Told::Entered).then_some(()))?;
    }
    Ok(())
}

/// Each sends the inputs of one frame, and then receives everybody's.
///
/// Two in three inputs are held, the others are new or seldom.
pub(crate) fn play(users: &mut [User], frame: u32) -> Result<(), Failure> {
    for (index, user) in users.iter_mut().enumerate() {
        let step = frame / 3 + index as u32;
        let value = if step.is_multiple_of(2) {
            step
        } else {
            step % 500
        };
        user.play(&value.to_le_bytes())?;
    }
    for user in users {
        user.wait_for(|told| matches!(told, Told::Frames(_)).then_some(()))?;
    }
    Ok(())
}

/// Everybody leaves the room, the guests first.
pub(crate) fn disband(users: &mut [User]) -> Result<(), Failure> {
    for user in users.iter_mut().rev() {
        user.say(&ClientMessage::QuitGame)?;
        user.wait_for(|told| matches!(told, Told::Out).then_some(()))?;
    }
    Ok(())
}
