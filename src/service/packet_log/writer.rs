//! The log's thread: decrypts, writes, and begins new files.

use super::{Form, Record, Settings, Source};
use crate::{
    buffer::Frame,
    maple::{Decoded, Direction},
    net::Clock,
    timer::Time,
};
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// How long the thread sleeps when there is nothing to write.
pub(super) const PAUSE: Duration = Duration::from_millis(50);

/// How long nothing is written after the file could not be.
const REST: Duration = Duration::from_secs(10);

/// Bytes written with one system call.
const CHUNK: usize = 64 << 10;

pub(super) struct Writer {
    settings: Settings,
    clock: Clock,
    /// The wall clock's time at the clock's zero.
    zero: Duration,
    file: Option<File>,
    /// Until when it is not tried again, after an error.
    rests_until: Time,
    /// Bytes in the file and in `text`.
    size: u64,
    text: Vec<u8>,
}

impl Writer {
    pub(super) fn open(settings: Settings, clock: Clock) -> io::Result<Self> {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH);
        let since_start = clock.now().since(Time::ZERO);
        let (file, size) = open(&settings.path)?;
        Ok(Self {
            settings,
            clock,
            zero: wall.unwrap_or_default().saturating_sub(since_start),
            file: Some(file),
            rests_until: Time::ZERO,
            size,
            text: Vec::new(),
        })
    }

    /// Writes one packet; false if that is not possible.
    pub(super) fn write(&mut self, record: Record, frame: &mut Frame, source: &Source) -> bool {
        if !self.is_ready() {
            return false;
        }
        let len = frame.len();
        let frame = frame.buffer_mut().get_mut(..len).unwrap_or_default();
        let mut decoder = source.codec.decoder(record.direction, record.iv);
        let Ok(Decoded::Packet { payload, .. }) = decoder.decode(frame) else {
            return false;
        };
        let before = self.text.len();
        let packet = Packet::new(record, payload, source, &self.settings);
        let time = self.time(record.at);
        // Cannot fail: the text grows as it is written.
        let _ = match self.settings.form {
            Form::Json => packet.write_json(&time, &mut self.text),
            Form::Text => packet.write_text(&time, &mut self.text),
        };
        self.size += (self.text.len() - before) as u64;
        if self.text.len() >= CHUNK {
            self.flush();
        }
        if self.size >= self.settings.max_bytes {
            self.flush();
            self.rotate();
        }
        true
    }

    /// Gives the system all that waits.
    pub(super) fn flush(&mut self) {
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all(&self.text)
        {
            self.fail(&error);
        }
        self.text.clear();
    }

    fn is_ready(&mut self) -> bool {
        if self.file.is_none() && self.clock.now() >= self.rests_until {
            match open(&self.settings.path) {
                Ok((file, size)) => (self.file, self.size) = (Some(file), size),
                Err(error) => self.fail(&error),
            }
        }
        self.file.is_some()
    }

    fn rotate(&mut self) {
        self.file = None;
        let Settings { path, keep, .. } = &self.settings;
        let shift = || {
            for older in (1..*keep).rev() {
                rename(&numbered(path, older), &numbered(path, older + 1))?;
            }
            match *keep {
                0 => fs::remove_file(path),
                _ => rename(path, &numbered(path, 1)),
            }
        };
        match shift().and_then(|()| open(path)) {
            Ok((file, size)) => (self.file, self.size) = (Some(file), size),
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &io::Error) {
        let path = self.settings.path.display();
        log::error!("packet log {path}: {error}; packets are left out for ten seconds");
        self.file = None;
        self.rests_until = self.clock.now() + REST;
    }

    fn time(&self, at: Time) -> String {
        let time = self.zero + at.since(Time::ZERO);
        let time = i128::try_from(time.as_nanos()).map(jiff::Timestamp::from_nanosecond);
        match time {
            Ok(Ok(time)) => format!("{time:.6}"),
            _ => String::new(),
        }
    }
}

/// A packet as it is written.
struct Packet<'p> {
    source: &'p Source,
    record: Record,
    opcode: u16,
    len: usize,
    /// What may be seen of it.
    shown: &'p [u8],
}

impl<'p> Packet<'p> {
    fn new(record: Record, payload: &'p [u8], source: &'p Source, settings: &Settings) -> Self {
        let opcode_len = source.codec.profile().opcode_len;
        let opcode = payload.get(..opcode_len).unwrap_or(payload);
        let number = opcode.iter().rev();
        let number = number.fold(0, |number, &byte| number << 8 | u16::from(byte));
        let is_secret = record.direction == Direction::ToServer
            && (record.is_login || source.opcodes.migrate_in == Some(number));
        Self {
            source,
            record,
            opcode: number,
            len: payload.len(),
            shown: match is_secret && !settings.secrets {
                true => opcode,
                false => payload,
            },
        }
    }

    fn direction(&self) -> &'static str {
        match self.record.direction {
            Direction::ToServer => "to_server",
            Direction::ToClient => "to_client",
        }
    }

    fn write_json(&self, time: &str, out: &mut Vec<u8>) -> io::Result<()> {
        let Record { session, iv, .. } = self.record;
        let Self { opcode, len, .. } = self;
        let direction = self.direction();
        let service = self.source.service;
        let version = self.source.codec.profile().version;
        write!(
            out,
            r#"{{"time":"{time}","service":"{service}","version":{version},"#
        )?;
        write!(out, r#""session":{session},"direction":"{direction}","#)?;
        write!(out, r#""opcode":{opcode},"length":{len},"iv":""#)?;
        write_hex(&iv.bytes(), out)?;
        write!(out, r#"","payload":""#)?;
        write_hex(self.shown, out)?;
        let masked = match self.shown.len() < self.len {
            true => r#","masked":true"#,
            false => "",
        };
        writeln!(out, r#""{masked}}}"#)
    }

    fn write_text(&self, time: &str, out: &mut Vec<u8>) -> io::Result<()> {
        let Record { session, iv, .. } = self.record;
        let Self { opcode, len, .. } = self;
        let masked = match self.shown.len() < self.len {
            true => ", body not shown",
            false => "",
        };
        write!(
            out,
            "# {} session {session}, opcode 0x{opcode:04X}, {len} bytes{masked}, iv ",
            self.source.service,
        )?;
        write_hex(&iv.bytes(), out)?;
        let mark = match self.record.direction {
            Direction::ToServer => 'I',
            Direction::ToClient => 'O',
        };
        writeln!(out, "\n{mark} {time}")?;
        for (row, bytes) in self.shown.chunks(16).enumerate() {
            write!(out, "{:06x}", row * 16)?;
            for byte in bytes {
                write!(out, " {byte:02x}")?;
            }
            writeln!(out)?;
        }
        writeln!(out)
    }
}

fn write_hex(bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    bytes.iter().try_for_each(|byte| write!(out, "{byte:02X}"))
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let size = file.metadata()?.len();
    Ok((file, size))
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{number}"));
    name.into()
}

/// Moves a file if it is there.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
