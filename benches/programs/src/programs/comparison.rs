//! Comparisons with the plain references.

/// Whether all numbers are near those expected: within `bound` of the largest of them. The message of an error names the first that is not.
pub(super) fn near<T: Copy + Into<f64>>(
    name: &str,
    found: &[T],
    expected: &[T],
    bound: f64,
) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{name}: {} numbers, not {}", found.len(), expected.len()));
    }
    let largest = expected.iter().map(|&x| x.into().abs()).fold(f64::MIN_POSITIVE, f64::max);
    for (place, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        // Written so that NaN is wrong.
        let is_near = (found.into() - expected.into()).abs() <= bound * largest;
        if !is_near {
            return Err(format!("{name}: number {place} is {}, not {}", found.into(), expected.into()));
        }
    }
    Ok(())
}

/// Whether all elements are those expected.
pub(super) fn same<T: PartialEq + core::fmt::Debug>(
    name: &str,
    found: &[T],
    expected: &[T],
) -> Result<(), String> {
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        _ if found.len() != expected.len() => {
            Err(format!("{name}: {} elements, not {}", found.len(), expected.len()))
        }
        Some(place) => {
            Err(format!("{name}: element {place} is {:?}, not {:?}", found[place], expected[place]))
        }
        None => Ok(()),
    }
}
