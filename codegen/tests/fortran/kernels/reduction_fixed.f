      subroutine kernel(n, a, norm)
      integer n, i, j
      real*8 a(n,n), norm(2)
      real*8 rms, add
      common /sums/ rms
      rms = 0
c$dvm region reduction(+:rms) private(add)
      do 20 j = 1, n
        do 10 i = 1, n
          add = a(i,j) - 2
          rms = rms +
     &          add*add
   10   continue
   20 continue
      norm(1) = rms
      norm(2) = n
      end

      program main
      integer n, i, j
      real*8 a(30,30), norm(2)
      do n = 1, 30, 1
        do j = 1, 30
          do i = 1, 30
            a(i,j) = mod(i*n + j, 9)*0.5d0
          end do
        end do
        call kernel(n, a, norm)
        print '(2z17.16)', norm
        print '(z17.16)', a(1,1), a(2,1), a(3,2), a(4,4)
      end do
      end
