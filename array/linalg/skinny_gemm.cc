#include "catena/array/linalg/skinny_gemm.h"

#include <algorithm>
#include <cstdint>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/linalg/row_tiles.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// The minimum number of multiplications per thread.
constexpr int64_t kGrain = int64_t{1} << 18;
// The number of columns of A packed at a time, so that they fit the L2 cache.
constexpr int64_t kTransposedDepth = 1024;

// The number of elements of B that probably fit each thread's cache.
constexpr int64_t kNear = int64_t{1} << 18;

using Buffer = catena::cpu::PoolBuffer<float>;

int64_t grain(int64_t work_of_column) {
  return std::max<int64_t>(1, kGrain / work_of_column);
}

// The threads share the packed rows and split the columns of the result.
void multiply_by_columns(Product<float> product) {
  const TransposedTiles tiles(product.m);
  const int64_t k = product.k;
  const Buffer lanes(tiles.width() * std::min(k, kTransposedDepth));
  const float* const a = product.a;
  product.a = lanes.get();
  for (int64_t first = 0; first < k; first += kTransposedDepth) {
    product.k = std::min(kTransposedDepth, k - first);
    tiles.transpose(a + first, product.lda, product.k, lanes.get());
    catena::cpu::parallel_for(
        product.n, grain(product.m * product.k),
        [&](int64_t begin, int64_t end) { tiles.run(product, begin, end); },
        /*align=*/TransposedTiles::kColumns);
    product.b += product.k;
    product.beta = 1;
    product.bias = nullptr;
  }
}

// Each thread packs its own rows and reads all of B.
void multiply_by_rows(const Product<float>& product) {
  catena::cpu::parallel_for(
      product.m, grain(product.n * product.k),
      [&](int64_t begin, int64_t end) {
        Product<float> own = product;
        own.m = end - begin;
        own.a += begin * product.lda;
        own.c += begin * product.ldc;
        multiply_by_columns(own);
      },
      /*align=*/TransposedTiles::kRows);
}

void run(const GemmArgs& args, const char* a, const char* b, char* c) {
  const auto product = product_of<float>(args, a, b, c);
  if (args.b.transposed) {
    const bool has_many_rows =
        product.m >= 2 * TransposedTiles::kRows * get_num_threads();
    return has_many_rows && product.n * product.k <= kNear
               ? multiply_by_rows(product)
               : multiply_by_columns(product);
  }
  const PlainTiles tiles(product);
  catena::cpu::parallel_for(
      product.n, grain(product.m * product.k),
      [&](int64_t begin, int64_t end) {
        tiles.run(begin, end, /*is_far=*/true);
      },
      /*align=*/tiles::kLine<float>);
}

}  // namespace

template <>
constinit const SkinnyGemm Kernels<SkinnyGemm>::table = {run};

}  // namespace catena::kernels::CATENA_BACKEND
