subroutine kernel(n, speed, level, out, taken)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: speed(n,n), level(-1:n+2,n)
  real(8), intent(inout) :: out(n,n)
  integer, intent(inout) :: taken(n,n)
  real(8) :: slope, low, high
  integer :: i, j, from
  !$dvm region
  do j = 1, n
    do i = 1, n
      if (speed(i,j) > 0) then
        from = i - 1
        low = level(i,j)
      else
        from = i + 1
        low = level(i+1,j)
      end if
      if (low*level(from,j) > 0) then
        slope = sign(1.0d0, level(from,j))*min(abs(low), abs(level(from,j)), 0.5d0*abs(low - level(i,j))*0.75d0 + 1.5d0)
      else
        slope = 0
      end if
      out(i,j) = max(out(i,j)*0.5d0, level(from,j) + slope, (level(i+2,j) + level(i-1,j))*0.125d0 + slope*speed(i,j))
      taken(i,j) = from
    end do
  end do
  !$dvm region
  do j = 2, n
    do i = 1, n
      if (taken(i,j) > i) then
        from = i
      else if (taken(i,j) < 0) then
        from = 1
      else
        from = n
      end if
      out(i,j) = out(i,j) + min(speed(from,j), max(out(i,j-1), 0.25d0))
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      taken(i,j) = max(taken(i,j), 3*i - j, taken(i,j)*2 - 7, mod(taken(i,j), 5)*11, 4*j - taken(i,j), taken(i,j)/3 + j, &
                       i*j - 40, taken(i,j) - 2*i, 17 - taken(i,j), taken(i,j)*3 - 2*j, 5*taken(i,j) - 60, &
                       min(taken(i,j), 9*j), 12 - i*taken(i,j), taken(i,j)*taken(i,j)/50, 8*taken(i,j) - 300)
    end do
  end do
end subroutine

program main
  implicit none
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 45]
  integer :: one
  do one = 1, 6
    call run(sizes(one))
  end do
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: speed(n,n), level(-1:n+2,n), out(n,n)
    integer :: taken(n,n), x, y
    do y = 1, n
      do x = 1, n
        speed(x,y) = mod(5*x + 3*y, 17)*0.1d0 - 0.75d0
        out(x,y) = 1.0d0/(x + 2*y)
      end do
      do x = -1, n + 2
        level(x,y) = mod(3*x*x + 7*y, 13)*0.2d0 - 1.1d0
      end do
    end do
    taken = 0
    call kernel(n, speed, level, out, taken)
    print '(4z17.16)', out
    print '(12i6)', taken
  end subroutine
end program
