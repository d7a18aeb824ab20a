//! The numbers of an element as text, with their bits.

/// A number, `bool` or `char` within an element, by its name in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number(&'static str, usize);

/// All of them, with their size in bytes: those of `spelt_core::tools::Number`.
const NUMBERS: [Number; 16] = [
    Number("bool", 1),
    Number("char", 4),
    Number("u8", 1),
    Number("u16", 2),
    Number("u32", 4),
    Number("u64", 8),
    Number("u128", 16),
    Number("i8", 1),
    Number("i16", 2),
    Number("i32", 4),
    Number("i64", 8),
    Number("i128", 16),
    Number("f16", 2),
    Number("bf16", 2),
    Number("f32", 4),
    Number("f64", 8),
];

impl Number {
    pub(crate) fn named(name: &str) -> Option<Self> {
        NUMBERS.into_iter().find(|number| number.0 == name)
    }

    /// Its size. Unit: bytes.
    pub(crate) fn bytes(self) -> usize {
        self.1
    }

    pub(crate) fn name(self) -> &'static str {
        self.0
    }

    /// The value of the number that the bytes are, and its bits: `0.5 (bits 0x3fe0000000000000)`.
    pub(crate) fn text(self, bytes: &[u8]) -> String {
        let mut word = [0; 16];
        word[..self.1].copy_from_slice(&bytes[..self.1]);
        let bits = u128::from_le_bytes(word);
        let unused = 128 - 8 * self.1;
        let signed = ((bits << unused).cast_signed()) >> unused;
        let value = match self.0 {
            "f64" => format!("{:?}", f64::from_bits(bits as u64)),
            "f32" => format!("{:?}", f32::from_bits(bits as u32)),
            "bf16" => format!("{:?}", f32::from_bits((bits as u32) << 16)),
            "f16" => format!("{:?}", half(bits as u16)),
            "bool" => format!("{}", bits != 0),
            "char" => {
                char::from_u32(bits as u32).map_or_else(String::new, |character| format!("{character:?}"))
            }
            name if name.starts_with('i') => signed.to_string(),
            _ => bits.to_string(),
        };
        format!("{value} (bits 0x{bits:0digits$x})", digits = 2 * self.1)
    }
}

/// The value of a float of 16 bits, with 5 of them for the exponent.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from((bits >> 10) & 31), f64::from(bits & 0x3ff) / 1024.0);
    let value = match exponent {
        0 => fraction * 2_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2_f64.powi(exponent - 15),
    };
    if bits >> 15 == 0 { value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, bytes: &[u8]) -> String {
        Number::named(name).expect("a number").text(bytes)
    }

    #[test]
    fn values_have_their_bits() {
        assert_eq!(text("f64", &0.1_f64.to_le_bytes()), "0.1 (bits 0x3fb999999999999a)");
        assert_eq!(text("f32", &f32::NEG_INFINITY.to_le_bytes()), "-inf (bits 0xff800000)");
        assert_eq!(text("f64", &0x7ff8_0000_0000_0001_u64.to_le_bytes()), "NaN (bits 0x7ff8000000000001)");
        assert_eq!(text("i16", &(-7_i16).to_le_bytes()), "-7 (bits 0xfff9)");
        assert_eq!(text("u8", &[200, 1, 1]), "200 (bits 0xc8)");
        assert_eq!(
            text("i128", &i128::MIN.to_le_bytes()),
            format!("{} (bits 0x{:x})", i128::MIN, 1_u128 << 127)
        );
        assert_eq!(text("u128", &u128::MAX.to_le_bytes()), format!("{} (bits 0x{:x})", u128::MAX, u128::MAX));
        assert_eq!(text("bool", &[1]), "true (bits 0x01)");
        assert_eq!(text("char", &u32::from('ß').to_le_bytes()), "'ß' (bits 0x000000df)");
        assert_eq!(text("bf16", &0x3f80_u16.to_le_bytes()), "1.0 (bits 0x3f80)");
        assert_eq!(Number::named("f80"), None);
    }

    #[test]
    fn the_numbers_are_those_of_the_files() {
        let known = spelt_core::tools::Number::ALL.iter().map(|number| (number.name(), number.bytes()));
        assert!(NUMBERS.iter().map(|number| (number.0, number.1)).eq(known));
    }

    #[test]
    fn halves() {
        // The largest, the smallest normal, the smallest of all.
        assert_eq!(half(0x7bff), 65504.0);
        assert_eq!((half(0x3c00), half(0xc000)), (1.0, -2.0));
        assert_eq!((half(0x0400), half(0x0001)), (2_f64.powi(-14), 2_f64.powi(-24)));
        assert!(half(0x7c01).is_nan() && half(0xfc00) == f64::NEG_INFINITY);
    }
}
