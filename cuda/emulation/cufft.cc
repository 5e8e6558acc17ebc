// cuFFT on the host: a transform for any length, in float64.

#include "cufft.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <vector>

#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/library_call.h"
#include "catena/cuda/emulation/runtime.h"
#include "cuda_runtime.h"

namespace catena::cuda::emulation {
namespace {

using Complex = std::complex<double>;

// Transforms of one length, recursively: of the p interleaved parts for its
// smallest prime factor p, then of length p across them.
class Transform {
 public:
  // `roots`: exp(-2 pi i k / length) for each k, or their conjugates for the
  // inverse.
  Transform(int64_t length, const Complex* roots)
      : length_(length), roots_(roots), sums_(static_cast<size_t>(length)) {}

  void run(const Complex* in, Complex* out) { run(in, 1, out, length_); }

 private:
  // The transform of n = length_ / stride elements in[0], in[stride], ...
  void run(const Complex* in, int64_t stride, Complex* out, int64_t n) {
    if (n == 1) {
      out[0] = in[0];
      return;
    }
    const int64_t p = smallest_factor(n);
    const int64_t part = n / p;
    for (int64_t r = 0; r < p; ++r) {
      run(in + r * stride, stride * p, out + r * part, part);
    }
    for (int64_t k = 0; k < part; ++k) {
      for (int64_t q = 0; q < p; ++q) {
        const int64_t at = k + q * part;
        Complex sum = 0;
        for (int64_t r = 0; r < p; ++r) {
          sum += out[r * part + k] * roots_[r * at % n * stride];
        }
        sums_[static_cast<size_t>(q)] = sum;
      }
      for (int64_t q = 0; q < p; ++q) {
        out[k + q * part] = sums_[static_cast<size_t>(q)];
      }
    }
  }

  static int64_t smallest_factor(int64_t n) {
    for (int64_t p = 2; p * p <= n; ++p) {
      if (n % p == 0) return p;
    }
    return n;
  }

  int64_t length_;
  const Complex* roots_;
  std::vector<Complex> sums_;
};

struct Plan {
  ~Plan() { static_cast<void>(succeeded(cudaFree(roots))); }

  bool allocates = true;
  bool is_made = false;
  int device = 0;
  int64_t length = 0;
  int64_t batch = 0;
  cufftType type = CUFFT_C2C;
  cudaStream_t stream = nullptr;
  Complex* roots = nullptr;  // in the device's memory
  size_t workspace_bytes = 0;
  void* workspace = nullptr;
};

// The plans of this process. Numbers are used once.
class Plans {
 public:
  static Plans& get() {
    static auto& all = *new Plans;
    return all;
  }

  cufftHandle create() {
    const std::lock_guard lock(mutex_);
    plans_[next_] = std::make_shared<Plan>();
    return next_++;
  }
  std::shared_ptr<Plan> find(cufftHandle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(handle);
    return found == plans_.end() ? nullptr : found->second;
  }
  // Null if there is none.
  std::shared_ptr<Plan> remove(cufftHandle handle) {
    const std::lock_guard lock(mutex_);
    const auto node = plans_.extract(handle);
    return node.empty() ? nullptr : node.mapped();
  }

 private:
  std::mutex mutex_;
  std::map<cufftHandle, std::shared_ptr<Plan>> plans_;
  cufftHandle next_ = 0;
};

// Real plans have such tables, too: work that outlives its plan is wrong.
bool make_roots(Plan& plan) {
  std::vector<Complex> roots(static_cast<size_t>(plan.length));
  const double step = -2 * std::numbers::pi / static_cast<double>(plan.length);
  for (size_t k = 0; k < roots.size(); ++k) {
    roots[k] = std::polar(1.0, step * static_cast<double>(k));
  }
  const size_t bytes = roots.size() * sizeof(Complex);
  return succeeded(cudaMalloc(&plan.roots, bytes)) &&
         succeeded(
             cudaMemcpy(plan.roots, roots.data(), bytes, cudaMemcpyDefault));
}

template <class T>
void transform(const T* in, T* out, int64_t length, int64_t batch,
               const Complex* forward_roots, int direction) {
  const auto n = static_cast<size_t>(length);
  std::vector<Complex> roots(forward_roots, forward_roots + length);
  if (direction == CUFFT_INVERSE) {
    for (Complex& root : roots) root = std::conj(root);
  }
  std::vector<Complex> from(n);
  std::vector<Complex> to(n);
  Transform one(length, roots.data());
  for (int64_t row = 0; row < batch; ++row) {
    for (size_t i = 0; i < n; ++i) from[i] = {in[i].x, in[i].y};
    one.run(from.data(), to.data());
    using Part = decltype(T::x);
    for (size_t i = 0; i < n; ++i) {
      out[i] = {static_cast<Part>(to[i].real()),
                static_cast<Part>(to[i].imag())};
    }
    in += length;
    out += length;
  }
}

template <class T>
cufftResult execute(cufftHandle handle, cufftType type, const T* in, T* out,
                    int direction) {
  const std::shared_ptr<Plan> plan = Plans::get().find(handle);
  if (plan == nullptr || !plan->is_made) return CUFFT_INVALID_PLAN;
  if (plan->type != type) return CUFFT_INVALID_TYPE;
  if (!are_reachable({in, out}) ||
      (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)) {
    return CUFFT_INVALID_VALUE;
  }
  if (current_device_index() != plan->device) return CUFFT_INVALID_DEVICE;
  const bool needs_workspace = !plan->allocates && plan->workspace_bytes > 0;
  if (needs_workspace && plan->workspace == nullptr) return CUFFT_NO_WORKSPACE;
  const cudaError_t status = submit(
      plan->stream, [=, length = plan->length, batch = plan->batch,
                     roots = plan->roots, workspace = plan->workspace,
                     bytes = needs_workspace ? plan->workspace_bytes : 0] {
        transform(in, out, length, batch, roots, direction);
        scribble(workspace, bytes);
      });
  return succeeded(status) ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

}  // namespace
}  // namespace catena::cuda::emulation

// ------------------------------------------------------------------------ API

using namespace catena::cuda::emulation;  // NOLINT

cufftResult cufftCreate(cufftHandle* plan) {
  if (is_to_fail()) return CUFFT_ALLOC_FAILED;
  if (plan == nullptr) return CUFFT_INVALID_VALUE;
  if (device_count() == 0) return CUFFT_SETUP_FAILED;
  *plan = Plans::get().create();
  return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle plan) {
  const bool was_there = Plans::get().remove(plan) != nullptr;
  return reported(was_there ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN,
                  CUFFT_INVALID_PLAN);
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int allocates) {
  if (is_to_fail()) return CUFFT_INVALID_VALUE;
  const auto found = Plans::get().find(plan);
  if (found == nullptr) return CUFFT_INVALID_PLAN;
  found->allocates = allocates != 0;
  return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long* lengths,
                                long long* in_embed, long long /*in_stride*/,
                                long long /*in_distance*/, long long* out_embed,
                                long long /*out_stride*/,
                                long long /*out_distance*/, cufftType type,
                                long long batch, size_t* workspace_bytes) {
  if (is_to_fail()) return CUFFT_ALLOC_FAILED;
  const auto found = Plans::get().find(plan);
  if (found == nullptr || found->is_made) return CUFFT_INVALID_PLAN;
  if (lengths == nullptr || workspace_bytes == nullptr) {
    return CUFFT_INVALID_VALUE;
  }
  if (rank != 1 || in_embed != nullptr || out_embed != nullptr) {
    return CUFFT_NOT_IMPLEMENTED;
  }
  if (type != CUFFT_C2C && type != CUFFT_Z2Z) return CUFFT_INVALID_TYPE;
  if (*lengths < 1 || batch < 1) return CUFFT_INVALID_SIZE;
  found->device = current_device_index();
  found->length = *lengths;
  found->batch = batch;
  found->type = type;
  // Some transforms need none.
  const auto length = static_cast<size_t>(*lengths);
  found->workspace_bytes =
      std::has_single_bit(length)
          ? 0
          : length * static_cast<size_t>(batch) * sizeof(Complex);
  if (!make_roots(*found)) return CUFFT_ALLOC_FAILED;
  found->is_made = true;
  *workspace_bytes = found->workspace_bytes;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  if (is_to_fail()) return CUFFT_SETUP_FAILED;
  const auto found = Plans::get().find(plan);
  if (found == nullptr) return CUFFT_INVALID_PLAN;
  found->stream = stream;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle plan, void* workspace) {
  if (is_to_fail()) return CUFFT_SETUP_FAILED;
  const auto found = Plans::get().find(plan);
  if (found == nullptr) return CUFFT_INVALID_PLAN;
  if (workspace != nullptr && !are_reachable({workspace})) {
    return CUFFT_INVALID_VALUE;
  }
  found->workspace = workspace;
  return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out,
                         int direction) {
  if (is_to_fail()) return CUFFT_EXEC_FAILED;
  return execute(plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in,
                         cufftDoubleComplex* out, int direction) {
  if (is_to_fail()) return CUFFT_EXEC_FAILED;
  return execute(plan, CUFFT_Z2Z, in, out, direction);
}
