//! A file of numbers.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::program::{Outcome, Progress};

/// The bytes of a number.
const BYTES: usize = size_of::<f64>();

/// A file of 64-bit floats, little-endian, that is read from its beginning to its end.
pub(crate) struct Numbers {
    path: PathBuf,
    file: File,
    /// How many there are.
    pub(crate) count: usize,
}

impl Numbers {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        let open = || {
            let file = File::open(path)?;
            let bytes = file.metadata()?.len();
            std::io::Result::Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(|error| format!("{}: {error}", path.display()))?;
        let bytes = usize::try_from(bytes)?;
        if !bytes.is_multiple_of(BYTES) {
            return Err(
                format!("{}: {bytes} bytes are not a whole number of 64-bit floats", path.display()).into()
            );
        }
        Ok(Self { path: path.to_owned(), file, count: bytes / BYTES })
    }

    /// Writes a file of `count` numbers of widely differing sizes, and opens it.
    pub(crate) fn write(path: &Path, count: usize) -> Outcome<Self> {
        let write = || {
            let mut progress = Progress::new("writing", count);
            let mut file = BufWriter::new(File::create(path)?);
            for index in 0..count {
                file.write_all(&number(index).to_le_bytes())?;
                if index % (1 << 16) == 0 {
                    progress.advance((1 << 16).min(count));
                }
            }
            file.into_inner()?.sync_all()
        };
        write().map_err(|error| format!("{}: {error}", path.display()))?;
        Self::open(path)
    }

    /// Reads the next numbers, as many as there is room for, or as are left; returns how many.
    pub(crate) fn read(&mut self, room: &mut [f64]) -> Outcome<usize> {
        let mut bytes = vec![0; size_of_val(room)];
        let mut filled = 0;
        while filled < bytes.len() {
            let read = self.file.read(&mut bytes[filled..]);
            match read.map_err(|error| format!("{}: {error}", self.path.display()))? {
                0 => break,
                more => filled += more,
            }
        }
        let (numbers, rest) = bytes[..filled].as_chunks::<BYTES>();
        if !rest.is_empty() {
            return Err(format!("{}: the file ends inside a number", self.path.display()).into());
        }
        for (place, number) in room.iter_mut().zip(numbers) {
            *place = f64::from_le_bytes(*number);
        }
        Ok(numbers.len())
    }
}

/// Number `index` of a file that is written: sums of such numbers have other bits in every other order.
fn number(index: usize) -> f64 {
    let mut word = (index as u64).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word ^= word >> 31;
    word = word.wrapping_mul(0x94D0_49BB_1331_11EB);
    let mantissa = (word >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    mantissa * f64::powi(2.0, (index % 61) as i32 - 30)
}
