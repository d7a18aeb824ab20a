//! The collectives of bytes and of Views, plans and a checkpoint.

use spelt_core::reducers::Sum;
use spelt_core::{Error, ErrorKind, ExecutionSpace, Left, Result, Serial, View, parallel_map_reduce};
use spelt_mpi::Communicator;

pub(crate) fn bytes(ranks: &Communicator) -> Result<()> {
    let (rank, size) = (ranks.rank(), ranks.size());
    let own = |rank: usize| vec![rank as u8; [3, 0, 5000, 300_000][rank % 4]];
    let join = |left: &[u8], right: &[u8]| Ok([left, right].concat());
    let below = |rank: usize| (0..rank).flat_map(own).collect::<Vec<_>>();
    let all: Vec<_> = (0..size).map(own).collect();
    for root in [0, size - 1] {
        ranks.barrier("start")?;
        assert_eq!(ranks.broadcast("word", root, own(rank + 2))?, own(root + 2));
        assert_eq!(ranks.gather("words", root, own(rank))?, (rank == root).then(|| all.clone()));
        let given = if rank == root { all.clone() } else { Vec::new() };
        assert_eq!(ranks.scatter("words", root, given)?, own(rank));
    }
    assert_eq!(ranks.all_gather_v("words", own(rank))?, all);
    let to_all = (0..size).map(|other| own(rank + other)).collect();
    assert_eq!(
        ranks.all_to_all_v("words", to_all)?,
        (0..size).map(|other| own(rank + other)).collect::<Vec<_>>()
    );
    assert_eq!(ranks.all_reduce("join", own(rank), join)?, below(size));
    assert_eq!(ranks.exclusive_prefix("join", own(rank), join)?, (rank > 0).then(|| below(rank)));
    let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    assert_eq!(ranks.exchange("ring", vec![(right, own(rank))], &[left])?, [own(left)]);
    if size > 1 {
        match rank {
            0 => ranks.send("point", 1, own(3))?,
            1 => assert_eq!(ranks.receive("point", 0)?, own(3)),
            _ => {}
        }
    }
    let n = 100_003;
    let cuts: Vec<_> = (0..=size).map(|rank| n * rank / size).collect();
    let term = |i: usize| 1.0 / (i + 1) as f64;
    let sum = ranks.all_reduce_part("sum", &cuts, Sum::<f64>::new(), |part, iterations| {
        part.map_reduce("sum", Serial::new().range(iterations), (), |i, ()| term(i.get()))
    })?;
    let alone =
        parallel_map_reduce("sum", Serial::new().range(0..n), (), |i, ()| term(i.get()), Sum::<f64>::new())?;
    assert_eq!(sum.to_bits(), alone.to_bits());
    ranks.barrier("end")
}

/// A long message arrives, in as many pieces as `SPELT_MPI_LONGEST_MESSAGE` makes of it.
pub(crate) fn long_messages(ranks: &Communicator) -> Result<()> {
    let longest = std::env::var("SPELT_MPI_LONGEST_MESSAGE").ok().and_then(|bytes| bytes.parse().ok());
    let byte = |at: usize| (at / 7) as u8;
    let (len, before) = (1_000_000, ranks.sent().messages);
    let own = if ranks.rank() == 0 { (0..len).map(byte).collect() } else { Vec::new() };
    let bytes = ranks.broadcast("long", 0, own)?;
    assert!(bytes.len() == len && bytes.iter().enumerate().all(|(at, found)| *found == byte(at)));
    if ranks.rank() == 0 {
        // The first piece has 4096 bytes with its header, which is too short to matter.
        let pieces = 1 + (len - 4096).div_ceil(longest.unwrap_or(1 << 30)) as u64;
        let children = u64::from(usize::BITS - (ranks.size() - 1).leading_zeros());
        assert_eq!(ranks.sent().messages - before, children * pieces, "{longest:?}");
    }
    Ok(())
}

/// 2.5 GiB go from rank 0 to rank 1: more than the 2 GiB that one call of MPI takes.
pub(crate) fn large_message(ranks: &Communicator) -> Result<()> {
    const PAGE: usize = 4096;
    let len = usize::try_from(5_u64 << 29).expect("64 bits");
    match ranks.rank() {
        0 => {
            // Each page begins with its number.
            let mut bytes = vec![0; len];
            for (page, bytes) in bytes.chunks_exact_mut(PAGE).enumerate() {
                bytes[..8].copy_from_slice(&page.to_le_bytes());
            }
            let before = ranks.sent().messages;
            ranks.send("large", 1, bytes)?;
            // The first piece, and one for each GiB that is begun.
            assert_eq!(ranks.sent().messages - before, 4);
        }
        1 => {
            let bytes = ranks.receive("large", 0)?;
            assert_eq!(bytes.len(), len);
            for (page, bytes) in bytes.chunks_exact(PAGE).enumerate() {
                assert!(bytes[..8] == page.to_le_bytes() && bytes[8..] == [0; PAGE - 8], "page {page}");
            }
            println!("{len} bytes have come");
        }
        _ => {}
    }
    ranks.barrier("end")
}

/// Views as messages, plans, and a checkpoint.
pub(crate) fn views(ranks: &Communicator) -> Result<()> {
    let (rank, size, space, n) = (ranks.rank(), ranks.size(), Serial::new(), 1000);
    let cuts: Vec<_> = (0..=size).map(|rank| n * rank / size).collect();
    let first = cuts[rank];
    let element = |i: usize, j: usize| 1.0 / (3 * i + j + 1) as f64;
    let rows = cuts[rank + 1] - first;
    let mut x = View::from_fn_in(Left, "x", [rows, 3], |[i, j]| element(first + i, j))?;
    let whole = View::from_fn("whole", [n, 3], |[i, j]| element(i, j))?;
    assert_eq!(ranks.all_gather_view("rows", &x)?, whole);
    let mut table = whole.to_host()?;
    if rank > 0 {
        table.fill(0.0);
    }
    ranks.broadcast_view("table", 0, &mut table)?;
    assert_eq!(table, whole);

    // Each rank contributes to rows of all ranks; the lists of all ranks are one list, divided.
    let wanted: Vec<_> = (2 * first..2 * cuts[rank + 1]).map(|number| number * number % n).collect();
    let plan = ranks.plan("rows", &space, &cuts, &wanted)?;
    let mut ghosts = View::<f64, 2>::zeros("ghosts", [plan.ghosts(), 3])?;
    plan.forward("rows", (&x, &mut ghosts))?;
    assert!(ghosts.indexed_iter().all(|([k, j], ghost)| *ghost == element(wanted[k], j)));
    plan.back("rows", (&ghosts, &mut x, Sum::<f64>::new()))?;
    let mut expected = whole;
    for number in 0..2 * n {
        let row = number * number % n;
        (0..3).for_each(|j| expected[[row, j]] += element(row, j));
    }
    assert_eq!(ranks.all_gather_view("sums", &x)?, expected, "the bits of one rank");

    // All ranks know the number of the process that names the folder.
    let name = ranks.broadcast("name", 0, std::process::id().to_le_bytes().to_vec())?;
    let folder = std::env::temp_dir().join(format!("spelt-ranks-{name:?}"));
    ranks.save(&folder, |checkpoint| checkpoint.array("x", &cuts, &x))?;
    let uneven: Vec<_> = (0..=size).map(|rank| n * rank * rank / size / size).collect();
    let part = ranks.restore(&folder)?.read_array::<f64, 2>("x", &uneven)?;
    assert!(part.indexed_iter().all(|([i, j], x)| *x == expected[[uneven[rank] + i, j]]));
    ranks.barrier("end")?;
    if rank == 0 {
        std::fs::remove_dir_all(folder).map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?;
    }
    Ok(())
}
