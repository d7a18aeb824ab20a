//! The path of the crate with the traits.

use syn::{DeriveInput, LitStr, Path, Result, parse_quote};

/// `::spelt`, or the path from `#[attribute(crate = "..")]`.
pub(crate) fn path(input: &DeriveInput, attribute: &str) -> Result<Path> {
    let mut krate: Path = parse_quote!(::spelt);
    for found in input.attrs.iter().filter(|found| found.path().is_ident(attribute)) {
        found.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error(format!("there is only `#[{attribute}(crate = \"path\")]`")));
            }
            krate = meta.value()?.parse::<LitStr>()?.parse()?;
            Ok(())
        })?;
    }
    Ok(krate)
}
