//! Convex hulls in the plane, and how far apart they are.

type Place = (f64, f64);

/// The corners of the convex hull of `points`, counter-clockwise (Andrew's monotone chain).
pub(super) fn hull(points: &[Place]) -> Vec<Place> {
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
fn half<'a>(points: impl std::iter::Iterator<Item = &'a Place>) -> Vec<Place> {
    let mut side: Vec<Place> = Vec::new();
    for &c in points {
        while let [.., a, b] = side[..] {
            if turn(a, b, c) > 0.0 {
                break;
            }
            side.pop();
        }
        side.push(c);
    }
    side
}

/// The distance between two hulls; 0 if they share a point. A hull without corners is infinitely far away.
pub(super) fn distance(one: &[Place], other: &[Place]) -> f64 {
    if other.first().is_some_and(|place| is_inside(one, *place))
        || one.first().is_some_and(|place| is_inside(other, *place))
    {
        return 0.0;
    }
    let pairs = edges(one).flat_map(|a| edges(other).map(move |b| (a, b)));
    pairs.map(|(a, b)| edge_distance(a, b)).fold(f64::INFINITY, f64::min)
}

/// The edges of a hull; of a point, the point as an edge.
fn edges(corners: &[Place]) -> impl std::iter::Iterator<Item = (Place, Place)> + '_ {
    corners.iter().enumerate().map(|(k, &corner)| (corner, corners[(k + 1) % corners.len()]))
}

/// Whether a place is inside a hull, or on its border.
fn is_inside(corners: &[Place], place: Place) -> bool {
    corners.len() > 2 && edges(corners).all(|(from, to)| turn(from, to, place) >= 0.0)
}

/// Twice the area of the triangle; positive if it turns left.
fn turn(a: Place, b: Place, c: Place) -> f64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

fn edge_distance(one: (Place, Place), other: (Place, Place)) -> f64 {
    let apart = |(a, b): (Place, Place), (c, d): (Place, Place)| turn(a, b, c) * turn(a, b, d) >= 0.0;
    if !apart(one, other) && !apart(other, one) {
        return 0.0;
    }
    let ends = [(one.0, other), (one.1, other), (other.0, one), (other.1, one)];
    ends.into_iter().map(|(place, edge)| place_distance(place, edge)).fold(f64::INFINITY, f64::min)
}

/// The distance between a place and an edge.
fn place_distance(place: Place, (from, to): (Place, Place)) -> f64 {
    let (along, reach) = ((to.0 - from.0, to.1 - from.1), (place.0 - from.0, place.1 - from.1));
    let length = along.0.mul_add(along.0, along.1 * along.1);
    let share = if length > 0.0 { (along.0.mul_add(reach.0, along.1 * reach.1) / length).clamp(0.0, 1.0) } else { 0.0 };
    share.mul_add(-along.0, reach.0).hypot(share.mul_add(-along.1, reach.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_far(expected: f64, found: f64) {
        assert!((expected - found).abs() < 1e-12, "{found}, expected {expected}");
    }

    #[test]
    fn distances_of_hulls() {
        let square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)];
        is_far(3.0, distance(&square, &[(5.0, 1.0)]));
        is_far(5.0, distance(&[(5.0, 6.0)], &square));
        is_far(0.0, distance(&square, &[(1.0, 1.0)]));
        is_far(0.0, distance(&square, &[(-1.0, 1.0), (3.0, 1.0)])); // a line across
        is_far(1.0, distance(&square, &[(3.0, -1.0), (3.0, 4.0)]));
        is_far(0.0, distance(&square, &square));
        assert!(distance(&square, &[]).is_infinite());
    }

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
