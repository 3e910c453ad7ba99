c     Fixed form: external subroutines with COMMON, implicit types and calls within calls.
      subroutine kernel(n)
      common /grid/ u(5,40,40), rhs(5,40,40), fjac(5,5,40), dt, m
      integer n
c$dvm region name(solve)
      do 20 j = 2, n - 1
         do 10 i = 2, n - 1
            call point(i, j)
            call scale(u(1,i,j), rhs(1,i,j), dt*0.5)
   10    continue
         call factor(fjac(1,1,j), rhs(1,2,j))
         call factor(fjac(1,1,j),
     &               rhs(1,3,j))
   20 continue
      end

      subroutine point(i, j)
      common /grid/ u(5,40,40), rhs(5,40,40), fjac(5,5,40), dt, m
      do k = 1, m
         rhs(k,i,j) = rhs(k,i,j) + dt*(u(k,i-1,j) - u(k,i,j) + k)
      end do
      return
      end

      subroutine scale(x, y, f)
      dimension x(5), y(*)
      do 10 k = 1, 5
         y(k) = y(k)*f
         if (y(k) .gt. 4.0) then
            y(k) = x(k)*0.25
         end if
   10 continue
      return
      end

      subroutine factor(a, b)
      real a(5,5), b(5), piv
      piv = 1.0/(a(1,1) + 2.0)
      do k = 1, 5
         a(1,k) = a(1,k)*piv
      end do
      call times(a, b, -0.5)
      end

      subroutine times(a, b, s)
      real a(5,5), b(5), s
      do k = 2, 5
         b(k) = b(k) + a(1,k)*b(1)*s
      end do
      end

      program main
      common /grid/ u(5,40,40), rhs(5,40,40), fjac(5,5,40), dt, m
      do j = 1, 40
         do i = 1, 40
            do k = 1, 5
               u(k,i,j) = mod(i*7 + j*3 + k, 13)*0.1
               rhs(k,i,j) = mod(i + j*5, 11)*0.2 - 1
            end do
         end do
         do k = 1, 5
            do l = 1, 5
               fjac(k,l,j) = mod(k*l + j, 7)*0.3
            end do
         end do
      end do
      dt = 0.3
      m = 5
      call kernel(40)
      print '(8z9.8)', rhs, fjac
      end
