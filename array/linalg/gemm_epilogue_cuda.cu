// Products with a bias, or with the sums of a factor's rows, by cublasLt.

#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/linalg/blas_type_cuda.h"
#include "catena/array/linalg/float32_precision.h"
#include "catena/array/linalg/gemm.h"
#include "catena/cuda/cublas_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/record_params.h"
#include "catena/cuda/stream.h"
#include "catena/cuda/thread_handle.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace catena::cuda;  // NOLINT(google-build-using-namespace)

// Owns a descriptor.
template <class Pointer, cublasStatus_t (*destroy)(Pointer)>
struct Destroy {
  void operator()(Pointer pointer) const {
    static_cast<void>(destroy(pointer));
  }
};
template <class Pointer, cublasStatus_t (*destroy)(Pointer)>
using Owned =
    std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy<Pointer, destroy>>;

using Operation = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference =
    Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

template <class T>
void set(const Operation& operation, cublasLtMatmulDescAttributes_t attribute,
         const T& value) {
  check(cublasLtMatmulDescSetAttribute(operation.get(), attribute, &value,
                                       sizeof value),
        "cublasLtMatmulDescSetAttribute");
}
template <class T>
void set(const Preference& preference,
         cublasLtMatmulPreferenceAttributes_t attribute, const T& value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute,
                                             &value, sizeof value),
        "cublasLtMatmulPreferenceSetAttribute");
}

// What a plan was made for: extents, layouts, types, epilogue and alignments.
using Key = std::array<int64_t, 14>;

// The largest power of two, up to what the pool guarantees, that divides the
// address.
uint32_t alignment(const void* pointer) {
  constexpr uintptr_t kMax = 256;
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer) | kMax;
  return static_cast<uint32_t>(address & (~address + 1));
}

// The bias that is read, or the sums that are written.
const void* vector_of(const GemmArgs& args) {
  return args.bias != nullptr ? args.bias : args.a_sums;
}

// A product that cublasLt has agreed to, and how.
struct Plan {
  bool is_supported = false;
  Operation operation = {};
  Layout a = {};
  Layout b = {};
  Layout c = {};
  cublasLtMatmulAlgo_t algorithm = {};
  size_t workspace = 0;
};

// The matrix as cublasLt sees it, column-major: its transpose.
Layout layout_of(cudaDataType_t type, int64_t rows, int64_t columns,
                 const GemmArgs::Matrix& matrix) {
  if (matrix.transposed) std::swap(rows, columns);
  cublasLtMatrixLayout_t layout = nullptr;
  check(
      cublasLtMatrixLayoutCreate(&layout, type, static_cast<uint64_t>(columns),
                                 static_cast<uint64_t>(rows), matrix.ld),
      "cublasLtMatrixLayoutCreate");
  return Layout(layout);
}

// C' = B' A', so that our A is cublasLt's B: its rows' sums are BGRADB, and the
// bias of every column of C is one of every row.
template <class T>
Operation operation_of(const GemmArgs& args, cublasComputeType_t compute) {
  cublasLtMatmulDesc_t created = nullptr;
  check(cublasLtMatmulDescCreate(&created, compute, BlasType<float>::kStored),
        "cublasLtMatmulDescCreate");
  Operation operation(created);
  const auto order = [](const GemmArgs::Matrix& x) {
    return static_cast<int32_t>(x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  };
  set(operation, CUBLASLT_MATMUL_DESC_TRANSA, order(args.b));
  set(operation, CUBLASLT_MATMUL_DESC_TRANSB, order(args.a));
  set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE,
      static_cast<uint32_t>(args.bias != nullptr ? CUBLASLT_EPILOGUE_BIAS
                                                 : CUBLASLT_EPILOGUE_BGRADB));
  // Also for the choice of the algorithm, which depends on its alignment.
  set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector_of(args));
  return operation;
}

Preference preference_of(const GemmArgs& args, int device) {
  cublasLtMatmulPreference_t created = nullptr;
  check(cublasLtMatmulPreferenceCreate(&created),
        "cublasLtMatmulPreferenceCreate");
  Preference preference(created);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
      static_cast<uint64_t>(cublas_workspace_bytes(device)));
  // Partial sums are not rounded to 16 bits.
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
      alignment(args.b.data));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
      alignment(args.a.data));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
      alignment(args.c.data));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
      alignment(args.c.data));
  return preference;
}

// Statuses by which cublasLt says that it has no such product.
bool declines(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED ||
         status == CUBLAS_STATUS_INVALID_VALUE ||
         status == CUBLAS_STATUS_ARCH_MISMATCH;
}

template <class T>
Plan make_plan(const GemmArgs& args, cublasComputeType_t compute,
               cublasLtHandle_t handle) {
  constexpr cudaDataType_t kType = BlasType<T>::kStored;
  Plan plan;
  plan.operation = operation_of<T>(args, compute);
  plan.a = layout_of(kType, args.m, args.k, args.a);
  plan.b = layout_of(kType, args.k, args.n, args.b);
  plan.c = layout_of(kType, args.m, args.n, args.c);
  const Preference preference = preference_of(args, args.device.index());
  cublasLtMatmulHeuristicResult_t best = {};
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, plan.operation.get(), plan.b.get(), plan.a.get(), plan.c.get(),
      plan.c.get(), preference.get(), 1, &best, &found);
  if (declines(status)) return plan;
  check(status, "cublasLtMatmulAlgoGetHeuristic");
  plan.is_supported = found > 0 && best.state == CUBLAS_STATUS_SUCCESS;
  plan.algorithm = best.algo;
  plan.workspace = best.workspaceSize;
  return plan;
}

// This thread's plans for a device; made once for each key, since asking
// cublasLt takes longer than a small product.
class Plans {
 public:
  explicit Plans(int /*device*/) {}

  template <class Make>
  Plan& find(const Key& key, const Make& make) {
    constexpr size_t kMax = 1024;
    const auto found = plans_.find(key);
    if (found != plans_.end()) return *found->second;
    auto plan = std::make_unique<Plan>(make());
    if (plans_.size() >= kMax) plans_.clear();
    return *(plans_[key] = std::move(plan));
  }

 private:
  absl::flat_hash_map<Key, std::unique_ptr<Plan>> plans_;
};

template <class T>
Key key_of(const GemmArgs& args, cublasComputeType_t compute) {
  return {args.m,
          args.n,
          args.k,
          args.a.ld,
          args.b.ld,
          args.c.ld,
          args.a.transposed ? 1 : 0,
          args.b.transposed ? 1 : 0,
          static_cast<int64_t>(BlasType<T>::kStored) << 32 |
              static_cast<int64_t>(compute),
          args.bias != nullptr ? 1 : 0,
          alignment(args.a.data),
          alignment(args.b.data),
          alignment(args.c.data),
          alignment(vector_of(args))};
}

template <class T>
bool multiply_fused(const GemmArgs& args) {
  if (args.batch != 1) return false;
  const int device = args.device.index();
  const DeviceGuard guard(device);
  const cublasLtHandle_t handle = cublas_lt_handle(device);
  const cublasComputeType_t compute = compute_type<T>(
      array::get_float32_precision() == array::Float32Precision::kTf32);
  Plan& plan = thread_handle<Plans>(device).find(key_of<T>(args, compute), [&] {
    return make_plan<T>(args, compute, handle);
  });
  if (!plan.is_supported) return false;
  set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector_of(args));
  const auto alpha = static_cast<float>(args.alpha);
  const auto beta = static_cast<float>(args.beta);
  record_params(args.m, args.n, args.k, alpha, beta, args.a.transposed,
                args.b.transposed);
  const cudaStream_t stream = current_stream(device);
  const Memory workspace(static_cast<int64_t>(plan.workspace), device, stream);
  const cublasStatus_t status = cublasLtMatmul(
      handle, plan.operation.get(), &alpha, args.b.data, plan.b.get(),
      args.a.data, plan.a.get(), &beta, args.c.data, plan.c.get(), args.c.data,
      plan.c.get(), &plan.algorithm, workspace.ptr(), plan.workspace, stream);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) {
    plan.is_supported = false;
    return false;
  }
  check(status, "cublasLtMatmul");
  return true;
}

// Not for float64, for which cublasLt has no epilogues.
constexpr FusedGemm::Table fused_kernels() {
  FusedGemm::Table table;
  table.set(Dtype::kFloat16, multiply_fused<float16>);
  table.set(Dtype::kBFloat16, multiply_fused<bfloat16>);
  table.set(Dtype::kFloat32, multiply_fused<float>);
  return table;
}

}  // namespace

template <>
constinit const FusedGemm::Table Kernels<FusedGemm>::table = fused_kernels();

extern const auto kFusedGemmKernels = register_kernels<FusedGemm>();

}  // namespace catena::kernels::CATENA_BACKEND
