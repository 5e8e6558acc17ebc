// Matrix products of integers and bool: a block computes a tile of C from tiles
// of A and B in shared memory.

#include <cstdint>

#include "catena/array/core/dtype.h"
#include "catena/array/linalg/gemm_integers.h"
#include "catena/array/linalg/gemm_integers_cuda.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace catena::cuda;  // NOLINT(google-build-using-namespace)

constexpr int kTile = 16;
static_assert(kTile * kTile == kBlockThreads);

// Element (i, j) of a matrix of `rows` by `columns`; 0 outside.
template <class T>
__device__ typename SumOfProducts<T>::Sum element_of(const GemmArgs::Matrix& x,
                                                     const char* data,
                                                     int64_t rows,
                                                     int64_t columns, int64_t i,
                                                     int64_t j) {
  if (i >= rows || j >= columns) return 0;
  const int64_t at = x.transposed ? j * x.ld + i : i * x.ld + j;
  return static_cast<typename SumOfProducts<T>::Sum>(
      reinterpret_cast<const T*>(data)[at]);
}

struct GemmTiles {
  int64_t down;
  int64_t across;
};

template <class T>
__global__ void __launch_bounds__(kBlockThreads)
    multiply_tiles(GemmArgs args, GemmTiles tiles) {
  using Product = SumOfProducts<T>;
  using Sum = typename Product::Sum;
  __shared__ Sum tile_a[kTile][kTile + 1];  // the padding spreads the banks
  __shared__ Sum tile_b[kTile][kTile + 1];

  const char* a = args.a.data;
  const char* b = args.b.data;
  char* c = args.c.data;
  int64_t product = blockIdx.x / (tiles.down * tiles.across);
  for (int axis = args.batch_ndim - 1; axis >= 0; --axis) {
    const int64_t position = product % args.batch_shape[axis];
    product /= args.batch_shape[axis];
    a += position * args.a.batch_strides[axis];
    b += position * args.b.batch_strides[axis];
    c += position * args.c.batch_strides[axis];
  }
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;
  const int64_t i = blockIdx.x / tiles.across % tiles.down * kTile + y;
  const int64_t j = blockIdx.x % tiles.across * kTile + x;

  Sum sum = 0;
  for (int64_t first = 0; first < args.k; first += kTile) {
    tile_a[y][x] = element_of<T>(args.a, a, args.m, args.k, i, first + x);
    tile_b[y][x] = element_of<T>(args.b, b, args.k, args.n, first + y, j);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kTile; ++l) {
      sum = Product::add(sum, tile_a[y][l], tile_b[l][x]);
    }
    __syncthreads();
  }
  if (i >= args.m || j >= args.n) return;
  T& out = reinterpret_cast<T*>(c)[i * args.c.ld + j];
  const auto alpha = static_cast<Sum>(static_cast<int64_t>(args.alpha));
  const auto beta = static_cast<Sum>(static_cast<int64_t>(args.beta));
  sum = Product::add(0, alpha, sum);
  if (beta != 0) {
    sum = Product::add(sum, beta, static_cast<Sum>(out));
  }
  out = static_cast<T>(sum);
}

}  // namespace

template <class T>
void multiply_integers(const GemmArgs& args) {
  const GemmTiles tiles{ceil_divide(args.m, kTile), ceil_divide(args.n, kTile)};
  launch(&multiply_tiles<T>, args.batch * tiles.down * tiles.across,
         kBlockThreads, args.device.index(), args, tiles);
}

template void multiply_integers<bool>(const GemmArgs& args);
template void multiply_integers<int8_t>(const GemmArgs& args);
template void multiply_integers<int16_t>(const GemmArgs& args);
template void multiply_integers<int32_t>(const GemmArgs& args);
template void multiply_integers<int64_t>(const GemmArgs& args);
template void multiply_integers<uint8_t>(const GemmArgs& args);
template void multiply_integers<uint16_t>(const GemmArgs& args);
template void multiply_integers<uint32_t>(const GemmArgs& args);
template void multiply_integers<uint64_t>(const GemmArgs& args);

}  // namespace catena::kernels::CATENA_BACKEND
