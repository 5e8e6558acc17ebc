// The elementwise kernels, run on the host.

#include "catena/array/cuda/elementwise_steps.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "catena/array/cuda/elementwise_params.h"
#include "catena/array/cuda/testing/device_emulation.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/cuda/launch_shape.h"

namespace catena::cuda {
namespace {

using array::AddOp;
using array::LessOp;
using array::SubtractOp;
using kernels::emulated::ElementwiseSteps;

// Mirrors launch_elementwise.
template <class Op, class In, class Out>
void run(const Op& op, const ElementwiseArgs& args) {
  using Steps = ElementwiseSteps<Op, In, Out>;
  if (is_flat(args, Steps::kTypes)) {
    constexpr int kMultiprocessors = 1;
    const FlatParams params =
        make_flat_params(args, Steps::kTypes, kMultiprocessors);
    emulation::run_grid(static_cast<int>(flat_blocks(params, Steps::kTypes)),
                        kBlockThreads, [&] { Steps::run_flat(op, params); });
    return;
  }
  visit_32_bit_parts(args, [&](const ElementwiseArgs& part) {
    const StridedParams params = make_strided_params(part);
    emulation::run_grid(3, 64, [&] { Steps::run_strided(op, params); });
  });
}

// An operand in a buffer of its own, larger than it needs.
struct Buffer {
  std::vector<float> values = std::vector<float>(20000);
};

class ElementwiseStepsTest : public testing::Test {
 protected:
  int pick(int n) { return static_cast<int>(random_() % n); }

  void pick_shape(ElementwiseArgs& args) {
    args.ndim = 1 + pick(4);
    args.size = 1;
    for (int axis = 0; axis < args.ndim; ++axis) {
      args.shape[axis] = 1 + pick(args.ndim == 1 ? 2000 : 9);
      args.size *= args.shape[axis];
    }
  }

  // Axes in any order and direction, with gaps, some of them repeated.
  void pick_layout(ElementwiseArgs& args, int k, Buffer& buffer,
                   bool is_output) {
    ElementwiseArgs::Pointer& pointer = args.operands[k];
    std::vector<int> order(static_cast<size_t>(args.ndim));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    int64_t stride = args.ndim == 1 && pick(2) == 0 ? 1 : 1 + pick(2);
    int64_t first = pick(2) == 0 ? 0 : pick(4);
    for (const int axis : order) {
      const bool is_repeated = !is_output && pick(5) == 0;
      const bool is_reversed = args.ndim > 1 && pick(4) == 0;
      int64_t step = is_repeated ? 0 : stride;
      if (is_reversed) {
        first += step * (args.shape[axis] - 1);
        step = -step;
      }
      pointer.strides[axis] = 4 * step;
      stride *= args.shape[axis];
    }
    pointer.data = reinterpret_cast<char*>(buffer.values.data() + first);
    for (float& value : buffer.values) value = static_cast<float>(pick(1000));
  }

  std::mt19937 random_{20260726};
};

// The address of element i of an operand, in C order.
char* element_at(const ElementwiseArgs& args, int k, int64_t i) {
  char* at = args.operands[k].data;
  for (int axis = args.ndim - 1; axis >= 0; --axis) {
    at += i % args.shape[axis] * args.operands[k].strides[axis];
    i /= args.shape[axis];
  }
  return at;
}

float& value_at(const ElementwiseArgs& args, int k, int64_t i) {
  return *reinterpret_cast<float*>(element_at(args, k, i));
}

TEST_F(ElementwiseStepsTest, EveryElementIsComputedAndNoOther) {
  int flat = 0;
  for (int trial = 0; trial < 500; ++trial) {
    ElementwiseArgs args{};
    args.noperands = 3;
    pick_shape(args);
    Buffer buffers[3];
    for (int k = 0; k < 3; ++k) pick_layout(args, k, buffers[k], k == 2);
    if (pick(4) == 0) {
      ElementwiseArgs::Pointer& pointer = args.operands[0];
      const float number = 3.25f;
      std::memcpy(pointer.immediate, &number, sizeof(number));
      pointer.data = pointer.immediate;
      pointer.is_immediate = true;
      std::fill_n(pointer.strides, args.ndim, 0);
    }
    const std::vector<float> before = buffers[2].values;
    for (int64_t i = 0; i < args.size; ++i) {
      value_at(args, 2, i) = value_at(args, 0, i) - value_at(args, 1, i);
    }
    const std::vector<float> expected = buffers[2].values;
    buffers[2].values.assign(before.begin(), before.end());
    using In = TypeList<float, float>;
    using Out = TypeList<float>;
    flat += is_flat(args, ElementwiseSteps<SubtractOp, In, Out>::kTypes);
    run<SubtractOp, In, Out>(SubtractOp(), args);
    ASSERT_EQ(buffers[2].values, expected) << "trial " << trial;
  }
  EXPECT_GT(flat, 10);
}

// n contiguous elements of each operand.
ElementwiseArgs make_flat_args(int64_t n, std::vector<char*> data,
                               std::vector<int64_t> strides) {
  ElementwiseArgs args{};
  args.ndim = 1;
  args.noperands = static_cast<int>(data.size());
  args.size = args.shape[0] = n;
  for (size_t k = 0; k < data.size(); ++k) {
    args.operands[k].data = data[k];
    args.operands[k].strides[0] = strides[k];
  }
  return args;
}

template <class T>
char* bytes_of(std::vector<T>& values) {
  return reinterpret_cast<char*>(values.data());
}

struct MomentumOp {
  double lr;
  template <class T>
  void operator()(T grad, T& param, T& v) const {
    v = v * T(0.5) + grad;
    param -= static_cast<T>(lr) * v;
  }
};

TEST_F(ElementwiseStepsTest, OutputsOfAnUpdateAreReadAndWritten) {
  // The last are several packs for each thread.
  for (const int64_t n : {2, 3, 4, 5, 767, 768, 1027, 9001, 20003}) {
    for (const int64_t skipped : {0, 1}) {  // 1: not aligned, so strided
      std::vector<float> grad(static_cast<size_t>(n + 1));
      std::iota(grad.begin(), grad.end(), 0.f);
      std::vector<float> param(grad);
      std::vector<float> v(grad.rbegin(), grad.rend());
      std::vector<float> expected_param(param);
      std::vector<float> expected_v(v);
      const MomentumOp op{0.125};
      for (int64_t i = skipped; i < n; ++i) {
        op(grad[i], expected_param[i], expected_v[i]);
      }
      run<MomentumOp, TypeList<float>, TypeList<float, float>>(
          op, make_flat_args(
                  n - skipped,
                  {bytes_of(grad) + 4 * skipped, bytes_of(param) + 4 * skipped,
                   bytes_of(v) + 4 * skipped},
                  {4, 4, 4}));
      EXPECT_EQ(param, expected_param);
      EXPECT_EQ(v, expected_v);
    }
  }
}

TEST_F(ElementwiseStepsTest, OperandsMayDifferInSize) {
  for (const int64_t n : {1, 5, 1000}) {
    std::vector<double> a(static_cast<size_t>(n));
    std::iota(a.begin(), a.end(), 0.);
    std::vector<double> b(static_cast<size_t>(n), 2.5);
    std::vector<int8_t> less(static_cast<size_t>(n + 16), 7);
    run<LessOp, TypeList<double, double>, TypeList<bool>>(
        LessOp(), make_flat_args(n, {bytes_of(a), bytes_of(b), bytes_of(less)},
                                 {8, 8, 1}));
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(less[i], a[i] < 2.5) << i;
    EXPECT_EQ(less[n], 7);
  }
}

TEST_F(ElementwiseStepsTest, BytesAreTakenEightAtATime) {
  std::vector<int8_t> a(40003);
  std::iota(a.begin(), a.end(), int8_t{0});
  std::vector<int8_t> sums(40003);
  run<AddOp, TypeList<int8_t, int8_t>, TypeList<int8_t>>(
      AddOp(), make_flat_args(40003, {bytes_of(a), bytes_of(a), bytes_of(sums)},
                              {1, 1, 1}));
  for (size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(sums[i], static_cast<int8_t>(2 * a[i]));
  }
}

}  // namespace
}  // namespace catena::cuda
