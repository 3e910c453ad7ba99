//! Arithmetic types of C (6.2.5) on an LP64 machine, their promotions and conversions (6.3.1).

use super::choices::Choices;

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Ty {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LLong,
    ULLong,
    Float,
    Double,
    LDouble,
    Complex,
}
use Ty::*;

impl Ty {
    /// Spellings of 6.7.2, the usual one first.
    fn spellings(self) -> &'static [&'static str] {
        match self {
            Bool => &["_Bool"],
            Char => &["char"],
            SChar => &["signed char", "char signed"],
            UChar => &["unsigned char", "char unsigned"],
            Short => &["short", "short int", "signed short", "int short signed"],
            UShort => &["unsigned short", "unsigned short int", "short unsigned"],
            Int => &["int", "signed", "signed int", "int signed"],
            UInt => &["unsigned", "unsigned int", "int unsigned"],
            Long => &["long", "long int", "int long", "signed long", "long signed int"],
            ULong => &["unsigned long", "unsigned long int", "long unsigned", "int long unsigned"],
            LLong => &["long long", "long long int", "long signed long"],
            ULLong => &["unsigned long long", "long long unsigned", "long unsigned int long"],
            Float => &["float"],
            Double => &["double"],
            LDouble => &["long double", "double long"],
            Complex => &["double _Complex", "_Complex double"],
        }
    }

    pub fn name(self) -> &'static str {
        self.spellings()[0]
    }

    pub fn spelled(self, choices: &mut Choices) -> &'static str {
        let all = self.spellings();
        if choices.chance(10) { choices.pick(all) } else { all[0] }
    }

    pub fn floating(self) -> bool {
        self >= Float
    }

    pub fn bits(self) -> u32 {
        match self {
            Bool => 1,
            Char | SChar | UChar => 8,
            Short | UShort => 16,
            Int | UInt => 32,
            _ => 64,
        }
    }

    pub fn signed(self) -> bool {
        matches!(self, Char | SChar | Short | Int | Long | LLong)
    }

    /// Least and greatest value of an integer type.
    pub fn range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    pub fn holds(self, low: i128, high: i128) -> bool {
        let (least, most) = self.range();
        least <= low && high <= most
    }

    /// 6.3.1.1: the integer promotions.
    pub fn promoted(self) -> Ty {
        if self < Int { Int } else { self }
    }

    /// 6.3.1.8: the usual arithmetic conversions.
    pub fn common(self, other: Ty) -> Ty {
        if self.floating() || other.floating() {
            // long double with complex double would be complex long double, which is not in the list.
            return self.max(other);
        }
        let (a, b) = (self.promoted(), other.promoted());
        let rank = |t: Ty| match t {
            Int | UInt => 0,
            Long | ULong => 1,
            _ => 2,
        };
        if a.signed() == b.signed() {
            return if rank(a) >= rank(b) { a } else { b };
        }
        let (s, u) = if a.signed() { (a, b) } else { (b, a) };
        if rank(u) >= rank(s) {
            return u;
        }
        if s.bits() > u.bits() {
            return s;
        }
        if s == Long { ULong } else { ULLong }
    }

    /// The letter that tells the harness how to fill and how to print.
    pub fn letter(self) -> char {
        match self {
            Bool => 'B',
            Char | SChar => 'c',
            UChar => 'C',
            Short => 's',
            UShort => 'S',
            Int => 'i',
            UInt => 'I',
            Long | LLong => 'l',
            ULong | ULLong => 'L',
            Float => 'f',
            Double => 'd',
            LDouble => 'x',
            Complex => 'z',
        }
    }
}
