//! Whole numbers on command lines.

/// A whole number, perhaps as 1e5.
///
/// # Errors
/// If the text is not such a number.
pub fn size(text: &str) -> Result<usize, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if !(1.0..=1e12).contains(&number) || number.fract() != 0.0 {
        return Err(format!("`{text}` is not a whole number from 1 to 1e12"));
    }
    Ok(number as usize)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn numbers_are_whole() {
        assert_eq!(size("1e5"), Ok(100_000));
        assert!(size("0.5").is_err() && size("x").is_err() && size("nan").is_err());
    }
}
