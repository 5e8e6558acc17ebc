// linear() on emulated GPUs, with and without epilogues of cublasLt.

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "catena/array/core/device.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/float32_precision.h"
#include "catena/autograd/config.h"
#include "catena/cuda/emulation/cublas_lt.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/cuda/graph.h"
#include "catena/cuda/stream.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::functions {
namespace {

using cuda::emulation::launches;
using cuda::emulation::lt_heuristics;
using cuda::emulation::lt_products;
using cuda::emulation::LtRefusal;

constexpr Device kGpu = cuda_device(0);

// Small numbers, so that every sum is exact in every dtype.
Array integers(const Shape& shape, int64_t modulus, Dtype dtype) {
  return (array::arange(size_of(shape)) % double(modulus) - 2.0)
      .reshape(shape)
      .astype(dtype);
}

struct Problem {
  Array x;
  Array W;
  Array b;
  Array gy;
};

Problem make_problem(int64_t rows, int64_t in, int64_t out, Dtype dtype) {
  return {integers({rows, in}, 5, dtype), integers({out, in}, 4, dtype),
          integers({out}, 3, dtype), integers({rows, out}, 3, dtype)};
}

// y, gx, gW and gb.
std::vector<Array> results_on(Device device, const Problem& problem) {
  const Variable x(problem.x.to_device(device));
  const Variable W(problem.W.to_device(device));
  const Variable b(problem.b.to_device(device));
  const Variable y = linear(x, W, b);
  y.set_grad(problem.gy.to_device(device));
  y.backward();
  return {y.data(), x.grad(), W.grad(), b.grad()};
}

void expect_right(const Problem& problem) {
  const std::vector<Array> expected = results_on(native_device(), problem);
  const std::vector<Array> results = results_on(kGpu, problem);
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_THAT(results[i].to_device(native_device()),
                testing::IsArray(expected[i]))
        << i;
  }
}

class LinearCublasLtTest : public ::testing::Test {
 protected:
  ~LinearCublasLtTest() override {
    cuda::emulation::refuse_lt_products(LtRefusal::kNone);
  }
};

TEST_F(LinearCublasLtTest, AddsTheBiasAndSumsItsGradientInTwoProducts) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32}) {
    const int64_t before = lt_products();
    expect_right(make_problem(6, 7, 5, dtype));
    EXPECT_EQ(lt_products(), before + 2) << dtype;
  }
}

TEST_F(LinearCublasLtTest, Float64HasNoEpilogues) {
  const int64_t before = lt_products();
  expect_right(make_problem(6, 7, 5, Dtype::kFloat64));
  EXPECT_EQ(lt_products(), before);
}

// Kernels of catena's that forward and backward launch.
std::vector<int64_t> launches_of(const Problem& problem) {
  const Variable x(problem.x.to_device(kGpu));
  const Variable W(problem.W.to_device(kGpu));
  const Variable b(problem.b.to_device(kGpu));
  const Array gy = problem.gy.to_device(kGpu);
  const int64_t before = launches();
  const Variable y = linear(x, W, b);
  const int64_t between = launches();
  y.set_grad(gy);
  y.backward();
  return {between - before, launches() - between};
}

TEST_F(LinearCublasLtTest, LaunchesNoKernelOfItsOwn) {
  EXPECT_THAT(launches_of(make_problem(6, 7, 5, Dtype::kFloat32)),
              ::testing::ElementsAre(0, 0));
  cuda::emulation::refuse_lt_products(LtRefusal::kStatus);
  EXPECT_THAT(launches_of(make_problem(6, 7, 6, Dtype::kFloat32)),
              ::testing::ElementsAre(1, 1));
}

TEST_F(LinearCublasLtTest, AsksOncePerShapeAndAlignment) {
  const Problem problem = make_problem(9, 8, 7, Dtype::kFloat32);
  results_on(kGpu, problem);
  const int64_t before = lt_heuristics();
  results_on(kGpu, problem);
  EXPECT_EQ(lt_heuristics(), before);
  results_on(kGpu, make_problem(10, 8, 7, Dtype::kFloat32));
  EXPECT_EQ(lt_heuristics(), before + 2);

  // A bias in the middle of other parameters.
  const Array parameters = array::ones({8}, Dtype::kFloat32, kGpu);
  const Variable y = linear(Variable(problem.x.to_device(kGpu)),
                            Variable(problem.W.to_device(kGpu)),
                            Variable(parameters[{Slice(1, {})}]));
  EXPECT_EQ(lt_heuristics(), before + 3);
  const Variable expected = linear(Variable(problem.x), Variable(problem.W),
                                   Variable(array::ones({7}, Dtype::kFloat32)));
  EXPECT_THAT(y.data().to_device(native_device()),
              testing::IsArray(expected.data()));
}

TEST_F(LinearCublasLtTest, RunsProductAndSumWhereCublasLtDeclines) {
  int64_t rows = 11;  // what was declined once is not asked for again
  for (const LtRefusal refusal :
       {LtRefusal::kStatus, LtRefusal::kNoAlgorithm, LtRefusal::kLate}) {
    cuda::emulation::refuse_lt_products(refusal);
    const int64_t before = lt_products();
    const Problem problem = make_problem(rows++, 3, 4, Dtype::kFloat32);
    expect_right(problem);
    const int64_t asked = lt_heuristics();
    expect_right(problem);
    EXPECT_EQ(lt_products(), before);
    EXPECT_EQ(lt_heuristics(), asked);
  }
}

// Rounds factors, but neither biases nor their gradients.
TEST_F(LinearCublasLtTest, FollowsThePrecisionOfFloat32) {
  const float fine = 1 + 0x1p-20F;
  const auto number = [&](const Shape& shape) {
    return array::full(shape, fine, Dtype::kFloat32);
  };
  const Problem problem = {number({1, 1}), number({1, 1}), number({1}),
                           number({1, 1})};
  const auto y_and_gb = [&] {
    const std::vector<Array> results = results_on(kGpu, problem);
    return std::vector<float>{results[0].item<float>(),
                              results[3].item<float>()};
  };
  EXPECT_THAT(y_and_gb(), ::testing::ElementsAre(fine * fine + fine, fine));
  const array::Float32PrecisionScope scope(array::Float32Precision::kTf32);
  EXPECT_THAT(y_and_gb(), ::testing::ElementsAre(1 + fine, fine));
}

TEST_F(LinearCublasLtTest, GradientsAreAddedToThatOfOtherUses) {
  const Problem problem = make_problem(130, 4, 3, Dtype::kFloat32);
  const auto gradients_on = [&](Device device) {
    const Variable x(problem.x.to_device(device));
    const Variable W(problem.W.to_device(device));
    const Variable b(problem.b.to_device(device));
    const Variable y = linear(x, W, b) + linear(x + x, W, b);
    y.set_grad(problem.gy.to_device(device));
    y.backward();
    return std::vector<Array>{W.grad().to_device(native_device()),
                              b.grad().to_device(native_device())};
  };
  const std::vector<Array> expected = gradients_on(native_device());
  const std::vector<Array> results = gradients_on(kGpu);
  EXPECT_THAT(results[0], testing::IsArray(expected[0]));
  EXPECT_THAT(results[1], testing::IsArray(expected[1]));
}

TEST_F(LinearCublasLtTest, CanBeCaptured) {
  const Problem problem = make_problem(6, 7, 5, Dtype::kFloat32);
  const Problem on_gpu = {problem.x.to_device(kGpu), problem.W.to_device(kGpu),
                          problem.b.to_device(kGpu),
                          problem.gy.to_device(kGpu)};
  const cuda::Stream stream({.device = 0});
  const cuda::StreamScope scope(stream);
  std::vector<Array> results;
  const cuda::Graph graph([&] { results = results_on(kGpu, on_gpu); });
  on_gpu.b.fill(7);
  graph.launch();
  const std::vector<Array> expected = results_on(
      native_device(),
      {problem.x, problem.W, array::full({5}, 7, Dtype::kFloat32), problem.gy});
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_THAT(results[i].to_device(native_device()),
                testing::IsArray(expected[i]))
        << i;
  }
}

}  // namespace
}  // namespace catena::functions
