//! Adapters as text, the way a user writes them.

/// The text `.name::<parameter>()`, made at compile time.
pub(crate) struct Turbofish {
    bytes: [u8; 40],
    len: usize,
}

impl Turbofish {
    pub(crate) const fn new(name: &str, parameter: usize) -> Self {
        let text = Self { bytes: [0; 40], len: 0 }.push(".").push(name).push("::<");
        text.number(parameter).push(">()")
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
    use super::Turbofish;

    #[test]
    fn turbofish_spells_name_and_number() {
        const ONE: &str = Turbofish::new("halo", 1).as_str();
        assert_eq!(ONE, ".halo::<1>()");
        assert_eq!(Turbofish::new("along", 120).as_str(), ".along::<120>()");
        assert_eq!(Turbofish::new("halo", usize::MAX).as_str(), ".halo::<18446744073709551615>()");
    }
}
