//! Post-dominators of a graph of blocks.

/// The immediate post-dominator of each block that reaches `exit`, which comes after all of them. As in K. Cooper, T. Harvey,
/// K. Kennedy, "A simple, fast dominance algorithm", 2001.
pub(crate) fn post_dominators(succ: &[Vec<usize>], exit: usize) -> Vec<Option<usize>> {
    let mut pred = vec![Vec::new(); exit + 1];
    for (block, to) in succ.iter().enumerate() {
        to.iter().for_each(|t| pred[*t].push(block));
    }
    // The blocks in the order in which a walk backwards from the exit leaves them.
    let mut left = vec![usize::MAX; exit + 1];
    let mut order = Vec::new();
    let mut seen = vec![false; exit + 1];
    let mut work = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((block, next)) = work.pop() {
        if let Some(p) = pred[block].get(next) {
            work.push((block, next + 1));
            if !std::mem::replace(&mut seen[*p], true) {
                work.push((*p, 0));
            }
        } else {
            left[block] = order.len();
            order.push(block);
        }
    }
    let mut dominator: Vec<Option<usize>> = vec![None; exit + 1];
    dominator[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().rev().copied().filter(|block| *block != exit) {
            let mut new: Option<usize> = None;
            for to in succ[block].iter().copied().filter(|to| dominator[*to].is_some()) {
                new = Some(match new {
                    None => to,
                    Some(other) => {
                        let (mut a, mut b) = (other, to);
                        while a != b {
                            while left[a] < left[b] {
                                a = dominator[a].unwrap_or(exit);
                            }
                            while left[b] < left[a] {
                                b = dominator[b].unwrap_or(exit);
                            }
                        }
                        a
                    }
                });
            }
            if new != dominator[block] {
                dominator[block] = new;
                changed = true;
            }
        }
    }
    dominator.truncate(exit);
    dominator
}

#[cfg(test)]
mod tests {
    use super::post_dominators;

    #[test]
    fn branches_meet_where_all_paths_lead() {
        // 0 -> 1, 2; 1 -> 3; 2 -> 3, 4 (a trap); 3 -> 1 (a loop), exit
        let succ = vec![vec![1, 2], vec![3], vec![3, 4], vec![1, 5], vec![]];
        assert_eq!(post_dominators(&succ, 5), [Some(3), Some(3), Some(3), Some(5), None]);
    }

    #[test]
    fn what_never_ends_has_no_meeting_point() {
        // 0 -> 1, 2; 1 -> 1; 2 -> exit
        assert_eq!(post_dominators(&[vec![1, 2], vec![1], vec![3]], 3), [Some(2), None, Some(3)]);
    }
}
