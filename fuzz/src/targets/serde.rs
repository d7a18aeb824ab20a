//! Views as JSON with a few wrong words: each is an error, or a View that is written and read again alike.

use fastrand::Rng;
use spelt::Layout;
use spelt::prelude::*;

use super::Outcome;
use crate::mutate;

pub(crate) fn case(rng: &mut Rng) -> Outcome {
    let extents = [rng.usize(..4), rng.usize(..4)];
    let right = View::from_fn("v", extents, |_| rng.i32(..)).expect("small");
    let text = if rng.bool() {
        serde_json::to_string(&right)
    } else {
        serde_json::to_string(&right.to_layout(Left).expect("small"))
    };
    let text = mutate::text(rng, &text.expect("integers"));
    if rng.bool() { read::<Right>(&text) } else { read::<Left>(&text) }
}

fn read<L: Layout>(text: &str) -> Outcome {
    let Ok(view) = serde_json::from_str::<View<i32, 2, HostSpace, L>>(text) else { return Outcome::Refused };
    assert_eq!(view.len(), view.iter().count());
    let first = serde_json::to_string(&view).expect("integers");
    let again: View<i32, 2, HostSpace, L> = serde_json::from_str(&first).expect("it was just written");
    assert_eq!(serde_json::to_string(&again).expect("integers"), first);
    Outcome::Accepted
}
