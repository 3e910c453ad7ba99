! Loops that end at a label, with an action there, or several at one.
      subroutine loops(a, b, n, w, x)
      integer n, i, j, k
      real*8 a(n), b(n,n), w(n), x, s
!$dvm region
      do 100 i = 1, n
 100  a(i) = a(i)**2 + i
!$dvm region
      do 200 j = 1, n
      do 200 i = 1, n
      b(i,j) = b(i,j)*2
 200  if (b(i,j) .gt. 5) b(i,j) = b(i,j) - w(i)
!$dvm region
      do 300 j = 1, n
      s = 0
      do 310 i = 1, n
  310 s = s + b(i,j)
  300 w(j) = s
!$dvm region
      do 400, k = 1, n, 2
        do 400 i = 1, n
          if (i .gt. k) then
             b(i,k) = b(i,k) + 1
          end if
  400 b(i,k) = b(i,k)
     &  + 0.5d0
      x = 0
!$dvm region reduction(max:x)
      do 500 i = 1, n
  500 if (a(i) .gt. x) x = a(i)
!$dvm region
      do 600 i = 1, n
      a(i) = a(i)*0.5d0
  600 if (a(i) .lt. 40) call more(a(i))
      end
      subroutine more(x)
      real*8 x
      x = x + 1
      end
      program main
      integer i, j, n
      real*8 a(31), b(31*31), w(31), x
      do 10 n = 1, 31, 5
      do 20 i = 1, n
      a(i) = i*0.25d0
   20 w(i) = 31 - i
      do 30 i = 1, n*n
   30 b(i) = i*0.125d0
      call loops(a, b, n, w, x)
      do 40 i = 1, n
   40 print *, a(i), w(i), x
   10 print *, (b(i), i = 1, n*n)
      end
