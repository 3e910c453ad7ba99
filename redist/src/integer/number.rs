//! Integer arithmetic with range checks: 64-bit values, 128-bit intermediates.

/// Largest magnitude of any coordinate, offset, coefficient or count.
pub const LIMIT: i64 = 1 << 62;

/// Narrows a 128-bit intermediate; `None` if its magnitude exceeds [`LIMIT`].
pub fn narrow(value: i128) -> Option<i64> {
    if value.unsigned_abs() <= LIMIT.unsigned_abs().into() { i64::try_from(value).ok() } else { None }
}

/// Greatest common divisor, never negative; `gcd(0, 0)` is 0.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(i64::MAX)
}

/// The quotient rounded towards minus infinity, for a positive divisor.
pub fn floor_div(a: i128, d: i128) -> i128 {
    debug_assert!(d > 0);
    a.div_euclid(d)
}

/// The quotient rounded towards plus infinity, for a positive divisor.
pub fn ceil_div(a: i128, d: i128) -> i128 {
    -floor_div(-a, d)
}

/// `(g, x, y)` with `a*x + b*y == g == gcd(a, b) >= 0`.
pub fn extended_gcd(a: i128, b: i128) -> (i128, i128, i128) {
    let (mut r0, mut r1) = (a, b);
    let (mut x0, mut x1, mut y0, mut y1) = (1, 0, 0, 1);
    while r1 != 0 {
        let q = r0.div_euclid(r1);
        (r0, r1) = (r1, r0 - q * r1);
        (x0, x1) = (x1, x0 - q * x1);
        (y0, y1) = (y1, y0 - q * y1);
    }
    if r0 < 0 { (-r0, -x0, -y0) } else { (r0, x0, y0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_round_the_right_way_for_negative_operands() {
        assert_eq!((floor_div(-7, 2), ceil_div(-7, 2)), (-4, -3));
        assert_eq!((floor_div(7, 2), ceil_div(7, 2)), (3, 4));
    }

    #[test]
    fn extended_gcd_is_a_bezout_identity() {
        for a in -12..=12 {
            for b in -12..=12 {
                let (g, x, y) = extended_gcd(a, b);
                assert_eq!((a * x + b * y, g), (g, i128::from(gcd(a as i64, b as i64))));
            }
        }
    }

    #[test]
    fn narrowing_stops_at_two_to_the_62() {
        assert_eq!(narrow(1 << 62), Some(LIMIT));
        assert_eq!(narrow((1 << 62) + 1), None);
        assert_eq!(narrow(-(1 << 62) - 1), None);
    }
}
