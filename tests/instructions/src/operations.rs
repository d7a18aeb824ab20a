//! Closures of a given number of operations.

/// Five steps of two operations each, written out: no loop that the compiler could keep as one.
macro_rules! ten {
    ($v:ident, $x:expr) => {
        $v = $v * $x + 0.5;
        $v = $v * $x - 0.25;
        $v = $v * $x + 0.125;
        $v = $v * $x - 0.0625;
        $v = $v * $x + 0.75;
    };
}

/// The result of this number of operations on a value.
macro_rules! operations {
    (10, $x:expr) => {{
        let x: f64 = $x;
        let mut v = x;
        ten!(v, x);
        v
    }};
    (50, $x:expr) => {{
        let x: f64 = $x;
        let mut v = x;
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        v
    }};
    (100, $x:expr) => {{
        let x: f64 = $x;
        let mut v = x;
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        ten!(v, x);
        v
    }};
    (160, $x:expr) => {{
        let once = operations!(100, $x);
        let twice = operations!(50, once);
        operations!(10, twice)
    }};
    (300, $x:expr) => {{
        let once = operations!(100, $x);
        let twice = operations!(100, once);
        operations!(100, twice)
    }};
    (1000, $x:expr) => {{
        let once = operations!(300, $x);
        let twice = operations!(300, once);
        let thrice = operations!(300, twice);
        operations!(100, thrice)
    }};
}
