#pragma once

// The part of cuFFT that catena calls, computed by the host (see ../README.md).
// Names, values and meanings are those of NVIDIA's documentation.

#include <cstddef>

#include "cuda_runtime_api.h"

enum cufftResult {
  CUFFT_SUCCESS = 0,
  CUFFT_INVALID_PLAN = 1,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_INVALID_TYPE = 3,
  CUFFT_INVALID_VALUE = 4,
  CUFFT_EXEC_FAILED = 6,
  CUFFT_SETUP_FAILED = 7,
  CUFFT_INVALID_SIZE = 8,
  CUFFT_INVALID_DEVICE = 11,
  CUFFT_NO_WORKSPACE = 13,
  CUFFT_NOT_IMPLEMENTED = 14
};
enum cufftType { CUFFT_C2C = 0x29, CUFFT_Z2Z = 0x69 };
inline constexpr int CUFFT_FORWARD = -1;
inline constexpr int CUFFT_INVERSE = 1;

using cufftComplex = float2;
using cufftDoubleComplex = double2;

// A plan, for the device that is current when it is made. A transform fails if
// another device is current.
using cufftHandle = int;
cufftResult cufftCreate(cufftHandle* plan);
cufftResult cufftDestroy(cufftHandle plan);
// Without, transforms need cufftSetWorkArea.
cufftResult cufftSetAutoAllocation(cufftHandle plan, int allocates);
// Only transforms along one axis, contiguous ones. Once for each plan.
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long* lengths,
                                long long* in_embed, long long in_stride,
                                long long in_distance, long long* out_embed,
                                long long out_stride, long long out_distance,
                                cufftType type, long long batch,
                                size_t* workspace_bytes);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftSetWorkArea(cufftHandle plan, void* workspace);

// Both directions without a factor. `in` and `out` can be the same.
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out,
                         int direction);
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in,
                         cufftDoubleComplex* out, int direction);
