// The slot of matrix products on CUDA: floats by cuBLAS.

#include <cublas_v2.h>

#include <cstdint>

#include "catena/array/cuda/grid_loop.cuh"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/linalg/blas_type_cuda.h"
#include "catena/array/linalg/float32_precision.h"
#include "catena/array/linalg/gemm.h"
#include "catena/array/linalg/gemm_batch.h"
#include "catena/array/linalg/gemm_integers_cuda.h"
#include "catena/cuda/cublas_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/record_params.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace catena::cuda;  // NOLINT(google-build-using-namespace)

cublasOperation_t operation(const GemmArgs::Matrix& x) {
  return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

// The addresses of all products' A, then B, then C.
__global__ void __launch_bounds__(kBlockThreads)
    write_addresses(GemmArgs args, char** addresses) {
  for (int64_t i = first_item(); i < args.batch; i += item_step()) {
    char* a = args.a.data;
    char* b = args.b.data;
    char* c = args.c.data;
    auto index = static_cast<uint32_t>(i);
    for (int axis = args.batch_ndim - 1; axis >= 0; --axis) {
      const auto extent = static_cast<uint32_t>(args.batch_shape[axis]);
      const uint32_t next = index / extent;
      const int64_t position = index - next * extent;
      index = next;
      a += position * args.a.batch_strides[axis];
      b += position * args.b.batch_strides[axis];
      c += position * args.c.batch_strides[axis];
    }
    addresses[i] = a;
    addresses[args.batch + i] = b;
    addresses[2 * args.batch + i] = c;
  }
}

// cuBLAS is column-major and sees our matrices transposed, so it computes C' =
// B' A'.
template <class T>
void multiply(const GemmArgs& args) {
  using Type = BlasType<T>;
  using Scale = typename Type::Scale;
  const int device = args.device.index();
  const DeviceGuard guard(device);
  const cublasHandle_t handle = cublas_handle(device);
  const cublasComputeType_t compute = compute_type<T>(
      array::get_float32_precision() == array::Float32Precision::kTf32);
  const auto alpha = static_cast<Scale>(args.alpha);
  const auto beta = static_cast<Scale>(args.beta);
  record_params(args.m, args.n, args.k, alpha, beta, args.a.transposed,
                args.b.transposed);
  const bool uses_tensor_cores =
      sizeof(T) == 2 || compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  if (suits_pointers(args, uses_tensor_cores,
                     properties(device).multiprocessors)) {
    constexpr int64_t kAddress = sizeof(char*);
    // Freed before it is read: only later work on the same stream can reuse it.
    const Memory memory(3 * args.batch * kAddress, device);
    const auto addresses = static_cast<char**>(memory.ptr());
    launch_over(write_addresses, args.batch, device, args, addresses);
    const auto list = [&](int i) {
      return reinterpret_cast<void**>(addresses + i * args.batch);
    };
    check(cublasGemmBatchedEx_64(
              handle, operation(args.b), operation(args.a), args.n, args.m,
              args.k, &alpha, list(1), Type::kStored, args.b.ld, list(0),
              Type::kStored, args.a.ld, &beta, list(2), Type::kStored,
              args.c.ld, args.batch, compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmBatchedEx_64");
    return;
  }
  visit_gemm_batches(args, [&](const GemmBatch& batch) {
    check(cublasGemmStridedBatchedEx_64(
              handle, operation(args.b), operation(args.a), args.n, args.m,
              args.k, &alpha, batch.b, Type::kStored, args.b.ld, batch.b_stride,
              batch.a, Type::kStored, args.a.ld, batch.a_stride, &beta, batch.c,
              Type::kStored, args.c.ld, batch.c_stride, batch.count, compute,
              CUBLAS_GEMM_DEFAULT),
          "cublasGemmStridedBatchedEx_64");
  });
}

}  // namespace

template <class T>
struct Loop<Gemm, Gemm, T> {
  static constexpr GemmKernel* run = multiply_integers<T>;
};
template <class T>
requires requires { typename BlasType<T>::Scale; }
struct Loop<Gemm, Gemm, T> {
  static constexpr GemmKernel* run = multiply<T>;
};

extern const auto kGemmKernels = register_kernels<Gemm>();

}  // namespace catena::kernels::CATENA_BACKEND
