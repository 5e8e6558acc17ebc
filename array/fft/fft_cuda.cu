// Fourier transforms on CUDA, by cuFFT. It uses complex numbers, so real and
// imaginary parts are interleaved before the call and separated after it.

#include <cufft.h>

#include <cstdint>
#include <list>
#include <source_location>
#include <string_view>

#include "catena/array/cuda/grid_loop.cuh"
#include "catena/array/error.h"
#include "catena/array/fft/fft_kernel.h"
#include "catena/array/kernel_definition.h"
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
    const std::source_location& where = std::source_location::current()) {
  if (status != CUFFT_SUCCESS) [[unlikely]] {
    throw CudaError(call, "a cuFFT error",
                    str("status ", static_cast<int>(status)), where);
  }
}

// A plan that uses the caller's workspace.
class CufftPlan {
 public:
  CufftPlan(int64_t length, int64_t rows, cufftType type)
      : length_(length), rows_(rows), type_(type) {
    check(cufftCreate(&handle_), "cufftCreate");
    check(cufftSetAutoAllocation(handle_, 0), "cufftSetAutoAllocation");
    long long extent = length;
    check(cufftMakePlanMany64(handle_, 1, &extent, nullptr, 1, 0, nullptr, 1, 0,
                              type, rows, &workspace_),
          "cufftMakePlanMany64");
  }
  ~CufftPlan() {
    if (handle_ != 0) static_cast<void>(cufftDestroy(handle_));
  }
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  bool is_for(int64_t length, int64_t rows, cufftType type) const {
    return length_ == length && rows_ == rows && type_ == type;
  }
  cufftHandle handle() const { return handle_; }
  int64_t workspace() const { return static_cast<int64_t>(workspace_); }

 private:
  cufftHandle handle_ = 0;
  size_t workspace_ = 0;
  int64_t length_;
  int64_t rows_;
  cufftType type_;
};

// This thread's plans for a device, most recently used first.
class CufftPlans {
 public:
  explicit CufftPlans(int /*device*/) {}

  const CufftPlan& plan(int64_t length, int64_t rows, cufftType type) {
    for (auto at = plans_.begin(); at != plans_.end(); ++at) {
      if (!at->is_for(length, rows, type)) continue;
      plans_.splice(plans_.begin(), plans_, at);
      return plans_.front();
    }
    plans_.emplace_front(length, rows, type);
    if (plans_.size() > kMaxPlans) plans_.pop_back();
    return plans_.front();
  }

 private:
  static constexpr size_t kMaxPlans = 16;
  std::list<CufftPlan> plans_;
};

template <class T, class Complex>
__global__ void __launch_bounds__(kBlockThreads)
    weave(const T* real, const T* imag, Complex* out, int64_t n) {
  for (int64_t i = first_item(); i < n; i += item_step()) {
    out[i] = Complex{real[i], imag[i]};
  }
}

template <class T, class Complex>
__global__ void __launch_bounds__(kBlockThreads)
    take_apart(const Complex* in, T* real, T* imag, T scale, int64_t n) {
  for (int64_t i = first_item(); i < n; i += item_step()) {
    const Complex number = in[i];
    real[i] = number.x * scale;
    imag[i] = number.y * scale;
  }
}

void execute(cufftHandle handle, cufftComplex* data, int direction) {
  check(cufftExecC2C(handle, data, data, direction), "cufftExecC2C");
}
void execute(cufftHandle handle, cufftDoubleComplex* data, int direction) {
  check(cufftExecZ2Z(handle, data, data, direction), "cufftExecZ2Z");
}

template <class T, class Complex, cufftType type>
void transform(const FftArgs& args) {
  const int device = args.device.index();
  const DeviceGuard guard(device);
  const int64_t n = args.rows * args.length;
  const Memory woven(n * static_cast<int64_t>(sizeof(Complex)), device);
  auto* const data = static_cast<Complex*>(woven.ptr());
  launch_over(weave<T, Complex>, n, device,
              reinterpret_cast<const T*>(args.real),
              reinterpret_cast<const T*>(args.imag), data, n);
  const CufftPlan& plan =
      thread_handle<CufftPlans>(device).plan(args.length, args.rows, type);
  const Memory workspace(plan.workspace(), device);
  check(cufftSetStream(plan.handle(), current_stream(device)),
        "cufftSetStream");
  check(cufftSetWorkArea(plan.handle(), workspace.ptr()), "cufftSetWorkArea");
  execute(plan.handle(), data, args.inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
  launch_over(take_apart<T, Complex>, n, device, data,
              reinterpret_cast<T*>(args.real_out),
              reinterpret_cast<T*>(args.imag_out),
              args.inverse ? T(1) / static_cast<T>(args.length) : T(1), n);
}

}  // namespace

template <>
struct Loop<Fft, Fft, float> {
  static constexpr auto* run = transform<float, cufftComplex, CUFFT_C2C>;
};
template <>
struct Loop<Fft, Fft, double> {
  static constexpr auto* run = transform<double, cufftDoubleComplex, CUFFT_Z2Z>;
};

extern const auto kFftKernels = register_kernels<Fft>();

}  // namespace catena::kernels::CATENA_BACKEND
