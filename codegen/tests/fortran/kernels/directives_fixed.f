C     Directives of the fixed form are comments, too.
      SUBROUTINE KERNEL(N, A, B)
      INTEGER N, I, J
      DOUBLE PRECISION A(0:N,N), B(0:N,N)
C$OMP PARALLEL DO PRIVATE(I)
C$OMP+SHARED(A)
*$dvm region
c$omp do
      DO 20 J = 1, N
!$    A(1,1) = 5
C$      A(2,2) = 5
*$OMP SIMD
        DO 10 I = 1, N
          A(I,J) = B(I-1,J)
C$   &      + 7
     &      *0.5D0
   10   CONTINUE
C$DIR NO_RECURRENCE
   20 CONTINUE
C$OMP END PARALLEL DO
      END

      PROGRAM MAIN
      INTEGER I, J
      DOUBLE PRECISION A(0:30,30), B(0:30,30)
      DO 20 J = 1, 30
        DO 10 I = 0, 30
          A(I,J) = I + J
          B(I,J) = I*0.7D0 - J
   10   CONTINUE
   20 CONTINUE
      CALL KERNEL(30, A, B)
      PRINT '(8Z17.16)', A
      END
