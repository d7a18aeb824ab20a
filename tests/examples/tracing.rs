//! The example `tracing`: the spans and events that a subscriber sees, and the program's log.

#[path = "../../examples/tracing/forward.rs"]
mod forward;

use std::fmt::{Debug, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use ::tracing::field::{Field, Visit};
use ::tracing::span::{Attributes, Id};
use ::tracing::{Event, Subscriber, subscriber};
use spelt::prelude::*;
use spelt::tools::{install, mark, metadata, region};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::run::run;

/// Keeps spans and events as lines, each after the names of the spans around it.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

/// The fields, as text.
#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let names = context.span_scope(id).unwrap().from_root().map(|span| span.name());
        self.add(format!("{}{}", names.collect::<Vec<_>>().join("/"), fields.0));
    }
    fn on_close(&self, id: Id, context: Context<'_, S>) {
        self.add(format!("end {}", context.span(&id).unwrap().name()));
    }
    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let around = context.event_span(event).map_or("", |span| span.name());
        self.add(format!("event in `{around}`{}", fields.0));
    }
}

/// The lines of this thread's events while `program` runs.
fn lines(program: impl FnOnce()) -> Vec<String> {
    let lines = Lines::default();
    subscriber::with_default(Registry::default().with(lines.clone()), || {
        install("tracing", forward::Forward::default());
        program();
    });
    lines.0.lock().unwrap().clone()
}

#[test]
fn launches_and_regions_are_spans_in_one_another() {
    let program = || {
        let space = Serial::new();
        metadata("mesh", "coarse");
        let x = View::<f64, 1>::from_vec("x", [3], vec![1.0; 3]).unwrap();
        let mut y = View::<f64, 1>::from_vec("y", [3], vec![2.0; 3]).unwrap();
        {
            let _region = region("outer");
            parallel_for("scale", space.range(0..3), (&x, &mut y), |i, (x, mut y)| y[i] = 2.0 * x[i])
                .unwrap();
            mark("scaled");
            space.fence().unwrap();
        }
        space.fill(&mut y, 1.0).unwrap();
        deep_copy(&mut y, &x).unwrap();
        let panics = || parallel_for("panics", space.range(0..1), (), |_, ()| panic!("as asked"));
        catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
        mark("outside");
    };
    let wanted = [
        "event in `` message=metadata key=\"mesh\" value=\"coarse\"",
        "event in `` message=allocate label=\"x\" memory=\"HostSpace\" bytes=24",
        "event in `` message=allocate label=\"y\" memory=\"HostSpace\" bytes=24",
        "region name=\"outer\"",
        "region/launch pattern=\"for\" label=\"scale\" space=\"Serial\" iterations=3 read_bytes=24 written_bytes=24",
        "end launch",
        "event in `region` message=mark name=\"scaled\"",
        "region/fence label=\"fence\" space=\"Serial\"",
        "end fence",
        "end region",
        "event in `` message=fill label=\"y\" memory=\"HostSpace\" bytes=24 is_new=false",
        "event in `` message=copy from_label=\"x\" from_memory=\"HostSpace\" to_label=\"y\" to_memory=\"HostSpace\" bytes=24",
        "launch pattern=\"for\" label=\"panics\" space=\"Serial\" iterations=1 read_bytes=0 written_bytes=0",
        "end launch",
        "event in `` message=mark name=\"outside\"",
        "event in `` message=release label=\"y\" memory=\"HostSpace\" bytes=24",
        "event in `` message=release label=\"x\" memory=\"HostSpace\" bytes=24",
    ];
    assert_eq!(lines(program), wanted);
}

#[test]
fn the_program_logs_its_spans() {
    let outcome = run("tracing", "-N 10 -space serial");
    assert_eq!(
        (outcome.status, outcome.stdout.as_str()),
        (Some(0), "Sum: 10 of 10 numbers\n"),
        "{outcome:?}"
    );
    let closed = |words: &str| {
        outcome.stderr.lines().filter(|line| line.contains(words) && line.contains("close")).count()
    };
    assert_eq!(
        closed("region{name=\"step 2\"}:launch{pattern=\"for\" label=\"halve\" space=\"Serial\""),
        1,
        "{outcome:?}"
    );
    assert_eq!(closed("label=\"halve\""), 3);
    assert_eq!(closed("launch{pattern=\"reduce\" label=\"sum\""), 1);
    assert!(outcome.stderr.contains("mark name=\"halved\""), "{outcome:?}");
}
