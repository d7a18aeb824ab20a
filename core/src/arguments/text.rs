//! Adapters as text, the way a user writes them.

use spelt_access::HaloShape;

/// The text of a call with a parameter, made at compile time.
pub(crate) struct Text {
    /// Room for the longest text: six pairs of numbers of 20 characters, each with 12 around it.
    bytes: [u8; 440],
    len: usize,
}

impl Text {
    const EMPTY: Self = Self { bytes: [0; 440], len: 0 };

    /// `.name::<parameter>()`
    pub(crate) const fn turbofish(name: &str, parameter: usize) -> Self {
        Self::EMPTY.push(".").push(name).push("::<").number(parameter).push(">()")
    }

    /// `.halo::<1>()`, `.halo_of::<Between<-2, 1>>()`, `.halo_of::<(Between<-2, 1>, Between<0, 0>)>()`
    pub(crate) const fn halo<W: HaloShape<R>, const R: usize>() -> Self {
        if W::EVEN && R > 0 {
            return Self::turbofish("halo", W::LOWER[0]);
        }
        let mut text = Self::EMPTY.push(".halo_of::<").push(if R > 1 { "(" } else { "" });
        let mut dimension = 0;
        while dimension < R {
            text = text.push(if dimension > 0 { ", " } else { "" }).push("Between<");
            text = text.push(if W::LOWER[dimension] > 0 { "-" } else { "" }).number(W::LOWER[dimension]);
            text = text.push(", ").number(W::UPPER[dimension]).push(">");
            dimension += 1;
        }
        text.push(if R > 1 { ")" } else { "" }).push(">()")
    }

    pub(crate) const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }

    const fn push(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut place = 0;
        while place < text.len() {
            self.bytes[self.len] = text[place];
            self.len += 1;
            place += 1;
        }
        self
    }

    const fn number(mut self, number: usize) -> Self {
        if number >= 10 {
            self = self.number(number / 10);
        }
        self.bytes[self.len] = b'0' + (number % 10) as u8;
        self.len += 1;
        self
    }
}

#[cfg(test)]
mod tests {
    use spelt_access::{Around, Between};

    use super::Text;

    #[test]
    fn turbofish_spells_name_and_number() {
        const ONE: &str = const { &Text::turbofish("halo", 1) }.as_str();
        assert_eq!(ONE, ".halo::<1>()");
        assert_eq!(Text::turbofish("along", 120).as_str(), ".along::<120>()");
        assert_eq!(Text::turbofish("halo", usize::MAX).as_str(), ".halo::<18446744073709551615>()");
    }

    #[test]
    fn halos_spell_their_shape() {
        type Widest = Between<{ isize::MIN }, { isize::MAX }>;
        assert_eq!(Text::halo::<Around<3>, 2>().as_str(), ".halo::<3>()");
        assert_eq!(Text::halo::<Between<-2, 1>, 1>().as_str(), ".halo_of::<Between<-2, 1>>()");
        let two = Text::halo::<(Between<-12, 0>, Between<0, 10>), 2>();
        assert_eq!(two.as_str(), ".halo_of::<(Between<-12, 0>, Between<0, 10>)>()");
        let widest = Text::halo::<(Widest, Widest, Widest, Widest, Widest, Widest, Widest, Widest), 8>();
        let one = "Between<-9223372036854775808, 9223372036854775807>";
        assert_eq!(widest.as_str(), format!(".halo_of::<({})>()", [one; 8].join(", ")));
    }
}
