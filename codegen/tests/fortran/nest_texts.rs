//! What drawn nests of Fortran share: types, variables and functions.

/// What the nests' module declares.
pub(super) const DECLARED: &str = "  type thing
    integer :: n, m, list(-1:0)
    real(8), allocatable :: u(:,:)
    real(8), pointer :: v(:,:)
    real(8) :: edge(-32:64)
    integer :: k(-30:60)
  end type
  type(thing), target :: one
  type(thing), allocatable :: two(:)
  integer :: sizes(0:3)
  real(8), parameter :: half = 0.5d0
  logical, parameter :: never = .false.
  interface
    real(8) function outside(x, is_small)
      real(8), intent(in) :: x
      logical, intent(in) :: is_small
    end function
    logical function beyond(x) bind(c, name='Beyond')
      real(8), value :: x
    end function
  end interface
";

/// Functions outside of the module.
pub(super) const OUTSIDE: &str = "real(8) function outside(x, is_small)
  real(8), intent(in) :: x
  logical, intent(in) :: is_small
  outside = x*0.5d0
  if (is_small) outside = outside + 0.0625d0
end function
logical function beyond(x) bind(c, name='Beyond')
  real(8), value :: x
  x = x*2
  beyond = x > 1.25d0
end function
";

/// What it has besides nests: functions that nests call.
pub(super) const FUNCTIONS: &str = "  elemental real(8) function bent(x, y)
    real(8), intent(in) :: x, y
    real(8) :: d
    d = x - y
    if (d > 0.125d0) then
      bent = softened(d)*half
    else
      bent = d*0.25d0
    end if
  end function
  pure elemental function softened(x) result(z)
    real(8), intent(in) :: x
    real(8) :: z
    z = x/(1.5d0 + abs(x))
    return
  end function
  elemental real(8) function crooked(x, k)
    real(8), intent(in) :: x
    integer, intent(in) :: k
    real(8) :: parts(2)
    parts = [x*0.5d0, mod(k, 5)*0.0625d0]
    crooked = sum(parts)
  end function
  integer function folded(i, times)
    integer :: i, times, at
    folded = i
    do at = 1, times
      if (mod(folded, 2) == 0) then
        folded = folded/2
      else
        folded = folded + at
      end if
    end do
  end function
";
