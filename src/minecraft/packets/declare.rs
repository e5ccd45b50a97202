//! The forms that packets and their parts are declared in.

/// Declares a struct of fields in wire order.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $name:ident $(<$lt:lifetime>)? {
            $($(#[$doc:meta])* $field:ident: $ty:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name $(<$lt>)? {
            $(
                $(#[$doc])*
                #[doc = concat!("A `", stringify!($ty), "`.")]
                pub $field: $ty,
            )*
        }

        impl<'a> $crate::minecraft::Field<'a> for $name $(<$lt>)? {
            const LEAST: usize = 0 $(+ <$ty as $crate::minecraft::Field<'a>>::LEAST)*;
            const MOST: usize = $crate::minecraft::field::bounded(
                0 $(+ <$ty as $crate::minecraft::Field<'a>>::MOST)*
            );

            #[inline]
            fn wire_len(&self) -> usize {
                0 $(+ <$ty as $crate::minecraft::Field<'a>>::wire_len(&self.$field))*
            }

            #[inline]
            fn write(
                &self,
                writer: &mut $crate::buffer::Writer<'_>,
            ) -> Result<(), $crate::buffer::Full> {
                let _ = &writer;
                $(<$ty as $crate::minecraft::Field<'a>>::write(&self.$field, writer)?;)*
                Ok(())
            }

            #[inline]
            fn read(
                reader: &mut $crate::buffer::Reader<'a>,
            ) -> Result<Self, $crate::minecraft::DecodeError> {
                let _ = &reader;
                Ok(Self {
                    $($field: <$ty as $crate::minecraft::Field<'a>>::read(reader)?,)*
                })
            }
        }
    };
}

/// Declares an enum whose number, read and written by the word after `by`, says which fields
/// follow.
macro_rules! choices {
    (
        $(#[$meta:meta])*
        $name:ident $(<$lt:lifetime>)? by $tag:ident {
            $(
                $(#[$doc:meta])*
                $value:literal $variant:ident { $($field:ident: $ty:ty),* $(,)? }
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $name $(<$lt>)? {
            $(
                $(#[$doc])*
                $variant {
                    $(
                        #[doc = concat!("A `", stringify!($ty), "`.")]
                        $field: $ty,
                    )*
                },
            )*
        }

        impl<'a> $crate::minecraft::Field<'a> for $name $(<$lt>)? {
            // Every number here is below 128 and takes one byte.
            const LEAST: usize = 1 + $crate::minecraft::field::least(&[
                $(0 $(+ <$ty as $crate::minecraft::Field<'a>>::LEAST)*),*
            ]);
            const MOST: usize = $crate::minecraft::field::bounded(
                1 + $crate::minecraft::field::most(&[
                    $(0 $(+ <$ty as $crate::minecraft::Field<'a>>::MOST)*),*
                ])
            );

            fn wire_len(&self) -> usize {
                1 + match self {
                    $(Self::$variant { $($field),* } => {
                        0 $(+ <$ty as $crate::minecraft::Field<'a>>::wire_len($field))*
                    })*
                }
            }

            fn write(
                &self,
                writer: &mut $crate::buffer::Writer<'_>,
            ) -> Result<(), $crate::buffer::Full> {
                match self {
                    $(Self::$variant { $($field),* } => {
                        writer.$tag($value)?;
                        $(<$ty as $crate::minecraft::Field<'a>>::write($field, writer)?;)*
                    })*
                }
                Ok(())
            }

            fn read(
                reader: &mut $crate::buffer::Reader<'a>,
            ) -> Result<Self, $crate::minecraft::DecodeError> {
                Ok(match reader.$tag()? {
                    $($value => Self::$variant {
                        $($field: <$ty as $crate::minecraft::Field<'a>>::read(reader)?,)*
                    },)*
                    _ => return Err($crate::minecraft::DecodeError::BadChoice),
                })
            }
        }
    };
}

/// Declares all packets of a state and direction, and an enum over them.
macro_rules! packets {
    (
        $(#[$table_meta:meta])*
        $table:ident $(<$table_lt:lifetime>)?: $state:ident, $direction:ident;
        $(
            $(#[$meta:meta])*
            $id:literal $wire:literal $name:ident $(<$lt:lifetime>)? { $($body:tt)* }
        )*
    ) => {
        $(
            record! {
                $(#[$meta])*
                #[doc = concat!("\n\nPacket ", stringify!($id), ", `", $wire, "`.")]
                $name $(<$lt>)? { $($body)* }
            }

            impl<'a> $crate::minecraft::Packet<'a> for $name $(<$lt>)? {
                const ID: u8 = $id;
                const NAME: &'static str = $wire;
                const STATE: $crate::minecraft::State = $crate::minecraft::State::$state;
                const DIRECTION: $crate::minecraft::Direction =
                    $crate::minecraft::Direction::$direction;
            }

            impl<'a> $crate::buffer::Encode for $name $(<$lt>)? {
                // The ids are below 128 and take one byte.
                const MIN_LEN: usize = 1 + <Self as $crate::minecraft::Field<'a>>::LEAST;
                const MAX_LEN: usize = $crate::minecraft::field::bounded(
                    1 + <Self as $crate::minecraft::Field<'a>>::MOST
                );

                #[inline]
                fn encoded_len(&self) -> usize {
                    1 + $crate::minecraft::Field::wire_len(self)
                }

                #[inline]
                fn encode(
                    &self,
                    writer: &mut $crate::buffer::Writer<'_>,
                ) -> Result<(), $crate::buffer::Full> {
                    let body = |writer: &mut $crate::buffer::Writer<'_>| {
                        writer.u8($id)?;
                        $crate::minecraft::Field::write(self, writer)
                    };
                    if Self::MIN_LEN == Self::MAX_LEN {
                        writer.exactly(Self::MAX_LEN, body)
                    } else {
                        writer.all_or_nothing(body)
                    }
                }
            }
        )*

        $(#[$table_meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $table $(<$table_lt>)? {
            $(
                $(#[$meta])*
                $name($name $(<$lt>)?),
            )*
        }

        impl<'a> $table $(<$table_lt>)? {
            /// Each packet's id and name.
            pub const ALL: &'static [(u8, &'static str)] = &[$(($id, $wire)),*];

            /// Reads exactly one body.
            pub fn decode(body: &'a [u8]) -> Result<Self, $crate::minecraft::DecodeError> {
                match $crate::minecraft::packets::id_of(body)? {
                    $(
                        $id => <$name as $crate::minecraft::Packet<'a>>::decode(body)
                            .map(Self::$name),
                    )*
                    _ => Err($crate::minecraft::DecodeError::UnknownId),
                }
            }

            /// Bytes of the body.
            pub fn encoded_len(&self) -> usize {
                match self {
                    $(Self::$name(packet) => $crate::buffer::Encode::encoded_len(packet),)*
                }
            }

            /// Appends the body, all of it or nothing.
            pub fn encode(
                &self,
                writer: &mut $crate::buffer::Writer<'_>,
            ) -> Result<(), $crate::buffer::Full> {
                match self {
                    $(Self::$name(packet) => $crate::buffer::Encode::encode(packet, writer),)*
                }
            }
        }
    };
}
