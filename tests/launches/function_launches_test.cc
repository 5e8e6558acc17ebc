// Counts the launches of functions.

#include <gtest/gtest.h>

#include <cstdint>

#include "catena/array/creation.h"
#include "catena/array/device.h"
#include "catena/autograd/variable.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/normalization/batch_normalization.h"

namespace catena {
namespace {

namespace F = functions;

constexpr Device kGpu = cuda_device(0);

template <class Work>
int64_t launches_of(Work work) {
  const int64_t before = cuda::emulation::launches();
  work();
  return cuda::emulation::launches() - before;
}

Array ones(const Shape& shape, Dtype dtype = Dtype::kFloat32) {
  return array::ones(shape, dtype, kGpu);
}

TEST(FunctionLaunchesTest, RunningStatisticsTakeOne) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kFloat32}) {
    const Variable x(ones({8, 3, 4, 4}, dtype));
    const Variable gamma(ones({3}));
    const Variable beta(ones({3}));
    const Array mean = ones({3});
    const Array var = ones({3});
    const int64_t without =
        launches_of([&] { F::batch_normalization(x, gamma, beta); });
    const int64_t with = launches_of([&] {
      F::batch_normalization(x, gamma, beta,
                             {.running_mean = mean, .running_var = var});
    });
    EXPECT_EQ(with, without + 1) << dtype;
  }
}

TEST(FunctionLaunchesTest, DropoutTakesTwo) {
  const Variable x(ones({40, 30}));
  Variable y;
  EXPECT_EQ(launches_of([&] { y = F::dropout(x); }), 1);
  y.set_grad(ones({40, 30}));
  EXPECT_EQ(launches_of([&] { y.backward(); }), 1);
}

}  // namespace
}  // namespace catena
