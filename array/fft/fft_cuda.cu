// Fourier transforms on CUDA, by cuFFT. It uses complex numbers, so real and
// imaginary parts are interleaved before the call and separated after it.

#include <cufft.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <source_location>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/array/fft/fft_kernel.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"
#include "catena/cuda/thread_handle.h"

namespace catena::kernels::CATENA_BACKEND {

using array::fft::Fft;
using array::fft::FftArgs;

namespace {

using namespace catena::cuda;  // NOLINT(google-build-using-namespace)

// Throws CudaError unless the status is success. cuFFT has no function for the
// names of statuses.
void check(
    cufftResult status, std::string_view call,
    const std::source_location &where = std::source_location::current()) {
  if (status == CUFFT_ALLOC_FAILED) {
    raise<OutOfMemoryError>(call, ": the GPU has no memory left");
  }
  if (status != CUFFT_SUCCESS) [[unlikely]] {
    throw CudaError(call, "a cuFFT error",
                    str("status ", static_cast<int>(status)), where);
  }
}

// A number, also 0.
class CufftHandle {
 public:
  CufftHandle() { check(cufftCreate(&handle_), "cufftCreate"); }
  ~CufftHandle() { static_cast<void>(cufftDestroy(handle_)); }
  CufftHandle(const CufftHandle &) = delete;
  CufftHandle &operator=(const CufftHandle &) = delete;

  cufftHandle get() const { return handle_; }

 private:
  cufftHandle handle_ = 0;
};

// A plan that uses the caller's workspace.
class CufftPlan {
 public:
  CufftPlan(int64_t length, int64_t rows, cufftType type)
      : length_(length), rows_(rows), type_(type) {
    check(cufftSetAutoAllocation(handle(), 0), "cufftSetAutoAllocation");
    long long extent = length;
    check(cufftMakePlanMany64(handle(), 1, &extent, nullptr, 1, 0, nullptr, 1,
                              0, type, rows, &workspace_),
          "cufftMakePlanMany64");
  }

  bool is_for(int64_t length, int64_t rows, cufftType type) const {
    return length_ == length && rows_ == rows && type_ == type;
  }
  cufftHandle handle() const { return handle_.get(); }
  int64_t workspace() const { return static_cast<int64_t>(workspace_); }

  // A graph that was captured uses the plan's tables whenever it is launched.
  void keep_forever() { is_kept_ = true; }
  bool is_kept() const { return is_kept_; }

 private:
  CufftHandle handle_;
  bool is_kept_ = false;
  size_t workspace_ = 0;
  int64_t length_;
  int64_t rows_;
  cufftType type_;
};

// This thread's plans for a device, most recently used first.
class CufftPlans {
 public:
  explicit CufftPlans(int /*device*/) {}

  CufftPlan &plan(int64_t length, int64_t rows, cufftType type) {
    for (auto at = plans_.begin(); at != plans_.end(); ++at) {
      if (!at->is_for(length, rows, type)) continue;
      plans_.splice(plans_.begin(), plans_, at);
      return plans_.front();
    }
    plans_.emplace_front(length, rows, type);
    drop_old();
    return plans_.front();
  }

 private:
  static constexpr ptrdiff_t kMaxPlans = 16;

  void drop_old() {
    const auto is_kept = [](const CufftPlan &plan) { return plan.is_kept(); };
    if (std::ranges::count_if(plans_, std::not_fn(is_kept)) <= kMaxPlans)
      return;
    const auto oldest =
        std::find_if_not(plans_.rbegin(), plans_.rend(), is_kept);
    plans_.erase(std::next(oldest).base());
  }

  std::list<CufftPlan> plans_;
};

template <class T, class Complex>
__global__ void __launch_bounds__(kBlockThreads)
    weave(const T *real, const T *imag, Complex *out, int64_t n) {
  for (int64_t i = first_item(); i < n; i += item_step()) {
    out[i] = Complex{real[i], imag[i]};
  }
}

template <class T, class Complex>
__global__ void __launch_bounds__(kBlockThreads)
    take_apart(const Complex *in, T *real, T *imag, T scale, int64_t n) {
  for (int64_t i = first_item(); i < n; i += item_step()) {
    const Complex number = in[i];
    real[i] = number.x * scale;
    imag[i] = number.y * scale;
  }
}

void execute(cufftHandle handle, cufftComplex *data, int direction) {
  check(cufftExecC2C(handle, data, data, direction), "cufftExecC2C");
}
void execute(cufftHandle handle, cufftDoubleComplex *data, int direction) {
  check(cufftExecZ2Z(handle, data, data, direction), "cufftExecZ2Z");
}

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  catena::cuda::check(cudaStreamIsCapturing(stream, &status),
                      "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

template <class T, class Complex, cufftType type>
void transform(const FftArgs &args) {
  const int device = args.device.index();
  const DeviceGuard guard(device);
  const int64_t n = args.rows * args.length;
  const Memory woven(n * static_cast<int64_t>(sizeof(Complex)), device);
  auto *const data = static_cast<Complex *>(woven.ptr());
  launch_over(weave<T, Complex>, n, device,
              reinterpret_cast<const T *>(args.real),
              reinterpret_cast<const T *>(args.imag), data, n);
  CufftPlan &plan =
      thread_handle<CufftPlans>(device).plan(args.length, args.rows, type);
  if (is_capturing(current_stream(device))) plan.keep_forever();
  const Memory workspace(plan.workspace(), device);
  check(cufftSetStream(plan.handle(), current_stream(device)),
        "cufftSetStream");
  check(cufftSetWorkArea(plan.handle(), workspace.ptr()), "cufftSetWorkArea");
  execute(plan.handle(), data, args.inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
  launch_over(take_apart<T, Complex>, n, device, data,
              reinterpret_cast<T *>(args.real_out),
              reinterpret_cast<T *>(args.imag_out),
              args.inverse ? T(1) / static_cast<T>(args.length) : T(1), n);
}

}  // namespace

template <>
struct Loop<Fft, Fft, float> {
  static constexpr auto *run = transform<float, cufftComplex, CUFFT_C2C>;
};
template <>
struct Loop<Fft, Fft, double> {
  static constexpr auto *run = transform<double, cufftDoubleComplex, CUFFT_Z2Z>;
};

extern const auto kFftKernels = register_kernels<Fft>();

}  // namespace catena::kernels::CATENA_BACKEND
