//! What a client speaks, as one record, and the table of all that are known (maple.md 8).

#![forbid(unsafe_code)]

use super::{HeaderForm, Iv, Key, KeyList, StartBlock};

/// Where a client was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// Korea.
    Kms,
    /// Korea, test server.
    Kmst,
    /// India.
    Ims,
    /// Japan.
    Jms,
    /// China.
    Cms,
    /// China, test server; also Tespia.
    Cmst,
    /// Taiwan.
    Tms,
    /// Malaysia and Singapore.
    Msea,
    /// Thailand.
    Thms,
    /// Vietnam.
    Vms,
    /// Global.
    Gms,
    /// Europe.
    Ems,
    /// Brazil.
    Bms,
}

impl Region {
    /// The hello's last byte; several regions share one (maple.md 7).
    pub const fn locale(self) -> u8 {
        match self {
            Self::Kms | Self::Ims => 1,
            Self::Kmst => 2,
            Self::Jms => 3,
            Self::Cms => 4,
            Self::Cmst => 5,
            Self::Tms => 6,
            Self::Msea | Self::Thms | Self::Vms => 7,
            Self::Gms => 8,
            Self::Ems | Self::Bms => 9,
        }
    }
}

/// The layer below Shanda.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The AES feedback stream (maple.md 3).
    Aes,
    /// The KMS cipher (maple.md 10.1).
    Kms,
    /// The XOR cipher (maple.md 10.2).
    Xor,
    /// The linear cipher (maple.md 10.3).
    Linear,
    /// Nothing.
    None,
}

/// How the IV of the next packet is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IvUpdate {
    /// [`Iv::shuffled`].
    Shuffle,
    /// [`Iv::stepped_by_lcg`].
    Lcg,
}

impl IvUpdate {
    /// The IV after `iv`.
    #[must_use]
    pub fn next(self, iv: Iv) -> Iv {
        match self {
            Self::Shuffle => iv.shuffled(),
            Self::Lcg => iv.stepped_by_lcg(),
        }
    }
}

/// How the hello tells the release (maple.md 7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelloForm {
    /// The version and a patch string.
    Patch,
    /// The constant 291 and a decimal text that hides version and sub-version.
    Kms,
    /// The version alone (VMS).
    Bare,
    /// The version, a zero byte and the sub-version (IMS).
    Ims,
}

/// Everything a codec needs to know about a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The game version: it is in the hello and in every header.
    pub version: u16,
    /// Where the client was published.
    pub region: Region,
    /// Bytes of an opcode, 1 or 2.
    pub opcode_len: usize,
    /// How headers tell the length.
    pub header: HeaderForm,
    /// The cipher of packets to the server.
    pub to_server: Layer,
    /// The cipher of packets to the client.
    pub to_client: Layer,
    /// Whether payloads pass Shanda first (maple.md 5).
    pub shanda: bool,
    /// The AES key.
    pub key: Key,
    /// What an AES stream starts from.
    pub start_block: StartBlock,
    /// How IVs follow each other.
    pub iv_update: IvUpdate,
    /// How the hello tells the release.
    pub hello: HelloForm,
}

impl Profile {
    /// GMS v28: Shanda alone, one-byte opcodes.
    pub const GMS_28: Self = Self {
        version: 28,
        opcode_len: 1,
        to_server: Layer::None,
        to_client: Layer::None,
        ..Self::GMS_83
    };

    /// GMS v62.
    pub const GMS_62: Self = Self {
        version: 62,
        ..Self::GMS_83
    };

    /// GMS v83.
    pub const GMS_83: Self = Self {
        version: 83,
        region: Region::Gms,
        opcode_len: 2,
        header: HeaderForm::Standard,
        to_server: Layer::Aes,
        to_client: Layer::Aes,
        shanda: true,
        key: Key::DEFAULT,
        start_block: StartBlock::Standard,
        iv_update: IvUpdate::Shuffle,
        hello: HelloForm::Patch,
    };

    /// GMS v95.
    pub const GMS_95: Self = Self {
        version: 95,
        ..Self::GMS_83
    };

    /// The profile of a client by [`VARIANTS`]; `None` if no row or no key is known for it.
    pub fn find(region: Region, version: u16) -> Option<Self> {
        let variant = VARIANTS.iter().find(|variant| {
            variant.regions.contains(&region) && (variant.first..=variant.last).contains(&version)
        })?;
        Some(Self {
            version,
            region,
            opcode_len: variant.opcode_len,
            header: variant.header,
            to_server: variant.layer,
            to_client: variant.layer,
            shanda: variant.shanda,
            key: variant.keys.key(version)?,
            start_block: variant.start_block,
            iv_update: variant.iv_update,
            hello: variant.hello,
        })
    }
}

/// A row of the table: clients that differ in version and key only.
///
/// Login servers and clients of the newest versions use AES as their row says; for their other
/// servers' packets to the client set [`Profile::to_client`] to [`Layer::Linear`].
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The regions it was published in.
    pub regions: &'static [Region],
    /// The first version.
    pub first: u16,
    /// The last version.
    pub last: u16,
    /// Bytes of an opcode.
    pub opcode_len: usize,
    /// How headers tell the length.
    pub header: HeaderForm,
    /// The cipher of both directions.
    pub layer: Layer,
    /// Whether payloads pass Shanda first.
    pub shanda: bool,
    /// What an AES stream starts from.
    pub start_block: StartBlock,
    /// How IVs follow each other.
    pub iv_update: IvUpdate,
    /// The AES keys.
    pub keys: KeyList,
    /// How the hello tells the release.
    pub hello: HelloForm,
}

impl Variant {
    const fn new(regions: &'static [Region], first: u16, last: u16) -> Self {
        Self {
            regions,
            first,
            last,
            opcode_len: 2,
            header: HeaderForm::Standard,
            layer: Layer::Aes,
            shanda: false,
            start_block: StartBlock::Standard,
            iv_update: IvUpdate::Shuffle,
            keys: KeyList::Default,
            hello: HelloForm::Patch,
        }
    }

    const fn short_opcodes(mut self) -> Self {
        self.opcode_len = 1;
        self
    }

    const fn extended(mut self) -> Self {
        self.header = HeaderForm::Extended;
        self
    }

    const fn layer(mut self, layer: Layer) -> Self {
        self.layer = layer;
        self
    }

    const fn shanda(mut self) -> Self {
        self.shanda = true;
        self
    }

    const fn start(mut self, start_block: StartBlock) -> Self {
        self.start_block = start_block;
        self
    }

    const fn keys(mut self, keys: KeyList) -> Self {
        self.keys = keys;
        self
    }

    const fn hello(mut self, hello: HelloForm) -> Self {
        self.hello = hello;
        self
    }
}

const CYCLE: KeyList = KeyList::Cycle { shift: 0 };
const NEWEST: u16 = u16::MAX;

/// Who speaks what, one row per line of clients (maple.md 8). Where sources name no first
/// version for the 8-byte header, it begins with the row that allows it.
#[rustfmt::skip]
pub const VARIANTS: &[Variant] = {
    use Region::*;
    const fn row(regions: &'static [Region], first: u16, last: u16) -> Variant {
        Variant::new(regions, first, last)
    }
    &[
        KMS_BETA,
        row(&[Kms], 0, 55).layer(Layer::Kms).hello(HelloForm::Kms).short_opcodes(),
        row(&[Kms], 56, 220).layer(Layer::Kms).hello(HelloForm::Kms),
        row(&[Kmst], 0, 220).layer(Layer::Kms).hello(HelloForm::Kms),
        row(&[Ims], 0, NEWEST).layer(Layer::Kms).hello(HelloForm::Ims),
        row(&[Kms, Kmst], 221, NEWEST)
            .extended()
            .keys(KeyList::Cycle { shift: 13 })
            .hello(HelloForm::Kms),
        row(&[Gms], 0, 54).shanda().layer(Layer::None).short_opcodes(),
        row(&[Cmst], 40, 40).shanda().layer(Layer::None).short_opcodes(),
        row(&[Msea], 0, 15).shanda().layer(Layer::None).short_opcodes(),
        row(&[Gms], 55, 117).shanda(),
        row(&[Gms], 118, 148).shanda().keys(KeyList::Gms118),
        row(&[Gms], 149, NEWEST).extended().keys(CYCLE),
        row(&[Ems], 0, 114).shanda(),
        row(&[Ems], 115, NEWEST).extended(),
        row(&[Bms, Thms], 0, NEWEST).shanda(),
        row(&[Vms], 0, NEWEST).shanda().hello(HelloForm::Bare),
        row(&[Msea], 16, 143).shanda(),
        row(&[Msea], 144, NEWEST).extended().keys(CYCLE),
        row(&[Jms], 0, 141).start(StartBlock::Duplicate),
        row(&[Jms], 142, NEWEST),
        row(&[Cms], 0, 85).shanda(),
        row(&[Cms], 86, 123),
        row(&[Cms], 124, NEWEST).keys(CYCLE),
        row(&[Cmst], 0, NEWEST),
        row(&[Tms], 0, 175),
        row(&[Tms], 176, NEWEST).keys(CYCLE),
    ]
};

/// The Korean beta of 2004, which called itself version 268: found by its own name only.
pub const KMS_BETA: Variant = Variant {
    header: HeaderForm::Old,
    iv_update: IvUpdate::Lcg,
    ..Variant::new(&[], 268, 268)
        .layer(Layer::Xor)
        .short_opcodes()
};
