// The kernel that updates many arrays in one launch, run on the host.

#include "catena/array/cuda/update_steps.cuh"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "catena/array/cuda/testing/device_emulation.h"
#include "catena/array/cuda/update_params.h"

namespace catena::cuda {
namespace {

struct MomentumOp {
  double lr;
  template <class T>
  void operator()(T grad, T& param, T& v) const {
    v = v * T(0.5) + grad;
    param -= static_cast<T>(lr) * v;
  }
};

// One array per operand, and the expected results.
struct Arrays {
  explicit Arrays(int64_t n)
      : grad(static_cast<size_t>(n)), param(grad), v(grad) {
    std::iota(grad.begin(), grad.end(), 1.f);
    std::iota(param.begin(), param.end(), -3.f);
    std::iota(v.rbegin(), v.rend(), 2.f);
    expected_param = param;
    expected_v = v;
    for (size_t i = 0; i < grad.size(); ++i) {
      MomentumOp{0.125}(grad[i], expected_param[i], expected_v[i]);
    }
  }
  std::vector<float> grad, param, v, expected_param, expected_v;
};

TEST(UpdateStepsTest, EveryElementOfEveryArrayIsUpdatedOnce) {
  using Steps =
      kernels::emulated::UpdateSteps<MomentumOp, 1, float, float, float>;
  std::vector<Arrays> all;
  for (int i = 0; i < 150; ++i) all.emplace_back(1 + i * i % 4099);
  all.emplace_back(40000);
  std::vector<int64_t> sizes;
  std::vector<char*> data;
  for (Arrays& arrays : all) {
    sizes.push_back(static_cast<int64_t>(arrays.grad.size()));
    for (auto* values : {&arrays.grad, &arrays.param, &arrays.v}) {
      data.push_back(reinterpret_cast<char*>(values->data()));
    }
  }
  int launches = 0;
  visit_updates(sizes, data, Steps::kPack * Steps::kUnroll, /*resident=*/16,
                [&](const UpdateParams& params, int blocks) {
                  ++launches;
                  emulation::run_grid(blocks, 256, [&] {
                    Steps::run(MomentumOp{0.125}, params, nullptr);
                  });
                });
  EXPECT_EQ(launches, 3);  // 64 arrays each
  for (const Arrays& arrays : all) {
    ASSERT_EQ(arrays.param, arrays.expected_param) << arrays.grad.size();
    ASSERT_EQ(arrays.v, arrays.expected_v) << arrays.grad.size();
  }
}

struct ScaleOp {
  template <class T>
  void operator()(T& x) const {
    x *= T(2);
  }
};

TEST(UpdateStepsTest, AllOperandsMayChange) {
  using Steps = kernels::emulated::UpdateSteps<ScaleOp, 0, double>;
  std::vector<double> x = {1, 2, 3};
  char* data[] = {reinterpret_cast<char*>(x.data())};
  const int64_t sizes[] = {3};
  visit_updates(sizes, data, Steps::kPack * Steps::kUnroll, 8,
                [&](const UpdateParams& params, int blocks) {
                  EXPECT_EQ(blocks, 1);
                  emulation::run_grid(blocks, 256, [&] {
                    Steps::run(ScaleOp(), params, nullptr);
                  });
                });
  EXPECT_EQ(x, (std::vector<double>{2, 4, 6}));
}

struct AddOp {
  double term;
  template <class T>
  void operator()(T& x) const {
    x += T(term);
  }
};

TEST(UpdateStepsTest, CapturedFunctorsAreThoseOfTheirArrays) {
  using Steps = kernels::emulated::UpdateSteps<AddOp, 0, double>;
  std::vector<double> x = {1, 2, 3};
  std::vector<double> y = {4, 5};
  char* data[] = {reinterpret_cast<char*>(x.data()),
                  reinterpret_cast<char*>(y.data())};
  const int64_t sizes[] = {3, 2};
  const AddOp captured[] = {{10}, {20}};
  visit_updates(sizes, data, Steps::kPack * Steps::kUnroll, 8,
                [&](const UpdateParams& params, int blocks) {
                  emulation::run_grid(blocks, 256, [&] {
                    Steps::run(AddOp{0}, params, captured);
                  });
                });
  EXPECT_EQ(x, (std::vector<double>{11, 12, 13}));
  EXPECT_EQ(y, (std::vector<double>{24, 25}));
}

}  // namespace
}  // namespace catena::cuda
