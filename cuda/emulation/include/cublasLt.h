#pragma once

// The part of cublasLt that catena calls, computed by the host (see
// ../README.md). Names, values and meanings are those of NVIDIA's
// documentation.

#include <cstddef>
#include <cstdint>

#include "cublas_v2.h"

// A handle of cuBLAS is one of cublasLt.
struct cublasLtContext;
using cublasLtHandle_t = cublasLtContext*;

// A column-major matrix.
struct cublasLtMatrixLayoutOpaque_t;
using cublasLtMatrixLayout_t = cublasLtMatrixLayoutOpaque_t*;
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld);
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout);

enum cublasLtEpilogue_t {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  // Adds a vector to every column of D.
  CUBLASLT_EPILOGUE_BIAS = 4,
  // Writes the sums of op(B)'s columns.
  CUBLASLT_EPILOGUE_BGRADB = 512
};
enum cublasLtMatmulDescAttributes_t {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,       // int32_t
  CUBLASLT_MATMUL_DESC_TRANSB = 4,       // int32_t
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,     // uint32_t
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8  // void*, of the type of D
};
struct cublasLtMatmulDescOpaque_t;
using cublasLtMatmulDesc_t = cublasLtMatmulDescOpaque_t*;
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation,
                                        cublasComputeType_t compute_type,
                                        cudaDataType scale_type);
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation);
cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
    const void* value, size_t bytes);

enum cublasLtReductionScheme_t { CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2 };
enum cublasLtMatmulPreferenceAttributes_t {
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,    // uint64_t
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,  // uint32_t, and so are all:
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8
};
struct cublasLtMatmulPreferenceOpaque_t;
using cublasLtMatmulPreference_t = cublasLtMatmulPreferenceOpaque_t*;
cublasStatus_t cublasLtMatmulPreferenceCreate(
    cublasLtMatmulPreference_t* preference);
cublasStatus_t cublasLtMatmulPreferenceDestroy(
    cublasLtMatmulPreference_t preference);
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference,
    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
    size_t bytes);

struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};
// Finds at most one algorithm. It is for operands that are aligned as the
// preference says.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int requested,
    cublasLtMatmulHeuristicResult_t* results, int* found);

// D = alpha op(A) op(B) + beta C, where C and D are the same, and the epilogue.
// float32, float16 and bfloat16. The algorithm must be of a heuristic for the
// same operation and layouts.
cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha,
    const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
    cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
    cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
    const cublasLtMatmulAlgo_t* algorithm, void* workspace,
    size_t workspace_bytes, cudaStream_t stream);
