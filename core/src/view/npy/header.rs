//! The header of a `.npy` file: a Python dictionary with three entries.

use std::io::Read;

use super::element::{NpyElement, name, type_name};
use super::{format_error, io_error};
use crate::Result;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The alignment of the first element in the file. Unit: bytes. Source: `numpy.lib.format`, for memory mapping.
const ALIGN: usize = 64;
/// Longest header that is read. Unit: bytes. Source: seven times NumPy's own limit, 10,000; those of plain arrays
/// have about 100.
const LONGEST: usize = 1 << 16;

/// The contents of a file's header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    kind: char,
    size: usize,
    pub(super) big_endian: bool,
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

impl Header {
    /// Reads the header and leaves `reader` at the first element.
    pub(super) fn read(file: &str, reader: &mut impl Read) -> Result<Self> {
        let mut start = [0_u8; 8];
        let cut = |error| io_error(file, "its header ends too early", error);
        reader.read_exact(&mut start).map_err(cut)?;
        if start[..6] != *MAGIC {
            return Err(format_error(file, "it does not start with NumPy's magic string"));
        }
        let [major, minor] = [start[6], start[7]];
        let length = match (major, minor) {
            (1, 0) => {
                let mut bytes = [0; 2];
                reader.read_exact(&mut bytes).map_err(cut)?;
                usize::from(u16::from_le_bytes(bytes))
            }
            (2 | 3, 0) => {
                let mut bytes = [0; 4];
                reader.read_exact(&mut bytes).map_err(cut)?;
                usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX)
            }
            _ => {
                let message =
                    format_args!("it has version {major}.{minor} of the format; 1.0, 2.0 and 3.0 are read");
                return Err(format_error(file, message));
            }
        };
        if length > LONGEST {
            let message = format_args!("its header is {length} bytes long; up to {LONGEST} are read");
            return Err(format_error(file, message));
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).map_err(cut)?;
        let text = if major < 3 {
            // Latin-1, whose bytes are the first characters of Unicode.
            text.iter().copied().map(char::from).collect()
        } else {
            String::from_utf8(text).map_err(|_| format_error(file, "its header is not text"))?
        };
        Self::parse(&text).map_err(|message| {
            format_error(file, format_args!("its header is malformed: {message}: {}", text.trim_end()))
        })
    }

    /// Checks that elements have the requested type.
    pub(super) fn check<T: NpyElement>(&self, file: &str) -> Result<()> {
        if (self.kind, self.size) == (T::KIND, size_of::<T>()) {
            return Ok(());
        }
        let message = format_args!(
            "it holds {} of rank {}, but {} was asked for",
            self.type_name(),
            self.shape.len(),
            name::<T>()
        );
        Err(format_error(file, message))
    }

    /// The extents of an array of the requested rank.
    pub(super) fn extents<T: NpyElement, const R: usize>(&self, file: &str) -> Result<[usize; R]> {
        self.shape.as_slice().try_into().map_err(|_| {
            format_error(
                file,
                format_args!(
                    "it holds {} of rank {}, shape {:?}, but {} of rank {R} was asked for",
                    self.type_name(),
                    self.shape.len(),
                    self.shape,
                    name::<T>(),
                ),
            )
        })
    }

    pub(super) fn type_name(&self) -> String {
        type_name(self.kind, self.size)
    }

    /// Magic string, version, length and dictionary for elements of type `T`, lowest byte first.
    pub(super) fn bytes<T: NpyElement>(fortran: bool, extents: &[usize]) -> Vec<u8> {
        let order = if size_of::<T>() == 1 { '|' } else { '<' };
        let shape = match extents {
            [one] => format!("({one},)"),
            _ => format!("({})", extents.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
        };
        let mut text = format!(
            "{{'descr': '{order}{}{}', 'fortran_order': {}, 'shape': {shape}, }}",
            T::KIND,
            size_of::<T>(),
            if fortran { "True" } else { "False" },
        );
        // Six bytes of magic string, two of version, two of length, and the line feed behind the spaces.
        let fixed = MAGIC.len() + 2 + 2;
        let total = (fixed + text.len() + 1).next_multiple_of(ALIGN);
        while fixed + text.len() + 1 < total {
            text.push(' ');
        }
        text.push('\n');
        let length = u16::try_from(text.len()).expect("six extents take at most a few hundred bytes");
        [&MAGIC[..], &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat()
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text };
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        parser.expect('{')?;
        while !parser.take('}') {
            let key = parser.string()?;
            parser.expect(':')?;
            let first = match key {
                "descr" => descr.replace(parser.descr()?).is_none(),
                "fortran_order" => fortran.replace(parser.boolean()?).is_none(),
                "shape" => shape.replace(parser.shape()?).is_none(),
                _ => return Err(format!("it has an entry `{key}`")),
            };
            if !first {
                return Err(format!("it has two entries `{key}`"));
            }
            if !parser.take(',') {
                parser.expect('}')?;
                break;
            }
        }
        if !parser.rest.trim().is_empty() {
            return Err("the dictionary is followed by something else".to_owned());
        }
        let missing = |key| format!("it has no entry `{key}`");
        let (kind, size, big_endian) = descr.ok_or_else(|| missing("descr"))?;
        Ok(Self {
            kind,
            size,
            big_endian,
            fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }
}

/// Reads the few Python literals that a header may have.
struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn take(&mut self, character: char) -> bool {
        let rest = self.rest.trim_start();
        let taken = rest.strip_prefix(character);
        self.rest = taken.unwrap_or(rest);
        taken.is_some()
    }

    fn expect(&mut self, character: char) -> Result<(), String> {
        if self.take(character) {
            return Ok(());
        }
        Err(match self.rest.chars().next() {
            Some(other) => format!("found `{other}` instead of `{character}`"),
            None => format!("it ends where `{character}` is expected"),
        })
    }

    fn string(&mut self) -> Result<&'t str, String> {
        let quote = if self.take('"') { '"' } else { '\'' };
        if quote == '\'' {
            self.expect(quote)?;
        }
        let (string, rest) = self.rest.split_once(quote).ok_or("a string has no end")?;
        if string.contains('\\') {
            return Err("a string has an escape".to_owned());
        }
        self.rest = rest;
        Ok(string)
    }

    fn boolean(&mut self) -> Result<bool, String> {
        let rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err("`fortran_order` is neither True nor False".to_owned())
    }

    fn number(&mut self) -> Result<usize, String> {
        let rest = self.rest.trim_start();
        let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        let number =
            rest[..end].parse().map_err(|error| format!("an extent of `shape` is not a number: {error}"))?;
        // Python 2 wrote its long numbers with an L.
        self.rest = rest[end..].strip_prefix('L').unwrap_or(&rest[end..]);
        Ok(number)
    }

    fn shape(&mut self) -> Result<Vec<usize>, String> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.take(')') {
            shape.push(self.number()?);
            if !self.take(',') {
                self.expect(')')?;
                if shape.len() == 1 {
                    return Err("`shape` is not a tuple".to_owned());
                }
                break;
            }
        }
        Ok(shape)
    }

    /// Letter, size in bytes, and whether the highest byte comes first.
    fn descr(&mut self) -> Result<(char, usize, bool), String> {
        if self.rest.trim_start().starts_with('[') {
            return Err("its elements are records, which are not read".to_owned());
        }
        let descr = self.string()?;
        let unknown = || format!("`{descr}` is not an element type that is read");
        let mut characters = descr.chars();
        let (order, kind) = (characters.next().ok_or_else(unknown)?, characters.next().ok_or_else(unknown)?);
        let digits = characters.as_str();
        let size = match digits {
            "" if kind == 'O' => 8,
            _ if digits.starts_with('+') => return Err(unknown()),
            _ => digits.parse().map_err(|_| unknown())?,
        };
        let big_endian = match order {
            '<' => false,
            '>' => true,
            '=' => cfg!(target_endian = "big"),
            // No byte order, because there is one byte; or a type that is not read anyway.
            '|' if size <= 1 || !matches!(kind, 'i' | 'u' | 'f' | 'c') => false,
            _ => return Err(unknown()),
        };
        Ok((kind, size, big_endian))
    }
}
