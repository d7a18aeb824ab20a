//! The value types go through JSON and come back.

use spelt_reducers::*;

#[test]
fn round_trips() {
    let mut best = MinMaxLoc::<f64, [usize; 2]>::new().init();
    best.update(1.5, [2, 3]);
    let text = serde_json::to_string(&best).unwrap();
    assert_eq!(text, r#"{"min_val":1.5,"max_val":1.5,"min_loc":[2,3],"max_loc":[2,3]}"#);
    assert_eq!(serde_json::from_str::<MinMaxLocValue<f64, [usize; 2]>>(&text).unwrap(), best);

    let columns: ColumnsValue<u8> = vec![1, 2].into();
    let text = serde_json::to_string(&columns).unwrap();
    assert_eq!(text, "[1,2]");
    assert_eq!(serde_json::from_str::<ColumnsValue<u8>>(&text).unwrap(), columns);
}
