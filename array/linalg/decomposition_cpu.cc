// The slots of decompositions with the CPU's kernels, by LAPACK.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/lapack.h"
#include "catena/array/core/parallel.h"
#include "catena/array/cpu/thread_limit.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/linalg/decomposition_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// Matrices that need at least this many multiplications are decomposed one
// after another with all threads, smaller ones in parallel.
constexpr int64_t kWorthThreads = int64_t{1} << 22;
// The minimum work per thread.
constexpr int64_t kGrain = int64_t{1} << 18;

// LAPACK uses 32-bit integers.
int to_lapack(int64_t value) {
  if (value > std::numeric_limits<int>::max()) {
    raise<ShapeError>("linalg: expected extents of at most ",
                      std::numeric_limits<int>::max(), ", got ", value);
  }
  return static_cast<int>(value);
}

// Calls decompose(i) for every matrix of the stack.
template <class Decompose>
void for_each_matrix(const StackArgs& args, int64_t work, Decompose decompose) {
  const cpu::ThreadLimit limit(get_num_threads());
  const auto range = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) args.status[i] = decompose(i);
  };
  if (args.batch == 1 || work >= kWorthThreads) return range(0, args.batch);
  catena::cpu::parallel_for(
      args.batch, std::max<int64_t>(1, kGrain / std::max<int64_t>(work, 1)),
      range);
}

template <class T>
T* matrix(char* stack, int64_t items, int64_t i) {
  return reinterpret_cast<T*>(stack) + i * items;
}
template <class T>
const T* matrix(const char* stack, int64_t items, int64_t i) {
  return reinterpret_cast<const T*>(stack) + i * items;
}

// Calls call(work, lwork) to query the workspace size, then with that
// workspace.
template <class T, class Call>
void with_workspace(Call call) {
  int lwork = to_lapack(cpu::wanted_workspace<T>(call));
  std::vector<T> work(static_cast<size_t>(lwork));
  call(work.data(), &lwork);
}

template <class T>
void compute(const LuArgs& args) {
  const int n = to_lapack(args.n);
  for_each_matrix(args, args.n * args.n * args.n, [&](int64_t i) {
    std::vector<int> pivots(static_cast<size_t>(n));
    int info = 0;
    cpu::Lapack<T>::getrf(&n, &n, matrix<T>(args.a, args.n * args.n, i), &n,
                          pivots.data(), &info);
    std::copy(pivots.begin(), pivots.end(), args.pivots + i * args.n);
    return info;
  });
}

template <class T>
void compute(const LuSolveArgs& args) {
  const int n = to_lapack(args.n);
  const int columns = to_lapack(args.columns);
  const char order = args.transposed ? 'T' : 'N';
  for_each_matrix(args, args.n * args.n * args.columns, [&](int64_t i) {
    std::vector<int> pivots(args.pivots + i * args.n,
                            args.pivots + (i + 1) * args.n);
    int info = 0;
    cpu::Lapack<T>::getrs(
        &order, &n, &columns, matrix<T>(args.lu, args.n * args.n, i), &n,
        pivots.data(), matrix<T>(args.b, args.n * args.columns, i), &n, &info);
    return info;
  });
}

template <class T>
void compute(const CholeskyArgs& args) {
  const int n = to_lapack(args.n);
  for_each_matrix(args, args.n * args.n * args.n / 3, [&](int64_t i) {
    const char triangle = 'U';
    int info = 0;
    cpu::Lapack<T>::potrf(&triangle, &n, matrix<T>(args.a, args.n * args.n, i),
                          &n, &info);
    return info;
  });
}

template <class T>
void compute(const QrArgs& args) {
  const int m = to_lapack(args.m);
  const int n = to_lapack(args.n);
  const int64_t k = std::min(args.m, args.n);
  for_each_matrix(args, args.m * args.n * k, [&](int64_t i) {
    int info = 0;
    with_workspace<T>([&](T* work, int* lwork) {
      cpu::Lapack<T>::geqrf(&m, &n, matrix<T>(args.a, args.m * args.n, i), &m,
                            matrix<T>(args.tau, k, i), work, lwork, &info);
    });
    return info;
  });
}

template <class T>
void compute(const FormQArgs& args) {
  const int m = to_lapack(args.m);
  const int columns = to_lapack(args.columns);
  const int reflections = to_lapack(args.reflections);
  const int64_t work_of_one = args.m * args.columns * args.reflections;
  for_each_matrix(args, work_of_one, [&](int64_t i) {
    int info = 0;
    with_workspace<T>([&](T* work, int* lwork) {
      cpu::Lapack<T>::orgqr(&m, &columns, &reflections,
                            matrix<T>(args.a, args.m * args.columns, i), &m,
                            matrix<T>(args.tau, args.reflections, i), work,
                            lwork, &info);
    });
    return info;
  });
}

template <class T>
void compute(const EighArgs& args) {
  const int n = to_lapack(args.n);
  const char job = args.has_vectors ? 'V' : 'N';
  const char triangle = args.reads_upper ? 'U' : 'L';
  for_each_matrix(args, 4 * args.n * args.n * args.n, [&](int64_t i) {
    int info = 0;
    int integers_wanted = 0;
    std::vector<int> integers;
    with_workspace<T>([&](T* work, int* lwork) {
      int liwork = -1;
      if (*lwork >= 0) {
        integers.resize(static_cast<size_t>(integers_wanted));
        liwork = integers_wanted;
      }
      cpu::Lapack<T>::syevd(
          &job, &triangle, &n, matrix<T>(args.a, args.n * args.n, i), &n,
          matrix<T>(args.values, args.n, i), work, lwork,
          *lwork < 0 ? &integers_wanted : integers.data(), &liwork, &info);
    });
    return info;
  });
}

template <class T>
void compute(const SvdArgs& args) {
  const int m = to_lapack(args.m);
  const int n = to_lapack(args.n);
  const bool is_full = args.u_columns == args.m;
  const char job = args.u_columns == 0 ? 'N' : is_full ? 'A' : 'S';
  for_each_matrix(args, 8 * args.m * args.n * args.n, [&](int64_t i) {
    std::vector<int> integers(static_cast<size_t>(8) * static_cast<size_t>(n));
    T* u = matrix<T>(args.u, args.m * args.u_columns, i);
    T* vt =
        args.u_columns == 0 ? nullptr : matrix<T>(args.vt, args.n * args.n, i);
    int info = 0;
    with_workspace<T>([&](T* work, int* lwork) {
      cpu::Lapack<T>::gesdd(&job, &m, &n, matrix<T>(args.a, args.m * args.n, i),
                            &m, matrix<T>(args.values, args.n, i), u, &m, vt,
                            &n, work, lwork, integers.data(), &info);
    });
    return info;
  });
}

}  // namespace

template <class Args, class T>
struct Loop<Decomposition<Args>, Decomposition<Args>, T> {
  static void run(const Args& args) { compute<T>(args); }
};

extern const std::tuple kDecompositionKernels = {
    register_kernels<Decomposition<LuArgs>>(),
    register_kernels<Decomposition<LuSolveArgs>>(),
    register_kernels<Decomposition<CholeskyArgs>>(),
    register_kernels<Decomposition<QrArgs>>(),
    register_kernels<Decomposition<FormQArgs>>(),
    register_kernels<Decomposition<EighArgs>>(),
    register_kernels<Decomposition<SvdArgs>>()};

}  // namespace catena::kernels::CATENA_BACKEND
