#pragma once

// OpenBLAS includes LAPACK, so its Fortran routines are called directly:
// LAPACKE would be another library, linked to another BLAS.
#include <lapack.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace catena::cpu {

// The routines of a precision.
template <class T>
struct Lapack;

template <>
struct Lapack<float> {
  static constexpr auto getrf = [](auto... a) { LAPACK_sgetrf(a...); };
  static constexpr auto getrs = [](auto... a) { LAPACK_sgetrs(a...); };
  static constexpr auto potrf = [](auto... a) { LAPACK_spotrf(a...); };
  static constexpr auto geqrf = [](auto... a) { LAPACK_sgeqrf(a...); };
  static constexpr auto orgqr = [](auto... a) { LAPACK_sorgqr(a...); };
  static constexpr auto syevd = [](auto... a) { LAPACK_ssyevd(a...); };
  static constexpr auto gesdd = [](auto... a) { LAPACK_sgesdd(a...); };
  static constexpr auto gesvd = [](auto... a) { LAPACK_sgesvd(a...); };
};

template <>
struct Lapack<double> {
  static constexpr auto getrf = [](auto... a) { LAPACK_dgetrf(a...); };
  static constexpr auto getrs = [](auto... a) { LAPACK_dgetrs(a...); };
  static constexpr auto potrf = [](auto... a) { LAPACK_dpotrf(a...); };
  static constexpr auto geqrf = [](auto... a) { LAPACK_dgeqrf(a...); };
  static constexpr auto orgqr = [](auto... a) { LAPACK_dorgqr(a...); };
  static constexpr auto syevd = [](auto... a) { LAPACK_dsyevd(a...); };
  static constexpr auto gesdd = [](auto... a) { LAPACK_dgesdd(a...); };
  static constexpr auto gesvd = [](auto... a) { LAPACK_dgesvd(a...); };
};

// The number of elements, at least 1, that a routine wants as its workspace:
// call(work, lwork) asks for it.
template <class T, class Call>
int64_t wanted_workspace(Call call) {
  T wanted = 0;
  int lwork = -1;
  call(&wanted, &lwork);
  // A float cannot represent every size, so round up.
  const auto size = static_cast<int64_t>(
      static_cast<double>(wanted) * (1 + std::numeric_limits<T>::epsilon()));
  return std::max<int64_t>(size, 1);
}

}  // namespace catena::cpu
