// The slots of decompositions on CUDA, by cuSOLVER, which is column-major like
// the slots.

#include <cusolverDn.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/linalg/decomposition_kernel.h"
#include "catena/cuda/cusolver_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/record_or_wait.h"
#include "catena/cuda/stream.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace catena::cuda;  // NOLINT(google-build-using-namespace)

template <class T>
constexpr cudaDataType kType =
    std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

template <class T>
T* matrix(char* stack, int64_t items, int64_t i) {
  return reinterpret_cast<T*>(stack) + i * items;
}
template <class T>
const T* matrix(const char* stack, int64_t items, int64_t i) {
  return reinterpret_cast<const T*>(stack) + i * items;
}

// The older API uses 32-bit integers.
int to_int(int64_t value) {
  if (value > std::numeric_limits<int>::max()) {
    raise<ShapeError>("linalg: expected extents of at most ",
                      std::numeric_limits<int>::max(), " on CUDA, got ", value);
  }
  return static_cast<int>(value);
}

// The arguments common to all calls of a slot.
class Call {
 public:
  explicit Call(const StackArgs& args)
      : device_(args.device.index()),
        guard_(device_),
        handle_(cusolver_handle(device_)),
        status_(args.status) {
    check(cusolverDnCreateParams(&params_), "cusolverDnCreateParams");
  }
  ~Call() { static_cast<void>(cusolverDnDestroyParams(params_)); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  int device() const { return device_; }
  cusolverDnHandle_t handle() const { return handle_; }
  // Default parameters, which the 64-bit API requires as an object.
  cusolverDnParams_t params() const { return params_; }
  int* status(int64_t i) const { return status_ + i; }

 private:
  int device_;
  DeviceGuard guard_;
  cusolverDnHandle_t handle_;
  cusolverDnParams_t params_ = nullptr;
  int* status_;
};

// Device and host workspace for the 64-bit API, reused for all matrices. The
// work that is submitted may still use both when the call returns.
class Workspace {
 public:
  Workspace(int device, size_t on_device, size_t on_host)
      : device_(static_cast<int64_t>(on_device), device) {
    if (on_host > 0) host_.emplace(static_cast<int64_t>(on_host));
  }
  ~Workspace() {
    if (!host_) return;
    const int device = device_.device();
    free_after_work(std::move(*host_), device, current_stream(device));
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  void* on_device() const { return device_.ptr(); }
  size_t device_bytes() const { return static_cast<size_t>(device_.size()); }
  void* on_host() const { return host_ ? host_->ptr() : nullptr; }
  size_t host_bytes() const {
    return host_ ? static_cast<size_t>(host_->size()) : 0;
  }

 private:
  Memory device_;
  std::optional<PinnedMemory> host_;
};

// A kernel, since a copy from the host's memory could not be captured.
template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    list_matrices(T* first, int64_t items, T** list, int64_t count) {
  for (int64_t i = first_item(); i < count; i += item_step()) {
    list[i] = first + i * items;
  }
}

template <class T>
void compute(const LuArgs& args) {
  const Call call(args);
  const int64_t items = args.n * args.n;
  size_t on_device = 0;
  size_t on_host = 0;
  check(cusolverDnXgetrf_bufferSize(call.handle(), call.params(), args.n,
                                    args.n, kType<T>, args.a, args.n, kType<T>,
                                    &on_device, &on_host),
        "cusolverDnXgetrf_bufferSize");
  Workspace work(call.device(), on_device, on_host);
  for (int64_t i = 0; i < args.batch; ++i) {
    check(cusolverDnXgetrf(call.handle(), call.params(), args.n, args.n,
                           kType<T>, matrix<T>(args.a, items, i), args.n,
                           args.pivots + i * args.n, kType<T>, work.on_device(),
                           work.device_bytes(), work.on_host(),
                           work.host_bytes(), call.status(i)),
          "cusolverDnXgetrf");
  }
}

template <class T>
void compute(const LuSolveArgs& args) {
  const Call call(args);
  for (int64_t i = 0; i < args.batch; ++i) {
    check(cusolverDnXgetrs(call.handle(), call.params(),
                           args.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, args.n,
                           args.columns, kType<T>,
                           matrix<T>(args.lu, args.n * args.n, i), args.n,
                           args.pivots + i * args.n, kType<T>,
                           matrix<T>(args.b, args.n * args.columns, i), args.n,
                           call.status(i)),
          "cusolverDnXgetrs");
  }
}

template <class T>
void compute(const CholeskyArgs& args) {
  const Call call(args);
  const int64_t items = args.n * args.n;
  if (args.batch > 1) {
    const Memory pointers(args.batch * static_cast<int64_t>(sizeof(T*)),
                          call.device());
    auto** list = static_cast<T**>(pointers.ptr());
    launch_over(list_matrices<T>, args.batch, call.device(),
                matrix<T>(args.a, items, 0), items, list, args.batch);
    const int n = to_int(args.n);
    const int batch = to_int(args.batch);
    if constexpr (std::is_same_v<T, float>) {
      check(cusolverDnSpotrfBatched(call.handle(), CUBLAS_FILL_MODE_UPPER, n,
                                    list, n, call.status(0), batch),
            "cusolverDnSpotrfBatched");
    } else {
      check(cusolverDnDpotrfBatched(call.handle(), CUBLAS_FILL_MODE_UPPER, n,
                                    list, n, call.status(0), batch),
            "cusolverDnDpotrfBatched");
    }
    return;
  }
  size_t on_device = 0;
  size_t on_host = 0;
  check(cusolverDnXpotrf_bufferSize(
            call.handle(), call.params(), CUBLAS_FILL_MODE_UPPER, args.n,
            kType<T>, args.a, args.n, kType<T>, &on_device, &on_host),
        "cusolverDnXpotrf_bufferSize");
  Workspace work(call.device(), on_device, on_host);
  check(cusolverDnXpotrf(call.handle(), call.params(), CUBLAS_FILL_MODE_UPPER,
                         args.n, kType<T>, args.a, args.n, kType<T>,
                         work.on_device(), work.device_bytes(), work.on_host(),
                         work.host_bytes(), call.status(0)),
        "cusolverDnXpotrf");
}

template <class T>
void compute(const QrArgs& args) {
  const Call call(args);
  const int64_t k = std::min(args.m, args.n);
  size_t on_device = 0;
  size_t on_host = 0;
  check(cusolverDnXgeqrf_bufferSize(call.handle(), call.params(), args.m,
                                    args.n, kType<T>, args.a, args.m, kType<T>,
                                    args.tau, kType<T>, &on_device, &on_host),
        "cusolverDnXgeqrf_bufferSize");
  Workspace work(call.device(), on_device, on_host);
  for (int64_t i = 0; i < args.batch; ++i) {
    check(cusolverDnXgeqrf(call.handle(), call.params(), args.m, args.n,
                           kType<T>, matrix<T>(args.a, args.m * args.n, i),
                           args.m, kType<T>, matrix<T>(args.tau, k, i),
                           kType<T>, work.on_device(), work.device_bytes(),
                           work.on_host(), work.host_bytes(), call.status(i)),
          "cusolverDnXgeqrf");
  }
}

// orgqr is not in the 64-bit API.
template <class T>
void compute(const FormQArgs& args) {
  const Call call(args);
  const int m = to_int(args.m);
  const int columns = to_int(args.columns);
  const int k = to_int(args.reflections);
  constexpr bool kSingle = std::is_same_v<T, float>;
  int lwork = 0;
  if constexpr (kSingle) {
    check(cusolverDnSorgqr_bufferSize(call.handle(), m, columns, k,
                                      matrix<T>(args.a, 0, 0), m,
                                      matrix<T>(args.tau, 0, 0), &lwork),
          "cusolverDnSorgqr_bufferSize");
  } else {
    check(cusolverDnDorgqr_bufferSize(call.handle(), m, columns, k,
                                      matrix<T>(args.a, 0, 0), m,
                                      matrix<T>(args.tau, 0, 0), &lwork),
          "cusolverDnDorgqr_bufferSize");
  }
  const Memory memory(int64_t{lwork} * static_cast<int64_t>(sizeof(T)),
                      call.device());
  auto* work = static_cast<T*>(memory.ptr());
  for (int64_t i = 0; i < args.batch; ++i) {
    T* a = matrix<T>(args.a, args.m * args.columns, i);
    const T* tau = matrix<T>(args.tau, args.reflections, i);
    if constexpr (kSingle) {
      check(cusolverDnSorgqr(call.handle(), m, columns, k, a, m, tau, work,
                             lwork, call.status(i)),
            "cusolverDnSorgqr");
    } else {
      check(cusolverDnDorgqr(call.handle(), m, columns, k, a, m, tau, work,
                             lwork, call.status(i)),
            "cusolverDnDorgqr");
    }
  }
}

template <class T>
void compute(const EighArgs& args) {
  const Call call(args);
  const auto job =
      args.has_vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const auto triangle =
      args.reads_upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  size_t on_device = 0;
  size_t on_host = 0;
  if (args.batch > 1) {
    check(cusolverDnXsyevBatched_bufferSize(
              call.handle(), call.params(), job, triangle, args.n, kType<T>,
              args.a, args.n, kType<T>, args.values, kType<T>, &on_device,
              &on_host, args.batch),
          "cusolverDnXsyevBatched_bufferSize");
    Workspace work(call.device(), on_device, on_host);
    check(cusolverDnXsyevBatched(call.handle(), call.params(), job, triangle,
                                 args.n, kType<T>, args.a, args.n, kType<T>,
                                 args.values, kType<T>, work.on_device(),
                                 work.device_bytes(), work.on_host(),
                                 work.host_bytes(), call.status(0), args.batch),
          "cusolverDnXsyevBatched");
    return;
  }
  check(
      cusolverDnXsyevd_bufferSize(call.handle(), call.params(), job, triangle,
                                  args.n, kType<T>, args.a, args.n, kType<T>,
                                  args.values, kType<T>, &on_device, &on_host),
      "cusolverDnXsyevd_bufferSize");
  Workspace work(call.device(), on_device, on_host);
  check(cusolverDnXsyevd(call.handle(), call.params(), job, triangle, args.n,
                         kType<T>, args.a, args.n, kType<T>, args.values,
                         kType<T>, work.on_device(), work.device_bytes(),
                         work.on_host(), work.host_bytes(), call.status(0)),
        "cusolverDnXsyevd");
}

template <class T>
void compute(const SvdArgs& args) {
  const Call call(args);
  const bool is_full = args.u_columns == args.m;
  const signed char job_u = args.u_columns == 0 ? 'N' : is_full ? 'A' : 'S';
  const signed char job_vt = args.u_columns == 0 ? 'N' : 'A';
  size_t on_device = 0;
  size_t on_host = 0;
  check(cusolverDnXgesvd_bufferSize(
            call.handle(), call.params(), job_u, job_vt, args.m, args.n,
            kType<T>, args.a, args.m, kType<T>, args.values, kType<T>, args.u,
            args.m, kType<T>, args.vt, args.n, kType<T>, &on_device, &on_host),
        "cusolverDnXgesvd_bufferSize");
  Workspace work(call.device(), on_device, on_host);
  for (int64_t i = 0; i < args.batch; ++i) {
    T* u = args.u == nullptr ? nullptr
                             : matrix<T>(args.u, args.m * args.u_columns, i);
    T* vt =
        args.vt == nullptr ? nullptr : matrix<T>(args.vt, args.n * args.n, i);
    check(cusolverDnXgesvd(
              call.handle(), call.params(), job_u, job_vt, args.m, args.n,
              kType<T>, matrix<T>(args.a, args.m * args.n, i), args.m, kType<T>,
              matrix<T>(args.values, args.n, i), kType<T>, u, args.m, kType<T>,
              vt, args.n, kType<T>, work.on_device(), work.device_bytes(),
              work.on_host(), work.host_bytes(), call.status(i)),
          "cusolverDnXgesvd");
  }
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
