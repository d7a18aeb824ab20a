//! The size of the Views among some arguments.

use spelt_access::Description;

/// The bytes of the Views that are only read, and of those that are written: each allocation once, with the most elements.
///
/// `visit` calls its argument with the description of each allocation that an argument points into.
pub(crate) fn bytes(visit: impl FnOnce(&mut dyn FnMut(Description<'_>))) -> [u64; 2] {
    /// Most launches have so few Views: no memory is needed for them.
    const FEW: usize = 8;
    let (mut few, mut count, mut others) = ([(0, 0, false); FEW], 0, Vec::new());
    visit(&mut |argument| {
        let bytes = argument.size_bytes();
        if argument.address == 0 || bytes == 0 {
            return;
        }
        let is_it = |view: &&mut (usize, u64, bool)| view.0 == argument.address;
        match few[..count].iter_mut().chain(&mut others).find(is_it) {
            Some(view) => *view = (view.0, view.1.max(bytes), view.2 || argument.writes),
            None if count < FEW => {
                few[count] = (argument.address, bytes, argument.writes);
                count += 1;
            }
            None => others.push((argument.address, bytes, argument.writes)),
        }
    });
    let views = || few[..count].iter().chain(&others);
    let sum = |written| {
        let of_kind = views().filter(|view| view.2 == written);
        of_kind.fold(0_u64, |sum, view| sum.saturating_add(view.1))
    };
    [sum(false), sum(true)]
}

#[cfg(test)]
mod tests {
    use spelt_access::Description;

    use super::bytes;

    #[test]
    fn each_allocation_counts_once() {
        let of = |address, extent, writes| {
            let mut description =
                Description { address, rank: 1, element_bytes: 8, writes, ..Description::SCALAR };
            description.extents[0] = extent;
            description
        };
        let sum = |arguments: &[Description<'_>]| bytes(|visit| arguments.iter().for_each(|&one| visit(one)));
        assert_eq!(sum(&[]), [0, 0]);
        let views =
            [of(64, 3, false), of(128, 5, false), of(64, 10, true), of(0, 100, true), of(256, 0, true)];
        assert_eq!(sum(&views), [8 * 5, 8 * 10], "written once is written");
        // More Views than fit without memory, each twice.
        let many: Vec<_> = (0..40).map(|view| of(64 * (1 + view % 20), view, view % 20 < 9)).collect();
        let wanted = |kind: std::ops::Range<usize>| kind.map(|view| 8 * (view as u64 + 20)).sum::<u64>();
        assert_eq!(sum(&many), [wanted(9..20), wanted(0..9)]);
        let huge = [of(64, usize::MAX / 8, false), of(128, usize::MAX / 8, false), of(192, 1000, false)];
        assert_eq!(sum(&huge), [u64::MAX, 0]);
    }
}
