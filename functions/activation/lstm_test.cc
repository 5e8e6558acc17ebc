#include "catena/functions/activation/lstm.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/functions/activation/slstm.h"
#include "catena/functions/activation/tree_lstm.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using testing::check_function_gradients;
using ::testing::HasSubstr;
using testing::uniform;

std::array<Variable, 2> tree_lstm_of(const Variables& in) {
  return tree_lstm(std::span(in).first(in.size() - 1), in.back());
}

class LstmTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Lstm, LstmTest, testing::every_device(),
                         testing::device_name);

TEST_P(LstmTest, GradientsMatchFiniteDifferences) {
  // Each against the other shapes: 21 units fill no register exactly.
  check_function_gradients(lstm, {uniform({2, 21}), uniform({2, 84})});
  check_function_gradients(lstm, {uniform({3, 2}), uniform({1, 8})});
  check_function_gradients(lstm, {uniform({2, 2, 3}), uniform({2, 8, 3})});
  check_function_gradients(lstm, {uniform({0, 2}), uniform({0, 8})});
  check_function_gradients(lstm, {uniform({2, 0}), uniform({2, 0})});
}

TEST_P(LstmTest, GradientsOfOneOutputMatchFiniteDifferences) {
  for (const int k : {0, 1}) {
    const auto one = [k](const Variable& c_prev, const Variable& x) {
      return lstm(c_prev, x)[k];
    };
    check_function_gradients(one, {uniform({3, 2}), uniform({2, 8})});
  }
}

TEST_P(LstmTest, GradientsOfSlstmMatchFiniteDifferences) {
  const Array c = uniform({2, 3}, -1, 1, Dtype::kFloat64, 1);
  const Array x = uniform({2, 12}, -1, 1, Dtype::kFloat64, 2);
  check_function_gradients(slstm, {uniform({2, 3}), c, uniform({2, 12}), x});
  const Array empty = uniform({0, 12});
  check_function_gradients(slstm,
                           {uniform({0, 3}), uniform({0, 3}), empty, empty});
}

TEST_P(LstmTest, GradientsOfTreeLstmMatchFiniteDifferences) {
  for (const int children : {1, 2, 5}) {
    std::vector<Array> inputs;
    for (int k = 0; k < children; ++k) {
      inputs.push_back(uniform({2, 3}, -1, 1, Dtype::kFloat64, k));
    }
    inputs.push_back(uniform({2, 3 * (3 + children)}, -1, 1));
    check_function_gradients(tree_lstm_of, inputs);
  }
  check_function_gradients(tree_lstm_of,
                           {uniform({2, 2, 2}), uniform({2, 8, 2})});
}

// As many as the kernels take, and one more.
TEST_P(LstmTest, TreeLstmTakesAnyNumberOfChildren) {
  for (const int children : {13, 14}) {
    Variables inputs;
    for (int k = 0; k < children; ++k) {
      inputs.push_back(Variable(array::ones({2, 3})));
    }
    const Array x = array::zeros({2, 3 * (3 + children)});
    inputs.push_back(Variable(x));
    const auto [c, h] = tree_lstm_of(inputs);
    EXPECT_THAT(c.data(),
                testing::IsClose(array::full({2, 3}, 0.5 * children)));
    EXPECT_THAT(h.data(), testing::IsClose(array::full(
                              {2, 3}, 0.5 * std::tanh(0.5 * children))));
    c.set_grad(array::ones({2, 3}));
    c.backward();
    EXPECT_THAT(inputs[0].grad(), testing::IsClose(array::full({2, 3}, 0.5)));
  }
}

// Interleaved gates pass through registers in full blocks, and one by one at
// the end of a row: 300 units have both, and a second block.
TEST_P(LstmTest, LongRowsAreWhatShortOnesGive) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    const Array c = uniform({3, 300}, -1, 1, dtype, 1);
    const Array x = uniform({3, 1200}, -3, 3, dtype, 2);
    const auto [c_next, h] = lstm(Variable(c), Variable(x));
    for (const int64_t unit : {0, 15, 127, 128, 255, 299}) {
      const auto [c_one, h_one] =
          lstm(Variable(c[{Slice(), Slice(unit, unit + 1)}]),
               Variable(x[{Slice(), Slice(4 * unit, 4 * unit + 4)}]));
      EXPECT_THAT((c_next.data()[{Slice(), Slice(unit, unit + 1)}]),
                  testing::IsClose(c_one.data()));
      EXPECT_THAT((h.data()[{Slice(), Slice(unit, unit + 1)}]),
                  testing::IsClose(h_one.data()));
    }
  }
}

// c, h, and the gradients of the inputs, from those of both or of h alone.
template <class Function>
std::vector<Array> results_of(const Function& f, const std::vector<Array>& in,
                              bool has_gc) {
  Variables inputs;
  for (const Array& a : in) inputs.push_back(Variable(a));
  const auto [c, h] = f(inputs);
  std::vector<Array> results = {c.data(), h.data()};
  h.set_grad(array::full_like(h.data(), 0.75));
  if (has_gc) {
    c.set_grad(array::full_like(c.data(), -0.5));
    backward({c, h});
  } else {
    h.backward();
  }
  for (const Variable& x : inputs) results.push_back(x.grad());
  return results;
}

// 16 units are whole packs of any type, which GPUs read at once.
template <class Function>
void expect_same_of_packs(const Function& f, const std::vector<Array>& in) {
  const auto columns = [](const Array& a, int64_t unit) {
    const int64_t gates = a.shape()[1] / 16;
    return a[{Slice(), Slice(gates * unit, gates * (unit + 1))}];
  };
  for (const bool has_gc : {true, false}) {
    const std::vector<Array> all = results_of(f, in, has_gc);
    for (int64_t unit = 0; unit < 16; ++unit) {
      std::vector<Array> alone;
      for (const Array& a : in) alone.push_back(columns(a, unit));
      const std::vector<Array> expected = results_of(f, alone, has_gc);
      for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_THAT(columns(all[i], unit), testing::IsClose(expected[i]));
      }
    }
  }
}

TEST_P(LstmTest, PacksOfUnitsAreWhatSingleUnitsGive) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Array c = uniform({3, 16}, -1, 1, dtype, 1);
    const Array other = uniform({3, 16}, -1, 1, dtype, 2);
    const Array x = uniform({3, 64}, -3, 3, dtype, 3);
    const Array y = uniform({3, 64}, -3, 3, dtype, 4);
    expect_same_of_packs([](const Variables& in) { return lstm(in[0], in[1]); },
                         {c, x});
    expect_same_of_packs(
        [](const Variables& in) { return slstm(in[0], in[1], in[2], in[3]); },
        {c, other, x, y});
  }
}

TEST_P(LstmTest, SaturatesWithoutOverflow) {
  const Array x = array::full({1, 4}, 1e4);
  const Variable c_prev(array::full({1, 1}, 2.0));
  const Variable gates(x);
  const auto [c, h] = lstm(c_prev, gates);
  EXPECT_THAT(c.data(), testing::IsClose(array::full({1, 1}, 3.0)));
  EXPECT_THAT(h.data(), testing::IsClose(array::full({1, 1}, std::tanh(3.0))));
  backward({c, h});
  EXPECT_THAT(gates.grad(), testing::IsClose(array::zeros({1, 4})));
}

TEST_P(LstmTest, RowsBeyondTheSignalKeepTheirCells) {
  const Array c_prev = uniform({3, 2});
  const Variable kept(c_prev);
  const auto [c, h] = lstm(kept, Variable(uniform({1, 8})));
  EXPECT_EQ(h.shape(), Shape({1, 2}));
  EXPECT_THAT((c.data()[{Slice(1, 3)}]),
              testing::IsArray(c_prev[{Slice(1, 3)}]));
  // Starts from h alone: these rows have no part in it.
  h.set_grad(array::ones({1, 2}));
  h.backward();
  EXPECT_THAT((kept.grad()[{Slice(1, 3)}]),
              testing::IsArray(array::zeros({2, 2})));
}

TEST(LstmErrorTest, NamesWhatDoesNotFit) {
  const Variable c(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                lstm(c, Variable(array::zeros({2, 11})));
              }),
              HasSubstr("Invalid operation is performed in: lstm (Forward)\n\n"
                        "Expect: x.shape[1] == c_prev.shape[1] * 4\n"
                        "Actual: 11 != 12"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                lstm(c, Variable(array::zeros({3, 12})));
              }),
              HasSubstr("Expect: x.shape[0] <= c_prev.shape[0]"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                lstm(c, Variable(array::zeros({2, 12}, Dtype::kFloat32)));
              }),
              HasSubstr("Expect: x.dtype == c_prev.dtype"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                lstm(c, Variable(array::zeros({2, 12, 1})));
              }),
              HasSubstr("Expect: x.ndim == c_prev.ndim"));
  EXPECT_THAT(error_of<InvalidType>([] {
                lstm(Variable(array::zeros({2}, Dtype::kInt32)),
                     Variable(array::zeros({8}, Dtype::kInt32)));
              }),
              HasSubstr("c_prev.dtype is floating"));
}

TEST(LstmErrorTest, NamesWhatDoesNotFitSlstm) {
  const Variable c(array::zeros({2, 3}));
  const Variable x(array::zeros({2, 12}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                slstm(c, Variable(array::zeros({3, 3})), x, x);
              }),
              HasSubstr("Expect: c_prev2.shape == c_prev1.shape"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                slstm(c, c, x, Variable(array::zeros({2, 11})));
              }),
              HasSubstr("Expect: x2.shape == x1.shape"));
  const Variable short_x(array::zeros({2, 8}));
  EXPECT_THAT(error_of<InvalidType>([&] { slstm(c, c, short_x, short_x); }),
              HasSubstr("Expect: x1.shape[1] == c_prev1.shape[1] * 4"));
}

TEST(LstmErrorTest, NamesWhatDoesNotFitTreeLstm) {
  const Variable c(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                tree_lstm({c, c}, Variable(array::zeros({2, 12})));
              }),
              HasSubstr("Actual: 12 != 15"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                tree_lstm({c, Variable(array::zeros({2, 2}))},
                          Variable(array::zeros({2, 15})));
              }),
              HasSubstr("Expect: in_types[1].shape == in_types[0].shape"));
  EXPECT_THAT(error_of<InvalidType>([&] { tree_lstm({}, c); }),
              HasSubstr("tree_lstm (Forward)"));
}

// The baseline and AVX2 compute what AVX-512 does.
TEST(LstmTargetTest, EveryInstructionSetAgrees) {
  const KernelTarget best = cpu_kernel_target();
  const Array c = uniform({3, 21}, -1, 1, Dtype::kFloat32);
  const Array x = uniform({3, 84}, -1, 1, Dtype::kFloat32);
  const Array expected = lstm(Variable(c), Variable(x))[1].data();
  for (int target = 0; target < static_cast<int>(best); ++target) {
    set_cpu_kernel_target(static_cast<KernelTarget>(target));
    EXPECT_THAT(lstm(Variable(c), Variable(x))[1].data(),
                testing::IsClose(expected));
  }
  set_cpu_kernel_target(best);
}

}  // namespace
}  // namespace catena::functions
