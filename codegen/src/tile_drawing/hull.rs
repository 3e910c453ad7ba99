//! Convex hulls in the plane.

/// The corners of the convex hull of `points`, counter-clockwise (Andrew's monotone chain).
pub(super) fn hull(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut corners = half(sorted.iter());
    corners.pop();
    corners.extend(half(sorted.iter().rev()));
    corners.pop();
    corners
}

/// One chain of the hull: only left turns.
fn half<'a>(points: impl std::iter::Iterator<Item = &'a (f64, f64)>) -> Vec<(f64, f64)> {
    let mut side: Vec<(f64, f64)> = Vec::new();
    for &c in points {
        while let [.., a, b] = side[..] {
            if (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0) > 0.0 {
                break;
            }
            side.pop();
        }
        side.push(c);
    }
    side
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_with_points_inside_and_on_the_edge() {
        let points = [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (1.0, 0.0), (2.0, 2.0), (0.0, 2.0)];
        assert_eq!(hull(&points), [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]);
    }

    #[test]
    fn points_on_a_line_keep_the_ends() {
        assert_eq!(hull(&[(0.0, 0.0), (2.0, 2.0), (1.0, 1.0)]), [(0.0, 0.0), (2.0, 2.0)]);
        assert_eq!(hull(&[(1.0, 1.0), (1.0, 1.0)]), [(1.0, 1.0)]);
    }
}
