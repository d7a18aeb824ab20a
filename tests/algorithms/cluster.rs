//! Clusters of points on a grid.

use spelt::ErrorKind;
use spelt::algorithms::{
    cluster_centroids, cluster_order, cluster_order_and_ranges, cluster_ranges, grid_cluster,
};

use crate::equal::noise;

#[test]
fn points_share_a_label_where_they_share_a_cell() {
    // Case 21.
    assert_eq!(
        grid_cluster(&[[0.0_f32], [0.1], [0.9], [0.05], [0.5]], [0.2]).expect("finite"),
        [0, 0, 2, 0, 1]
    );
    assert_eq!(grid_cluster(&[[0.5, 1024.5], [1.5, 0.5]], [1.0, 1.0]).expect("finite"), [0, 1]);
    assert_eq!(grid_cluster(&[[-0.5], [0.5], [-1.0], [-0.0]], [1.0]).expect("finite"), [0, 1, 0, 1]);
    assert_eq!(grid_cluster::<f64, 3>(&[], [1.0; 3]).expect("nothing"), [0; 0]);
    let points: Vec<[f64; 3]> =
        (0..2000).map(|i| [noise(i), noise(i + 3000), noise(i + 6000)].map(|x| 4.0 * x)).collect();
    let size = [0.5, 2.0, 0.75];
    let cells: Vec<[i64; 3]> =
        points.iter().map(|point| std::array::from_fn(|d| (point[d] / size[d]).floor() as i64)).collect();
    let mut distinct = cells.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let labels = grid_cluster(&points, size).expect("finite");
    for (label, cell) in labels.iter().zip(&cells) {
        assert_eq!(distinct[*label], *cell);
    }
    // A box around these has more cells than memory.
    let apart = [[1e15, 0.0], [-1e15, 5.0], [1e15, 0.5], [-1e15, -1e15], [0.0, 0.0]];
    assert_eq!(grid_cluster(&apart, [1.0, 1.0]).expect("finite"), [3, 1, 3, 0, 2]);
}

#[test]
fn labels_beyond_the_number_of_points_have_an_order() {
    assert_eq!(cluster_order(&[usize::MAX, 4, 0, 4, usize::MAX, 0]), [2, 5, 1, 3, 0, 4]);
    assert_eq!(cluster_order(&[2, 1, 2]), [1, 0, 2]);
    assert_eq!(cluster_order(&[3, 1, 3]), [1, 0, 2]);
    assert_eq!(cluster_order(&[]), [0; 0]);
    // The counts grow with the labels, up to the number of points.
    assert_eq!(cluster_order(&[0, 1, 7, 2, 7, 0, 3, 6]), [0, 5, 1, 3, 6, 7, 2, 4]);
    assert_eq!(cluster_order(&[0, 1, 8, 2, 8, 0, 3, 6]), [0, 5, 1, 3, 6, 7, 2, 4]);
}

#[test]
fn order_ranges_and_centroids_agree_with_the_labels() {
    let labels: Vec<usize> =
        (0..500).map(|i| ((noise(i) + 1.0) * 10.0) as usize).filter(|&k| k != 7).collect();
    let points: Vec<[f32; 2]> = (0..labels.len()).map(|i| [noise(i) as f32, i as f32]).collect();
    let order = cluster_order(&labels);
    let sorted: Vec<[f32; 2]> = order.iter().map(|&i| points[i]).collect();
    let ranges = cluster_ranges(&labels, 21).expect("labels below 21");
    assert_eq!(
        cluster_order_and_ranges(&labels, 21).expect("labels below 21"),
        (order.clone(), ranges.clone())
    );
    let means = cluster_centroids(&sorted, None, &ranges).expect("as many");
    assert_eq!((ranges.len(), ranges[20].clone()), (21, labels.len()..labels.len()));
    for (k, range) in ranges.iter().enumerate() {
        let members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == k).collect();
        assert_eq!(order[range.clone()], members, "the order is stable");
        match means[k] {
            None => assert!(members.is_empty()),
            Some((mean, weight)) => {
                assert_eq!(weight, members.len() as f32);
                let exact =
                    members.iter().map(|&i| f64::from(points[i][0])).sum::<f64>() / members.len() as f64;
                assert_eq!(mean[0], exact as f32);
            }
        }
    }
    assert!(ranges[7].is_empty() && means[7].is_none());
}

#[test]
fn what_has_no_cell_no_cluster_or_no_mean() {
    for (points, size) in [([[f64::NAN]], 1.0), ([[f64::INFINITY]], 1.0), ([[1e300]], 1e-9)] {
        let error = grid_cluster(&points, [size]).expect_err("no cell");
        assert!(error.kind() == ErrorKind::Format && error.to_string().contains("point 0"), "{error}");
    }
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(grid_cluster(&[[0.0]], [size]).expect_err("no size").kind(), ErrorKind::Format);
    }
    assert_eq!(cluster_ranges(&[0, 3], 3).expect_err("3 is not below 3").kind(), ErrorKind::Extents);
    assert_eq!(cluster_ranges(&[], usize::MAX).expect_err("too many").kind(), ErrorKind::OutOfMemory);
    assert_eq!(cluster_ranges(&[], 2).expect("empty"), [0..0, 0..0]);
    let both = |labels: &[usize], count| cluster_order_and_ranges(labels, count);
    let error = both(&[0, 3], 3).expect_err("3 is not below 3");
    assert!(
        error.kind() == ErrorKind::Extents && error.to_string().contains("the label of point 1 is 3"),
        "{error}"
    );
    assert_eq!(both(&[], usize::MAX).expect_err("too many").kind(), ErrorKind::OutOfMemory);
    assert_eq!(both(&[], 2).expect("empty"), (vec![], vec![0..0, 0..0]));
    let centroids =
        |weights, end| cluster_centroids(&[[1.0], [3.0]], weights, std::slice::from_ref(&(0..end)));
    assert_eq!(centroids(Some(&[1.0, -1.0]), 2).expect("as many"), [None]);
    assert_eq!(centroids(Some(&[1.0, 3.0]), 2).expect("as many"), [Some(([2.5], 4.0))]);
    assert_eq!(centroids(Some(&[1.0]), 2).expect_err("one weight").kind(), ErrorKind::Extents);
    assert_eq!(centroids(None, 3).expect_err("three points").kind(), ErrorKind::Extents);
}
