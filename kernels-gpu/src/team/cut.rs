//! The division of a nested reduction over groups of lanes.

/// The division of a nested reduction over groups of lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Tiles of a group: a power of two, unless there is one group.
    pub(super) tiles: usize,
    /// Groups with tiles.
    pub(super) groups: u32,
}

impl Cut {
    /// The cut of `tiles` tiles among `groups` groups, of which at most `most` may have tiles.
    #[inline(always)]
    pub(super) fn new(tiles: usize, groups: u32, most: u32) -> Self {
        let groups = groups.min(most);
        if tiles == 1 || groups == 1 {
            return Self { tiles, groups: 1 };
        }
        let tiles_each = tiles.div_ceil(groups as usize).next_power_of_two();
        Self { tiles: tiles_each, groups: tiles.div_ceil(tiles_each) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tiles_have_one_group() {
        for tiles in 1..200 {
            for (there, most) in [(1, u32::MAX), (8, u32::MAX), (3, 5), (12, 5), (32, 1)] {
                let cut = Cut::new(tiles, there, most);
                assert!(cut.groups >= 1 && cut.groups <= most && cut.groups <= there);
                assert!(
                    (cut.groups as usize - 1) * cut.tiles < tiles && tiles <= cut.groups as usize * cut.tiles
                );
                assert!(cut.groups == 1 || cut.tiles.is_power_of_two());
            }
        }
    }
}
