C     Fixed form, implicit types and COMMON.
      SUBROUTINE KERNEL(N)
      PARAMETER (M = 40)
      COMMON /FIELD/ U(M,M), P(M,M), CU(M,M)
      COMMON /OTHER/ DT, Z(0:M)
c$dvm region
      DO 100 J = 1, N
      DO 90 I = 1, N
        CU(I+1,J) = .5*(P(I+1,J) + P(I,J))
     1    *U(I+1,J)
        Z(J) = Z(J)
     &    + DT
   90 CONTINUE
  100 CONTINUE
      END

      PROGRAM MAIN
      PARAMETER (M = 40)
      COMMON /FIELD/ U(M,M), P(M,M), CU(M,M)
      COMMON /OTHER/ DT, Z(0:M)
      DT = 0.1
      DO 20 J = 1, M
      Z(J) = J
      DO 10 I = 1, M
        U(I,J) = I + 0.1*J
        P(I,J) = J - 0.3*I
        CU(I,J) = 0
   10 CONTINUE
   20 CONTINUE
      Z(0) = 0
      CALL KERNEL(31)
      PRINT '(8Z9.8)', CU, Z
      END
