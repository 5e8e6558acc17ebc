// The kernels of the distributions, run on the host.

#include "catena/array/cuda/random_steps.cuh"

#include <gtest/gtest.h>

#include <vector>

#include "catena/array/cuda/testing/device_emulation.h"
#include "catena/array/kernels/philox.h"
#include "catena/array/kernels/random_ops.h"

namespace catena::cuda {
namespace {

using kernels::emulated::RandomSteps;

constexpr uint64_t kFirst = 160;
constexpr uint64_t kKey = 99;

// The index of a value according to random_kernel.h.
template <class Op, class T>
std::vector<T> expected_values(const Op& op, int64_t size) {
  constexpr int kWords = Op::template kWords<T>;
  constexpr int kValues = Op::template kValues<T>;
  constexpr int64_t kCounterValues = array::kValuesPerCounter<Op, T>;
  std::vector<T> result(static_cast<size_t>(size));
  for (int64_t s = 0; s < size + array::kCounterGroup; ++s) {
    const array::PhiloxWords words =
        array::philox(kFirst + static_cast<uint64_t>(s), kKey);
    for (int call = 0; call < 4 / kWords; ++call) {
      uint32_t in[kWords];
      for (int w = 0; w < kWords; ++w) in[w] = words.v[call * kWords + w];
      T out[kValues];
      op(in, out);
      for (int v = 0; v < kValues; ++v) {
        const int64_t at =
            (s / 16 * kCounterValues + call * kValues + v) * 16 + s % 16;
        if (at < size) result[static_cast<size_t>(at)] = out[v];
      }
    }
  }
  return result;
}

template <class Op, class T>
void expect_filled(const Op& op) {
  for (const int64_t size : {1, 15, 16, 17, 63, 64, 65, 1000, 5000}) {
    std::vector<T> values(static_cast<size_t>(size));
    emulation::run_grid(3, 32, [&] {
      RandomSteps<Op, T>::fill(op, values.data(), size, kFirst, kKey);
    });
    EXPECT_EQ(values, (expected_values<Op, T>(op, size))) << size;
  }
}

TEST(RandomStepsTest, EveryCountersValuesLieWhereTheyShould) {
  expect_filled<array::UniformOp, float>({-1, 2});
  expect_filled<array::UniformOp, double>({-1, 2});
  expect_filled<array::NormalOp, float>({1, 2});
  expect_filled<array::NormalOp, double>({1, 2});
  expect_filled<array::RandintOp, int8_t>({-3, 7});
  expect_filled<array::WideRandintOp, int64_t>({-3, uint64_t{1} << 40});
}

}  // namespace
}  // namespace catena::cuda
