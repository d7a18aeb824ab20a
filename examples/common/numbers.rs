//! Numbers as C prints them.

/// `number` as `%g` prints it: six significant digits, without trailing zeros.
pub(crate) fn general(number: f64) -> String {
    with_digits(number, 6)
}

/// `number` with at most this many significant digits, 1 or more, as `%.*g` prints it.
pub(crate) fn with_digits(number: f64, digits: usize) -> String {
    let end = digits as i32;
    let scientific = format!("{number:.*e}", digits - 1);
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let shorten = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match exponent.parse::<i32>() {
        Ok(power) if (-4..end).contains(&power) => {
            shorten(&format!("{number:.*}", (end - 1 - power) as usize))
        }
        Ok(power) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", shorten(digits), power.abs())
        }
        Err(_) => scientific,
    }
}

/// `number` as `%e` prints it: one digit before the point, six after it, and two of the exponent at least.
pub(crate) fn scientific(number: f64) -> String {
    let text = format!("{number:.6e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}
