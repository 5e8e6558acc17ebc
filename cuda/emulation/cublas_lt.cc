// cublasLt on the host, by OpenBLAS.

#include "catena/cuda/emulation/cublas_lt.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "catena/cuda/emulation/cublas_context.h"
#include "catena/cuda/emulation/cublas_product.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/library_call.h"
#include "catena/cuda/emulation/runtime.h"
#include "cublasLt.h"

struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType type;
  int64_t rows;
  int64_t columns;
  int64_t ld;

  bool operator==(const cublasLtMatrixLayoutOpaque_t&) const = default;
};

struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute_type;
  int32_t transa = CUBLAS_OP_N;
  int32_t transb = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
};

struct cublasLtMatmulPreferenceOpaque_t {
  uint64_t max_workspace = 0;
  uint32_t reduction_schemes = 7;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

namespace catena::cuda::emulation {
namespace {

std::atomic<LtRefusal> refusal = LtRefusal::kNone;
std::atomic<int64_t> products = 0;
std::atomic<int64_t> heuristics = 0;

using Layout = cublasLtMatrixLayoutOpaque_t;

// What an algorithm is for, kept in its data.
struct Algorithm {
  int64_t extents[3];
  uint32_t epilogue;
  uint32_t alignments[4];
  uint32_t bias_alignment;
  uint32_t workspace;
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

template <class T>
cublasStatus_t read(const void* value, size_t bytes, T& to) {
  if (value == nullptr || bytes != sizeof(T)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(&to, value, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

Matrix matrix_of(const void* data, const Layout& layout, int32_t operation) {
  return {const_cast<char*>(static_cast<const char*>(data)), layout.ld, 0,
          operation != CUBLAS_OP_N};
}

// Whether op(A) op(B) has the shape of D.
bool fit(const cublasLtMatmulDescOpaque_t& operation, const Layout& a,
         const Layout& b, const Layout& d) {
  const bool ta = operation.transa != CUBLAS_OP_N;
  const bool tb = operation.transb != CUBLAS_OP_N;
  return (ta ? a.columns : a.rows) == d.rows &&
         (tb ? b.rows : b.columns) == d.columns &&
         (ta ? a.rows : a.columns) == (tb ? b.columns : b.rows);
}

Gemm product_of(const cublasLtMatmulDescOpaque_t& operation, const void* a,
                const Layout& a_layout, const void* b, const Layout& b_layout,
                void* d, const Layout& d_layout, double alpha, double beta) {
  Gemm gemm = {
      d_layout.rows,
      d_layout.columns,
      operation.transa != CUBLAS_OP_N ? a_layout.rows : a_layout.columns,
      alpha,
      beta,
      matrix_of(a, a_layout, operation.transa),
      matrix_of(b, b_layout, operation.transb),
      matrix_of(d, d_layout, CUBLAS_OP_N),
      1};
  auto* const vector = static_cast<char*>(operation.bias);
  if (operation.epilogue == CUBLASLT_EPILOGUE_BIAS) gemm.bias = vector;
  if (operation.epilogue == CUBLASLT_EPILOGUE_BGRADB) gemm.b_sums = vector;
  return gemm;
}

bool is_epilogue(uint32_t epilogue) {
  return epilogue == CUBLASLT_EPILOGUE_DEFAULT ||
         epilogue == CUBLASLT_EPILOGUE_BIAS ||
         epilogue == CUBLASLT_EPILOGUE_BGRADB;
}

bool is_aligned(const void* pointer, uint32_t alignment) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

// The largest power of two up to 256 that divides the address.
uint32_t alignment_of(const void* pointer) {
  uint32_t alignment = 256;
  while (!is_aligned(pointer, alignment)) alignment /= 2;
  return alignment;
}

}  // namespace

void refuse_lt_products(LtRefusal wanted) { refusal = wanted; }
int64_t lt_products() { return products; }
int64_t lt_heuristics() { return heuristics; }

}  // namespace catena::cuda::emulation

using namespace catena::cuda::emulation;  // NOLINT

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
  if (is_to_fail()) return CUBLAS_STATUS_ALLOC_FAILED;
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = new Layout{type, static_cast<int64_t>(rows),
                       static_cast<int64_t>(columns), ld};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return reported(CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INTERNAL_ERROR);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation,
                                        cublasComputeType_t compute_type,
                                        cudaDataType scale_type) {
  if (is_to_fail()) return CUBLAS_STATUS_ALLOC_FAILED;
  if (operation == nullptr || scale_type != CUDA_R_32F) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *operation = new cublasLtMatmulDescOpaque_t{.compute_type = compute_type};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  delete operation;
  return reported(CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INTERNAL_ERROR);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
    const void* value, size_t bytes) {
  if (is_to_fail()) return CUBLAS_STATUS_INVALID_VALUE;
  if (operation == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return read(value, bytes, operation->transa);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return read(value, bytes, operation->transb);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return read(value, bytes, operation->epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return read(value, bytes, operation->bias);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(
    cublasLtMatmulPreference_t* preference) {
  if (is_to_fail()) return CUBLAS_STATUS_ALLOC_FAILED;
  if (preference == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = new cublasLtMatmulPreferenceOpaque_t;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(
    cublasLtMatmulPreference_t preference) {
  delete preference;
  return reported(CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INTERNAL_ERROR);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference,
    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
    size_t bytes) {
  if (is_to_fail()) return CUBLAS_STATUS_INVALID_VALUE;
  if (preference == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return read(value, bytes, preference->max_workspace);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return read(value, bytes, preference->reduction_schemes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return read(
          value, bytes,
          preference->alignments[attribute -
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES]);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int requested,
    cublasLtMatmulHeuristicResult_t* results, int* found) {
  if (is_to_fail()) return CUBLAS_STATUS_INTERNAL_ERROR;
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (operation == nullptr || a == nullptr || b == nullptr || c == nullptr ||
      d == nullptr || preference == nullptr || requested < 1 ||
      results == nullptr || found == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  ++heuristics;
  *found = 0;
  Multiply* const run = find_multiply(d->type, operation->compute_type);
  const bool is_supported =
      run != nullptr && operation->compute_type != CUBLAS_COMPUTE_64F &&
      a->type == d->type && b->type == d->type && *c == *d &&
      is_epilogue(operation->epilogue) && fit(*operation, *a, *b, *d);
  if (!is_supported || refusal == LtRefusal::kStatus) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (refusal == LtRefusal::kNoAlgorithm) return CUBLAS_STATUS_SUCCESS;
  constexpr uint32_t kWorkspace = 1000;
  Algorithm algorithm = {
      {d->rows, d->columns,
       operation->transa != CUBLAS_OP_N ? a->rows : a->columns},
      operation->epilogue,
      {},
      alignment_of(operation->bias),
      static_cast<uint32_t>(
          std::min<uint64_t>(kWorkspace, preference->max_workspace))};
  std::copy_n(preference->alignments, 4, algorithm.alignments);
  *results = {};
  std::memcpy(&results->algo, &algorithm, sizeof algorithm);
  results->workspaceSize = algorithm.workspace;
  results->state = CUBLAS_STATUS_SUCCESS;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha,
    const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
    cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
    cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
    const cublasLtMatmulAlgo_t* algorithm, void* workspace,
    size_t workspace_bytes, cudaStream_t stream) {
  if (is_to_fail()) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (operation == nullptr || alpha == nullptr || beta == nullptr ||
      algorithm == nullptr || c != d || !(*c_layout == *d_layout) ||
      !fit(*operation, *a_layout, *b_layout, *d_layout)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (refusal == LtRefusal::kLate) return CUBLAS_STATUS_NOT_SUPPORTED;
  Multiply* const run = find_multiply(d_layout->type, operation->compute_type);
  if (run == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  const Gemm gemm = product_of(*operation, a, *a_layout, b, *b_layout, d,
                               *d_layout, *static_cast<const float*>(alpha),
                               *static_cast<const float*>(beta));
  Algorithm chosen;
  std::memcpy(&chosen, algorithm, sizeof chosen);
  const bool is_right =
      chosen.extents[0] == gemm.m && chosen.extents[1] == gemm.n &&
      chosen.extents[2] == gemm.k && chosen.epilogue == operation->epilogue &&
      is_aligned(a, chosen.alignments[0]) &&
      is_aligned(b, chosen.alignments[1]) &&
      is_aligned(c, chosen.alignments[2]) &&
      is_aligned(d, chosen.alignments[3]) &&
      is_aligned(operation->bias, chosen.bias_alignment) &&
      workspace_bytes >= chosen.workspace;
  if (!is_right || !has_valid_extents(gemm) || !fits_blas(gemm) ||
      !are_reachable({a, b, d}) ||
      (chosen.epilogue != CUBLASLT_EPILOGUE_DEFAULT &&
       !are_reachable({operation->bias})) ||
      (workspace_bytes > 0 && !are_reachable({workspace}))) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (current_device_index() !=
      reinterpret_cast<cublasHandle_t>(handle)->device) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  ++products;
  const cudaError_t status =
      submit(stream, [run, gemm, workspace, workspace_bytes] {
        run(gemm);
        scribble(workspace, workspace_bytes);
      });
  return succeeded(status) ? CUBLAS_STATUS_SUCCESS
                           : CUBLAS_STATUS_EXECUTION_FAILED;
}
