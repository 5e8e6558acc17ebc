#pragma once

#include <cstdint>

namespace catena::cuda::emulation {

// How cublasLt lacks a product.
enum class LtRefusal : uint8_t {
  kNone,
  kStatus,       // the heuristic returns CUBLAS_STATUS_NOT_SUPPORTED
  kNoAlgorithm,  // the heuristic finds nothing
  kLate,         // cublasLtMatmul returns CUBLAS_STATUS_NOT_SUPPORTED
};

// For tests: how every call fails from now on.
void refuse_lt_products(LtRefusal refusal);

// The number of products by cublasLt so far, and of its heuristics' calls.
int64_t lt_products();
int64_t lt_heuristics();

}  // namespace catena::cuda::emulation
