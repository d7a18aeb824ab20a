! Calls the kernel of axpy.rs, and compares its result with a loop.
program main
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_size_t
  implicit none

  interface
    function spelt_axpy(n, a, x, y) bind(c) result(status)
      import :: c_double, c_int, c_size_t
      integer(c_size_t), value :: n
      real(c_double), value :: a
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: y(*)
      integer(c_int) :: status
    end function spelt_axpy
  end interface

  integer(c_size_t), parameter :: n = 5000
  real(c_double) :: a, x(n), y(n), expected(n)

  print *, 'setting up arrays'
  call random_number(a)
  call random_number(x)
  call random_number(y)
  print *, 'performing an axpy in fortran'
  expected = y + a * x
  print *, 'performing an axpy with Spelt'
  if (spelt_axpy(n, a, x, y) /= 0) error stop 'spelt_axpy failed'
  if (norm2(y - expected) > 1.0e-14_c_double * norm2(expected)) then
    print *, 'FAILED f_y and c_y the same after axpys'
    print *, 'norm2(f_y-c_y)', norm2(expected - y)
    print *, '(1.0e-14)*norm2(f_y)', 1.0e-14_c_double * norm2(expected)
    error stop
  end if
  print *, 'PASSED f_y and c_y the same after axpys'
end program main
