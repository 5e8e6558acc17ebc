#include <gmock/gmock.h>

#include <functional>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/stack.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/rnn/n_step_gru.h"
#include "catena/functions/rnn/n_step_lstm.h"
#include "catena/functions/rnn/n_step_rnn.h"
#include "catena/functions/rnn/testing/n_step_call.h"
#include "catena/tests/support/cudnn_comparison.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::uniform;
using Lists = std::vector<std::vector<Variable>>;

class NStepTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(NStep, NStepTest, testing::every_device(),
                         testing::device_name);

void check_gradients(const NStepFunction& kind, int64_t n_layers,
                     const std::vector<int64_t>& batch_sizes) {
  testing::check_function_gradients(
      [&](const Variables& in) { return call_n_step(kind, n_layers, 0, in); },
      n_step_inputs(kind, n_layers, batch_sizes, /*in_size=*/2, /*units=*/3,
                    /*batch=*/batch_sizes[0]));
}

TEST_P(NStepTest, GradientsOfLstmMatchFiniteDifferences) {
  check_gradients(kLstm, 2, {3, 2, 2});
  check_gradients(kBiLstm, 1, {2, 1});
}

TEST_P(NStepTest, GradientsOfGruMatchFiniteDifferences) {
  check_gradients(kGru, 2, {2, 2, 1});
  check_gradients(kBiGru, 1, {2, 1});
}

TEST_P(NStepTest, GradientsOfRnnMatchFiniteDifferences) {
  check_gradients(kTanh, 2, {3, 1});
  check_gradients(kBiTanh, 1, {2, 1});
  check_gradients(kRelu, 1, {2, 2});
}

TEST_P(NStepTest, CudnnChangesNothing) {
  for (const NStepFunction& kind :
       {kLstm, kBiLstm, kGru, kBiGru, kTanh, kBiTanh, kRelu}) {
    for (const std::vector<int64_t>& batch_sizes :
         {std::vector<int64_t>{3, 2, 2, 1}, std::vector<int64_t>{2, 2, 0}}) {
      testing::check_cudnn_changes_nothing(
          [&](const Variables& in) { return call_n_step(kind, 2, 0, in); },
          n_step_inputs(kind, 2, batch_sizes, /*in_size=*/4, /*units=*/5,
                        /*batch=*/4));
    }
  }
}

// Though cuDNN's gradients overwrite what its forward pass has kept.
TEST_P(NStepTest, GradientsCanBeComputedTwice) {
  Variables in;
  for (const Array& a : n_step_inputs(kLstm, 2, {3, 2, 2}, 4, 5, 3)) {
    in.push_back(Variable(a));
  }
  const std::vector<Variable> out = call_n_step(kLstm, 2, 0, in);
  const auto gradients = [&] {
    std::vector<Array> result;
    for (const Variable& g : grad(out, {in.begin(), in.end()})) {
      result.push_back(g.data());
    }
    return result;
  };
  const std::vector<Array> first = gradients();
  const std::vector<Array> second = gradients();
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_THAT(second[i], testing::IsArray(first[i])) << i;
  }
}

TEST_P(NStepTest, TakesStepsWithoutRows) {
  check_gradients(kLstm, 1, {2, 0});
  check_gradients(kGru, 1, {0, 0});
}

// Sequences that are shorter, or states of rows that have none.
TEST_P(NStepTest, RowsWithoutAStepKeepTheirStates) {
  const std::vector<Array> arrays = n_step_inputs(kLstm, 1, {2, 1}, 2, 3, 4);
  const Variables in = [&] {
    Variables result;
    for (const Array& a : arrays) result.push_back(Variable(a));
    return result;
  }();
  const std::vector<Variable> out = call_n_step(kLstm, 1, 0, in);
  const auto rest = [](const Array& a) { return a[{Slice(), Slice(2, 4)}]; };
  EXPECT_THAT(rest(out[0].data()), testing::IsArray(rest(arrays[0])));
  EXPECT_THAT(rest(out[1].data()), testing::IsArray(rest(arrays[1])));
  // The longer sequence's last state is its last output.
  EXPECT_THAT((out[0].data()[{0, 0}]), testing::IsArray(out[3].data()[0]));
  EXPECT_THAT((out[0].data()[{0, 1}]), testing::IsArray(out[2].data()[1]));
}

TEST_P(NStepTest, HalfPrecisionIsCloseToSingle) {
  const std::vector<Array> exact =
      n_step_inputs(kLstm, 2, {3, 2}, 4, 5, 3, Dtype::kFloat32);
  Variables single;
  Variables half;
  for (const Array& a : exact) {
    single.push_back(Variable(a));
    half.push_back(Variable(a.astype(Dtype::kFloat16)));
  }
  const std::vector<Variable> expected = call_n_step(kLstm, 2, 0, single);
  const std::vector<Variable> actual = call_n_step(kLstm, 2, 0, half);
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_THAT(
        actual[i].data().astype(Dtype::kFloat32),
        testing::IsClose(expected[i].data(), {.rtol = 0.02, .atol = 0.02}));
  }
}

// The same bits with less work, gradients included.
TEST_P(NStepTest, OneArrayIsAListOfSteps) {
  for (const NStepFunction& kind :
       {kLstm, kBiLstm, kGru, kBiGru, kTanh, kBiTanh, kRelu}) {
    const std::vector<int64_t> sizes(4, 3);
    std::vector<Array> arrays =
        n_step_inputs(kind, 2, sizes, /*in_size=*/5, /*units=*/4, /*batch=*/3);
    const auto variables = [](const std::vector<Array>& arrays) {
      Variables result;
      for (const Array& a : arrays) result.push_back(Variable(a));
      return result;
    };
    const Variables listed = variables(arrays);
    const std::vector<Array> steps(arrays.end() - 4, arrays.end());
    arrays.resize(arrays.size() - 4);
    arrays.push_back(array::stack(steps));
    const Variables stacked = variables(arrays);

    const auto expected = call_n_step(kind, 2, 0, listed);
    const auto actual = call_n_step(kind, 2, 0, stacked, NStepInput::kArray);
    const size_t states = kind.has_cells ? 2 : 1;
    ASSERT_EQ(actual.size(), states + 1);
    const std::vector<Variable> ys(expected.begin() + states, expected.end());
    const Variable y = stack(ys);
    EXPECT_THAT(actual.back().data(), testing::IsArray(y.data()));
    const Array gy = uniform(y.shape(), -1, 1, Dtype::kFloat64, 8);
    const auto backpropagate = [&](const Variable& hy, const Variable& ys) {
      Variable loss = sum(ys * as_variable(gy)) + sum(hy * hy);
      loss.backward();
    };
    backpropagate(expected[0], y);
    backpropagate(actual[0], actual.back());
    for (size_t i = 0; i < stacked.size(); ++i) {
      if (i + 1 < stacked.size()) {
        EXPECT_THAT(stacked[i].grad(), testing::IsArray(listed[i].grad())) << i;
        continue;
      }
      for (int64_t t = 0; t < 4; ++t) {
        EXPECT_THAT(
            stacked[i].grad()[t],
            testing::IsArray(listed[i + static_cast<size_t>(t)].grad()));
      }
    }
  }
}

TEST_P(NStepTest, GradientsOfOneArrayMatchFiniteDifferences) {
  std::vector<Array> arrays = n_step_inputs(kLstm, 1, {}, 2, 3, 2);
  arrays.push_back(uniform({3, 2, 2}));
  testing::check_function_gradients(
      [&](const Variables& in) {
        return call_n_step(kLstm, 1, 0, in, NStepInput::kArray);
      },
      arrays);
}

// All of it is dropped but the last layer's: it sees its biases alone.
TEST_P(NStepTest, DropoutActsBetweenLayersWhileTraining) {
  const std::vector<Array> arrays = n_step_inputs(kTanh, 2, {2, 2}, 2, 3, 2);
  Variables in;
  for (const Array& a : arrays) in.push_back(Variable(a));
  const auto run = [&](double ratio, bool train) {
    const auto scope = using_config(&Config::train, train);
    return call_n_step(kTanh, 2, ratio, in).back().data();
  };
  const Array plain = run(0, true);
  EXPECT_THAT(run(0.9, false), testing::IsArray(plain));
  EXPECT_THAT(run(0.9, true), ::testing::Not(testing::IsClose(plain)));
  // The first layer, whose input is never dropped, ends as without dropout.
  const auto scope = using_config(&Config::train, true);
  EXPECT_THAT(call_n_step(kTanh, 2, 0.9, in)[0].data()[0],
              testing::IsArray(call_n_step(kTanh, 2, 0, in)[0].data()[0]));
}

Variable zeros(const Shape& shape, Dtype dtype = Dtype::kFloat64) {
  return Variable(array::zeros(shape, dtype));
}

// The arguments of an LSTM of two layers, which fit.
struct Arguments {
  int64_t n_layers = 2;
  double dropout = 0;
  Variable hx = zeros({2, 3, 4});
  Variable cx = zeros({2, 3, 4});
  Lists ws = {{zeros({4, 5}), zeros({4, 5}), zeros({4, 5}), zeros({4, 5}),
               zeros({4, 4}), zeros({4, 4}), zeros({4, 4}), zeros({4, 4})},
              std::vector<Variable>(8, zeros({4, 4}))};
  Lists bs = Lists(2, std::vector<Variable>(8, zeros({4})));
  std::vector<Variable> xs = {zeros({3, 5}), zeros({2, 5})};
};

// That n_step_lstm rejects the arguments when they are changed so.
template <class Error = InvalidType>
void expect_error(const std::function<void(Arguments&)>& change,
                  const std::string& message) {
  Arguments a;
  change(a);
  EXPECT_THAT(error_of<Error>([&] {
                n_step_lstm(a.n_layers, a.dropout, a.hx, a.cx, a.ws, a.bs,
                            a.xs);
              }),
              HasSubstr("n_step_lstm: expected " + message));
}

TEST(NStepErrorTest, NamesStatesThatDoNotFit) {
  expect_error(
      [](Arguments& a) {
        a.hx = zeros({3, 3, 4});
      },
      "hx of shape (2, B, N), got (3, 3, 4)");
  expect_error(
      [](Arguments& a) {
        a.hx = zeros({2, 4});
      },
      "hx of shape (2, B, N), got (2, 4)");
  expect_error([](Arguments& a) { a.hx = Variable(); },
               "hx to be an array, got none");
  expect_error(
      [](Arguments& a) {
        a.hx = zeros({2, 3, 4}, Dtype::kInt32);
      },
      "hx of a floating dtype, got int32");
  expect_error(
      [](Arguments& a) {
        a.cx = zeros({2, 3, 5});
      },
      "cx of hx's shape (2, 3, 4), got (2, 3, 5)");
  expect_error([](Arguments& a) { a.cx = Variable(); },
               "cx to be an array, got none");
}

TEST(NStepErrorTest, NamesStepsThatDoNotFit) {
  expect_error<ValueError>([](Arguments& a) { a.xs = {}; }, "nonempty xs");
  expect_error(
      [](Arguments& a) {
        a.xs[0] = zeros({4, 5});
      },
      "xs[0] of at most 3 rows, as many as hx has");
  expect_error(
      [](Arguments& a) {
        a.xs[0] = zeros({1, 5});
      },
      "xs[1] of at most 1 rows, as many as the step before it, got "
      "(2, 5); sort the sequences by descending length");
  expect_error(
      [](Arguments& a) {
        a.xs[1] = zeros({2, 6});
      },
      "xs[1] of shape (B, I) with one I for all, got (2, 6)");
  expect_error(
      [](Arguments& a) {
        a.xs[1] = zeros({2, 5}, Dtype::kFloat32);
      },
      "xs[1] of hx's dtype float64, got float32");
}

TEST(NStepErrorTest, NamesArraysOfStepsThatDoNotFit) {
  const auto expect = [](const Variable& xs, const std::string& message) {
    const Arguments a;
    EXPECT_THAT(error_of<Error>([&] {
                  n_step_lstm(a.n_layers, a.dropout, a.hx, a.cx, a.ws, a.bs,
                              xs);
                }),
                HasSubstr("n_step_lstm: expected " + message));
  };
  expect(zeros({3, 5}),
         "xs of shape (T, B, I), or a list of steps, got (3, 5)");
  expect(zeros({0, 3, 5}), "at least one step, got xs of shape (0, 3, 5)");
  expect(zeros({2, 4, 5}),
         "steps of at most 3 rows, as many as hx has in its second axis, got "
         "xs of shape (2, 4, 5)");
  expect(zeros({2, 3, 6}), "ws[0][0] of shape (4, 6), got (4, 5)");
  expect(zeros({2, 3, 5}, Dtype::kFloat32),
         "xs of hx's dtype float64, got float32");
  expect(Variable(), "xs to be an array, got none");
}

TEST(NStepErrorTest, NamesWeightsThatDoNotFit) {
  expect_error<ValueError>([](Arguments& a) { a.ws.pop_back(); },
                           "ws for 2 layers, got 1");
  expect_error<ValueError>([](Arguments& a) { a.bs[1].pop_back(); },
                           "8 arrays in bs[1], got 7");
  expect_error(
      [](Arguments& a) {
        a.ws[0][3] = zeros({4, 4});
      },
      "ws[0][3] of shape (4, 5), got (4, 4)");
  expect_error(
      [](Arguments& a) {
        a.ws[1][4] = zeros({5, 4});
      },
      "ws[1][4] of shape (4, 4), got (5, 4)");
  expect_error([](Arguments& a) { a.bs[0][0] = zeros({5}); },
               "bs[0][0] of shape (4,), got (5,)");
  expect_error([](Arguments& a) { a.ws[1][0] = Variable(); },
               "ws[1][0] to be an array, got none");
}

TEST(NStepErrorTest, NamesNumbersOutOfRange) {
  expect_error<ValueError>([](Arguments& a) { a.n_layers = 0; },
                           "n_layers of at least 1, got 0");
  expect_error<ValueError>([](Arguments& a) { a.dropout = 1; },
                           "dropout_ratio in [0, 1), got 1");
  EXPECT_THAT(error_of<ValueError>([] {
                n_step_rnn(1, 0, zeros({1, 1, 1}), {}, {}, {zeros({1, 1})},
                           {.activation = "sigmoid"});
              }),
              HasSubstr("n_step_rnn: expected activation \"tanh\" or \"relu\", "
                        "got \"sigmoid\""));
}

}  // namespace
}  // namespace catena::functions
