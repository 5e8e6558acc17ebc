#pragma once

// What a file of reduction kernels includes. It is compiled by the host's
// compiler once per instruction set and by nvcc for CUDA: either header defines
// ReductionLoop<Op, T>, whose static run(const ReduceArgs&) is the kernel of
// the functor Op for an input of storage type T.

#ifdef __CUDACC__
#include "catena/cuda/reduction_launcher.cuh"
#else
#include "catena/array/cpu/reduction_loop.h"
#endif
