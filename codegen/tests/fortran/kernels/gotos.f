      subroutine kernel(n, a, k)
      integer n, k(n,n)
      real*8 a(n,n)
      common /flags/ wet(60), deep
      logical wet, deep
      integer i, j
c     Two loops that end at one label, and jumps to it.
c$dvm region
      do 30 j = 1, n
      do 30 i = 1, n
        if (k(i,j) .gt. 3) goto 30
        if (k(j,j) .eq. 2) then
          a(i,j) = a(i,j) - 1
          if (a(i,j) .lt. 0.d0) go to 30
          a(i,j) = 2*a(i,j)
        end if
        a(i,j) = a(i,j) + i
   30 continue
c     Past some statements, out of a block, and out of a branch of cases.
c$dvm region
      do 60 j = n, 1, -1
        if (wet(j)) goto 40
        a(1,j) = a(1,j) + 0.5d0
   40   a(1,j) = a(1,j)*0.25d0
        do 50 i = 2, n
          select case (k(i,j) + 1)
          case (2)
            a(i,j) = 3
            goto 45
          case (4:)
            if (.not. deep) goto 48
            a(i,j) = -a(i,j)
          end select
          a(i,j) = a(i,j) + 0.125d0
   45     a(i,j) = a(i,j)*0.5d0
   48     if (a(i,j) .gt. 1.d0) a(i,j) = 1
   50   continue
   60 continue
c     Of each case of a logical value.
c$dvm region
      do 80 j = 1, n
        select case (wet(j))
        case (.true.)
          a(1,j) = a(1,j) + 1
        case (.false.)
          a(n,j) = a(n,j) - 1
        end select
        select case (.not. wet(j) .or. k(1,j) .gt. 2)
        case default
          a(1,j) = a(1,j)*2
        case (.true.)
          a(1,j) = a(1,j)*3
        end select
   80 continue
c$dvm region
      do 90 j = 1, n
        wet(j) = a(1,j) .gt. a(n,j)
   90 continue
      end

      program main
      common /flags/ wet(60), deep
      logical wet, deep
      integer n, i, j, k(45,45)
      real*8 a(45,45)
      do 20 n = 1, 45, 11
        deep = mod(n, 2) .eq. 0
        do 10 j = 1, n
          wet(j) = mod(j, 3) .eq. 1
          do 10 i = 1, n
            a(i+(j-1)*n-(i+(j-1)*n-1)/45*45,(i+(j-1)*n-1)/45+1) =
     &        mod(7*i + 3*j, 13)*0.25d0 - 1
            k(i+(j-1)*n-(i+(j-1)*n-1)/45*45,(i+(j-1)*n-1)/45+1) =
     &        mod(3*i + 5*j, 7)
   10   continue
        call kernel(n, a, k)
        print '(4z17.16)', (a(i-(i-1)/45*45,(i-1)/45+1), i = 1, n*n)
        print '(30z3)', (wet(j), j = 1, n)
   20 continue
      end
