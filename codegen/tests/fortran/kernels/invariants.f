C     Bounds and subscripts with elements of arrays in COMMON.
      SUBROUTINE KERNEL(NC)
      INTEGER NC, I, J, K, M, GP(3)
      DOUBLE PRECISION U(5,0:11,0:11,0:11), RHS(5,0:11,0:11,0:11), DT
      COMMON /GLOBAL/ GP, DT
      COMMON /FIELDS/ U, RHS
c$dvm region
      DO K = 1, GP(3)-2
        DO J = 1, GP(2)-2
          DO I = GP(NC)-9, GP(1)-2
            DO M = 1, 5
              U(M,I,J,K) = U(M,I,J,K) + RHS(M,I,J,K)*DT
              RHS(M,I,J,K) = RHS(M,I,J,GP(1)-1)
            END DO
          END DO
        END DO
      END DO
      END

      PROGRAM MAIN
      INTEGER I, J, K, M, GP(3)
      DOUBLE PRECISION U(5,0:11,0:11,0:11), RHS(5,0:11,0:11,0:11), DT
      COMMON /GLOBAL/ GP, DT
      COMMON /FIELDS/ U, RHS
      GP(1) = 10
      GP(2) = 11
      GP(3) = 12
      DT = 0.1D0
      DO K = 0, 11
        DO J = 0, 11
          DO I = 0, 11
            DO M = 1, 5
              U(M,I,J,K) = M + 0.1D0*I - J*K
              RHS(M,I,J,K) = M*0.01D0 + I*J - 0.3D0*K
            END DO
          END DO
        END DO
      END DO
      CALL KERNEL(1)
      PRINT '(8Z17.16)', U
      END
