#include "catena/array/linalg/gemm_batch.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

namespace catena::cuda {
namespace {

using array::GemmArgs;

// Offsets of the three matrices of every product.
using Products = std::multiset<std::tuple<int64_t, int64_t, int64_t>>;

GemmArgs make_args(const std::vector<int64_t>& shape,
                   const std::vector<int64_t>& a_strides,
                   const std::vector<int64_t>& b_strides,
                   const std::vector<int64_t>& c_strides) {
  GemmArgs args{};
  args.dtype = Dtype::kFloat32;
  args.batch_ndim = static_cast<int>(shape.size());
  args.batch = 1;
  for (int i = 0; i < args.batch_ndim; ++i) {
    args.batch *= args.batch_shape[i] = shape[i];
    args.a.batch_strides[i] = a_strides[i];
    args.b.batch_strides[i] = b_strides[i];
    args.c.batch_strides[i] = c_strides[i];
  }
  return args;
}

Products products_of(GemmArgs args, int64_t& calls) {
  static char memory[1 << 16];
  char* const origin = memory + sizeof(memory) / 2;
  args.a.data = args.b.data = args.c.data = origin;
  Products products;
  calls = 0;
  visit_gemm_batches(args, [&](const GemmBatch& batch) {
    ++calls;
    for (int64_t i = 0; i < batch.count; ++i) {
      products.emplace(batch.a - origin + 4 * i * batch.a_stride,
                       batch.b - origin + 4 * i * batch.b_stride,
                       batch.c - origin + 4 * i * batch.c_stride);
    }
  });
  return products;
}

TEST(GemmBatchTest, AProductWithoutBatchAxesIsOneCall) {
  int64_t calls = 0;
  const Products products = products_of(make_args({}, {}, {}, {}), calls);
  EXPECT_EQ(products, (Products{{0, 0, 0}}));
  EXPECT_EQ(calls, 1);
}

TEST(GemmBatchTest, OneAxisIsOneCall) {
  int64_t calls = 0;
  const Products products = products_of(make_args({3}, {40}, {0}, {80}), calls);
  EXPECT_EQ(products, (Products{{0, 0, 0}, {40, 0, 80}, {80, 0, 160}}));
  EXPECT_EQ(calls, 1);
}

TEST(GemmBatchTest, TheLongestAxisIsWalkedByCublas) {
  int64_t calls = 0;
  const Products products =
      products_of(make_args({5, 2}, {400, 40}, {0, 80}, {1000, 100}), calls);
  EXPECT_EQ(calls, 2);
  Products expected;
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      expected.emplace(400 * i + 40 * j, 80 * j, 1000 * i + 100 * j);
    }
  }
  EXPECT_EQ(products, expected);
}

TEST(GemmBatchTest, EveryPositionAlongSeveralAxesIsVisited) {
  int64_t calls = 0;
  const Products products = products_of(
      make_args({3, 3, 4}, {480, 160, 40}, {0, 40, 120}, {1200, 400, 100}),
      calls);
  EXPECT_EQ(calls, 9);
  Products expected;
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 4; ++k) {
        expected.emplace(480 * i + 160 * j + 40 * k, 40 * j + 120 * k,
                         1200 * i + 400 * j + 100 * k);
      }
    }
  }
  EXPECT_EQ(products, expected);
}

TEST(GemmBatchTest, ABackwardAxisIsWalkedByUs) {
  int64_t calls = 0;
  const Products products =
      products_of(make_args({4}, {-40}, {40}, {40}), calls);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(
      products,
      (Products{{0, 0, 0}, {-40, 40, 40}, {-80, 80, 80}, {-120, 120, 120}}));
}

// The (32, 8) batch of a transformer's heads, with matrices of m by m.
GemmArgs heads(int64_t m) {
  GemmArgs args = make_args({32, 8}, {8192, 64}, {8192, 64}, {8192, 1024});
  args.m = args.n = args.k = m;
  return args;
}

TEST(GemmBatchTest, SmallBatchesThatDoNotMergeAreGivenAsPointers) {
  constexpr int kMultiprocessors = 132;
  EXPECT_TRUE(suits_pointers(heads(64), true, kMultiprocessors));
  EXPECT_FALSE(suits_pointers(make_args({256}, {64}, {64}, {64}), true,
                              kMultiprocessors));
  EXPECT_FALSE(
      suits_pointers(make_args({}, {}, {}, {}), true, kMultiprocessors));
  // One of the 8 strided batches fills the device.
  EXPECT_FALSE(suits_pointers(heads(1024), true, kMultiprocessors));
}

TEST(GemmBatchTest, TensorCoresNeedAlignedPointers) {
  for (const auto matrix : {&GemmArgs::a, &GemmArgs::b, &GemmArgs::c}) {
    GemmArgs args = heads(64);
    (args.*matrix).batch_strides[1] += 8;
    EXPECT_FALSE(suits_pointers(args, true, 132));
    EXPECT_TRUE(suits_pointers(args, false, 132));
    args = heads(64);
    (args.*matrix).data += 8;
    EXPECT_FALSE(suits_pointers(args, true, 132));
  }
}

}  // namespace
}  // namespace catena::cuda
