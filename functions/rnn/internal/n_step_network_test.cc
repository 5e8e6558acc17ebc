// All layers in one call, with a library in cuDNN's place that computes them
// from the packed weights by our own functions: whether weights, states, masks
// and gradients go where they belong. What cuDNN computes, only a GPU can tell
// (//functions:cudnn_and_own_test).

#include "catena/functions/rnn/internal/n_step_network.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "catena/array/core/capture.h"
#include "catena/array/core/captured_work.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/stack.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/rnn/internal/n_step_cudnn.h"
#include "catena/functions/rnn/testing/n_step_call.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

constexpr uint8_t kUnused = 7;

// The masks of one call, for each layer but the first.
using Masks = std::vector<Array>;

// What the library is to do, and what it was asked.
struct Library {
  bool has_gaps = false;
  bool declines_layouts = false;
  bool declines_calls = false;

  int layouts = 0;
  int calls = 0;
  int gradients = 0;
  std::vector<bool> trains = {};
  std::vector<double> ratios = {};
  std::vector<Masks> masks = {};  // that were drawn
  int repeats = 0;                // of calls, with the same masks
};
Library library;

// The arrays that the packed weights are copied from, without their contents.
NStepInputs forms_of_weights(const NStepNetwork& network, const NStepInputs& in,
                             bool allocates) {
  NStepInputs result;
  const int gates = gate_count(network.kind);
  const int64_t units = in.hx.shape()[2];
  const int64_t directions = network.directions();
  const auto add = [&](std::vector<Array>& list, const Shape& shape) {
    list.push_back(array::empty(shape, in.x.dtype(),
                                allocates ? in.x.device() : native_device()));
  };
  for (int64_t k = 0; k < network.n_layers * directions; ++k) {
    for (int j = 0; j < 2 * gates; ++j) {
      const int64_t below =
          k < directions ? in.x.shape()[1] : units * directions;
      add(result.ws, {units, j < gates ? below : units});
      add(result.bs, {units});
    }
  }
  return result;
}

// From the last bias to the first matrix, so that nothing is in its place by
// chance.
NStepWeightLayout layout_of(const NStepInputs& weights) {
  NStepWeightLayout layout;
  const auto place = [&](const Array& a) {
    const int64_t begin = layout.bytes;
    layout.bytes += a.nbytes();
    if (library.has_gaps) layout.bytes += 3 * a.itemsize();
    return begin;
  };
  for (size_t i = weights.bs.size(); i-- > 0;) {
    layout.bs.push_back(place(weights.bs[i]));
  }
  for (size_t i = weights.ws.size(); i-- > 0;) {
    layout.ws.push_back(place(weights.ws[i]));
  }
  std::ranges::reverse(layout.bs);
  std::ranges::reverse(layout.ws);
  return layout;
}

std::optional<NStepWeightLayout> fake_layout(const NStepNetwork& network,
                                             const NStepInputs& in) {
  ++library.layouts;
  if (library.declines_layouts) return std::nullopt;
  const NStepInputs expected =
      forms_of_weights(network, in, /*allocates=*/false);
  EXPECT_EQ(in.ws.size(), expected.ws.size());
  for (size_t i = 0; i < in.ws.size(); ++i) {
    EXPECT_EQ(in.ws[i].shape(), expected.ws[i].shape());
  }
  return layout_of(expected);
}

// All layers by our own functions.
NStepLayerResult compute(const NStepNetwork& network, const Variable& x,
                         const Variable& hx, const Variable& cx,
                         const std::vector<Variable>& ws,
                         const std::vector<Variable>& bs, const Masks& masks) {
  EXPECT_EQ(hx.shape()[1], network.batch_sizes[0]);
  EXPECT_GT(network.batch_sizes.back(), 0);
  const auto count = static_cast<size_t>(2 * gate_count(network.kind));
  Variable h = x;
  std::vector<Variable> hys;
  std::vector<Variable> cys;
  int64_t k = 0;
  for (int64_t l = 0; l < network.n_layers; ++l) {
    if (l > 0 && network.dropout_ratio > 0) {
      h = h * as_variable(masks[static_cast<size_t>(l - 1)]);
    }
    std::vector<Variable> outputs;
    for (int64_t d = 0; d < network.directions(); ++d, ++k) {
      const auto of_layer = [&](const std::vector<Variable>& list) {
        return std::span<const Variable>(list).subspan(
            static_cast<size_t>(k) * count, count);
      };
      const NStepLayerResult result = n_step_layer(
          {network.kind, network.batch_sizes, d == 1}, h, get_item(hx, {k}),
          cx.defined() ? get_item(cx, {k}) : Variable(),
          {of_layer(ws), of_layer(bs)});
      outputs.push_back(result.y);
      hys.push_back(result.hy);
      cys.push_back(result.cy);
    }
    h = concat(outputs, {.axis = 1});
  }
  return {h, stack(hys), cx.defined() ? stack(cys) : Variable()};
}

std::vector<Variable> variables(const std::vector<Array>& arrays) {
  std::vector<Variable> result;
  for (const Array& a : arrays) result.push_back(Variable(a));
  return result;
}

Masks drawn_masks(const NStepNetwork& network, const NStepInputs& in) {
  Masks result;
  const double kept = 1 - network.dropout_ratio;
  const Shape shape{in.x.shape()[0], in.hx.shape()[2] * network.directions()};
  for (int64_t l = 1; l < network.n_layers; ++l) {
    result.push_back(array::random::generator(in.x.device())
                         .bernoulli(kept, shape, in.x.dtype(), 1 / kept));
  }
  return result;
}

Masks masks_of(const Array& dropout) {
  if (!dropout.defined()) return {};
  // Captured work can't read it.
  if (current_capture() != nullptr) return library.masks.back();
  return library.masks[static_cast<size_t>(dropout.item<int64_t>())];
}

std::optional<CudnnNStepResult> fake_call(const NStepNetwork& network,
                                          const CudnnNStepNetworkArgs& args) {
  ++library.calls;
  if (library.declines_calls) throw cudnn::NotSupported();
  library.trains.push_back(args.trains);
  library.ratios.push_back(network.dropout_ratio);
  const NStepInputs& in = args.in;
  EXPECT_TRUE(in.ws.empty());
  const NStepInputs forms = forms_of_weights(network, in, true);
  const NStepWeightLayout layout = layout_of(forms);
  // What is kept of dropout: the number of its masks.
  Array dropout = args.dropout;
  if (dropout.defined()) {
    ++library.repeats;
  } else if (network.dropout_ratio > 0) {
    dropout = array::full({1}, static_cast<double>(library.masks.size()),
                          Dtype::kInt64);
    library.masks.push_back(drawn_masks(network, in));
  }
  const auto scope = no_backprop_mode();
  const NStepLayerResult result =
      compute(network, Variable(in.x), Variable(in.hx),
              in.cx.defined() ? Variable(in.cx) : Variable(),
              variables(unpacked_weights(args.weights, layout.ws, forms.ws)),
              variables(unpacked_weights(args.weights, layout.bs, forms.bs)),
              masks_of(dropout));
  CudnnNStepResult results{.y = result.y.data(),
                           .hy = result.hy.data(),
                           .cy = in.cx.defined() ? result.cy.data() : Array(),
                           .kept = {}};
  if (args.trains) {
    results.kept.reserve = array::full({1}, kUnused, Dtype::kUInt8);
    results.kept.weights = args.weights;
    results.kept.dropout = dropout;
  }
  return results;
}

std::optional<CudnnNStepNetworkGradients> fake_gradients(
    const NStepNetwork& network, const CudnnNStepGradientArgs& args) {
  ++library.gradients;
  EXPECT_EQ(args.kept.reserve.item<uint8_t>(), kUnused);
  args.kept.reserve.fill(0);
  const NStepInputs& in = args.in;
  const NStepInputs forms = forms_of_weights(network, in, true);
  const NStepWeightLayout layout = layout_of(forms);
  const auto scope = force_backprop_mode();
  std::vector<Variable> sources{Variable(in.x), Variable(in.hx)};
  const auto ws =
      variables(unpacked_weights(args.kept.weights, layout.ws, forms.ws));
  const auto bs =
      variables(unpacked_weights(args.kept.weights, layout.bs, forms.bs));
  sources.insert(sources.end(), ws.begin(), ws.end());
  sources.insert(sources.end(), bs.begin(), bs.end());
  const Variable cx = in.cx.defined() ? Variable(in.cx) : Variable();
  if (cx.defined()) sources.push_back(cx);
  const NStepLayerResult result = compute(network, sources[0], sources[1], cx,
                                          ws, bs, masks_of(args.kept.dropout));
  EXPECT_THAT(args.y, testing::IsArray(result.y.data()));
  std::vector<Variable> outputs;
  GradOptions options;
  const auto add = [&](const Variable& output, const Array& gradient) {
    if (!gradient.defined()) return;
    outputs.push_back(output);
    options.grad_outputs.push_back(Variable(gradient));
  };
  add(result.y, args.gy);
  add(result.hy, args.ghy);
  add(result.cy, args.gcy);
  std::vector<Array> gradients;
  const std::vector<Variable> found = grad(outputs, sources, options);
  for (size_t i = 0; i < found.size(); ++i) {
    gradients.push_back(found[i].defined()
                            ? found[i].data()
                            : array::zeros_like(sources[i].data()));
  }
  CudnnNStepNetworkGradients results{
      .x = gradients[0],
      .hx = gradients[1],
      .cx = cx.defined() ? gradients.back() : Array(),
      .weights = {}};
  if (args.wants_weights) {
    const std::span<const Array> all(gradients);
    results.weights = pack_weights(layout, all.subspan(2, ws.size()),
                                   all.subspan(2 + ws.size(), bs.size()));
  }
  return results;
}

class NStepNetworkTest : public testing::DeviceTest {
 protected:
  void SetUp() override {
    testing::DeviceTest::SetUp();
    library = {};
    n_step_network_layout_cudnn.fill(fake_layout);
    n_step_network_cudnn.fill(fake_call);
    n_step_network_gradients_cudnn.fill(fake_gradients);
  }
  void TearDown() override {
    n_step_network_layout_cudnn.fill(nullptr);
    n_step_network_cudnn.fill(nullptr);
    n_step_network_gradients_cudnn.fill(nullptr);
    testing::DeviceTest::TearDown();
  }
  // Whether the library is asked: on the CPU never.
  bool is_asked() const { return !device().is_native(); }
};
INSTANTIATE_TEST_SUITE_P(NStep, NStepNetworkTest, testing::every_device(),
                         testing::device_name);

ConfigScope<bool> in_one_call(bool is_on = true) {
  return using_config(&Config::use_cudnn_rnn_stack, is_on);
}

constexpr NStepFunction kKinds[] = {kLstm, kBiLstm, kGru, kBiGru,
                                    kTanh, kBiTanh, kRelu};

std::vector<Array> inputs_of(const NStepFunction& kind, int64_t n_layers,
                             const std::vector<int64_t>& batch_sizes,
                             int64_t batch, Dtype dtype = Dtype::kFloat64) {
  return n_step_inputs(kind, n_layers, batch_sizes, /*in_size=*/4, /*units=*/5,
                       batch, dtype);
}

// Outputs without and with a graph, and the gradients of all inputs, twice.
std::vector<Array> results(const NStepFunction& kind, int64_t n_layers,
                           double dropout, const std::vector<Array>& arrays) {
  Variables in;
  for (const Array& a : arrays) in.push_back(Variable(a));
  std::vector<Array> result;
  {
    const auto scope = no_backprop_mode();
    for (const Variable& y : call_n_step(kind, n_layers, dropout, in)) {
      result.push_back(y.data());
    }
  }
  const std::vector<Variable> out = call_n_step(kind, n_layers, dropout, in);
  GradOptions options;
  for (const Variable& y : out) {
    result.push_back(y.data());
    options.grad_outputs.push_back(Variable(
        testing::uniform(y.shape(), -1, 1, y.dtype(), /*seed=*/result.size())));
  }
  const std::vector<Variable> sources(in.begin(), in.end());
  for (int pass = 0; pass < 2; ++pass) {
    for (const Variable& g : grad(out, sources, options)) {
      result.push_back(g.data());
    }
  }
  return result;
}

TEST_P(NStepNetworkTest, GivesWhatItsLayersGive) {
  struct Rows {
    std::vector<int64_t> batch_sizes;
    int64_t batch;
  };
  const Rows all_rows[] = {{{3, 2, 2, 1}, 3}, {{2, 2, 0}, 4}, {{1}, 1}};
  for (const NStepFunction& kind : kKinds) {
    for (const int64_t n_layers : {1, 3}) {
      for (const auto& [batch_sizes, batch] : all_rows) {
        const auto arrays = inputs_of(kind, n_layers, batch_sizes, batch);
        const auto expected = results(kind, n_layers, 0, arrays);
        for (const bool has_gaps : {false, true}) {
          library = {.has_gaps = has_gaps};
          const auto scope = in_one_call();
          const auto actual = results(kind, n_layers, 0, arrays);
          ASSERT_EQ(actual.size(), expected.size());
          for (size_t i = 0; i < actual.size(); ++i) {
            EXPECT_THAT(actual[i], testing::IsClose(expected[i])) << i;
          }
          // The second pass over the graph computes the layers again.
          EXPECT_EQ(library.layouts, is_asked() ? 2 : 0);
          EXPECT_EQ(library.gradients, is_asked() ? 2 : 0);
          EXPECT_THAT(library.trains,
                      ::testing::ElementsAreArray(
                          is_asked() ? std::vector<bool>{false, true, true}
                                     : std::vector<bool>{}));
        }
      }
    }
  }
}

TEST_P(NStepNetworkTest, TakesEveryFloatingDtype) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const auto arrays = inputs_of(kBiLstm, 2, {3, 1}, 3, dtype);
    const auto expected = results(kBiLstm, 2, 0, arrays);
    const auto scope = in_one_call();
    const auto actual = results(kBiLstm, 2, 0, arrays);
    for (size_t i = 0; i < actual.size(); ++i) {
      EXPECT_THAT(actual[i], testing::IsClose(expected[i])) << dtype << i;
    }
  }
}

TEST_P(NStepNetworkTest, GivesTheSecondGradientsOfItsLayers) {
  const auto arrays = inputs_of(kBiLstm, 2, {3, 1}, 4);
  const auto second_gradients = [&] {
    std::vector<Variable> sources;
    for (const Array& a : arrays) sources.push_back(Variable(a));
    const std::vector<Variable> out =
        call_n_step(kBiLstm, 2, 0, Variables(sources.begin(), sources.end()));
    Variable loss;
    for (const Variable& g :
         grad(out, sources, {.enable_double_backprop = true})) {
      const Variable square = sum(g * g);
      loss = loss.defined() ? loss + square : square;
    }
    std::vector<Array> result;
    for (const Variable& g : grad({loss}, sources)) result.push_back(g.data());
    return result;
  };
  const auto expected = second_gradients();
  const auto scope = in_one_call();
  const auto actual = second_gradients();
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_THAT(actual[i], testing::IsClose(expected[i])) << i;
  }
  EXPECT_EQ(library.calls, is_asked() ? 1 : 0);
}

TEST_P(NStepNetworkTest, IsLeftOutUnlessTheSettingsAskForIt) {
  const auto arrays = inputs_of(kLstm, 2, {2, 1}, 2);
  results(kLstm, 2, 0, arrays);
  const auto scope = in_one_call();
  const auto never = using_config(&Config::use_cudnn, Usage::kNever);
  results(kLstm, 2, 0, arrays);
  EXPECT_EQ(library.layouts + library.calls, 0);
}

// On the CPU, and where nothing fills the slots, the setting changes nothing.
TEST_P(NStepNetworkTest, WithoutTheLibraryTheLayersRun) {
  n_step_network_layout_cudnn.fill(nullptr);
  for (const double dropout : {0.0, 0.5}) {
    const auto arrays = inputs_of(kBiLstm, 2, {3, 2}, 3);
    array::random::seed(3);
    const auto expected = results(kBiLstm, 2, dropout, arrays);
    array::random::seed(3);
    const auto scope = in_one_call();
    const auto actual = results(kBiLstm, 2, dropout, arrays);
    for (size_t i = 0; i < actual.size(); ++i) {
      EXPECT_THAT(actual[i], testing::IsArray(expected[i])) << i;
    }
  }
}

// With their own dropout.
TEST_P(NStepNetworkTest, LayersRunWhereTheLibraryDeclines) {
  const auto arrays = inputs_of(kLstm, 3, {2, 2}, 3);
  for (const double dropout : {0.0, 0.5}) {
    array::random::seed(5);
    const auto expected = results(kLstm, 3, dropout, arrays);
    for (const bool late : {false, true}) {
      library = {.declines_layouts = !late, .declines_calls = late};
      array::random::seed(5);
      const auto scope = in_one_call();
      const auto actual = results(kLstm, 3, dropout, arrays);
      for (size_t i = 0; i < actual.size(); ++i) {
        EXPECT_THAT(actual[i], testing::IsClose(expected[i])) << i;
      }
      EXPECT_EQ(library.gradients, 0);
      EXPECT_EQ(library.calls > 0, late && is_asked());
    }
  }
}

TEST_P(NStepNetworkTest, NothingRunsWithoutRows) {
  const auto scope = in_one_call();
  results(kGru, 2, 0, inputs_of(kGru, 2, {0, 0}, 2));
  EXPECT_EQ(library.layouts, 0);
}

TEST_P(NStepNetworkTest, DropoutDrawsMasksForEachCall) {
  if (!is_asked()) GTEST_SKIP() << "the CPU has its own dropout";
  const auto scope = in_one_call();
  const auto arrays = inputs_of(kBiLstm, 3, {3, 2, 2}, 3);
  const auto all = results(kBiLstm, 3, 0.25, arrays);
  EXPECT_THAT(library.ratios, ::testing::Each(0.25));
  EXPECT_THAT(library.trains, ::testing::ElementsAre(false, true, true));
  // The second pass over the graph repeats the call.
  EXPECT_EQ(library.masks.size(), 2);
  EXPECT_EQ(library.repeats, 1);
  const size_t n_inputs = arrays.size();
  for (size_t i = all.size() - n_inputs; i < all.size(); ++i) {
    EXPECT_THAT(all[i], testing::IsArray(all[i - n_inputs])) << i;
  }
}

TEST_P(NStepNetworkTest, DropoutIsForTrainingAndBetweenLayers) {
  const auto scope = in_one_call();
  results(kLstm, 1, 0.5, inputs_of(kLstm, 1, {2, 1}, 2));
  const auto test = using_config(&Config::train, false);
  results(kLstm, 2, 0.5, inputs_of(kLstm, 2, {2, 1}, 2));
  EXPECT_THAT(library.ratios, ::testing::Each(0.0));
  EXPECT_EQ(library.calls, is_asked() ? 6 : 0);
}

TEST_P(NStepNetworkTest, NamesWhatTheLibrarysDropoutCantDo) {
  if (!is_asked()) GTEST_SKIP() << "the CPU has its own dropout";
  const auto scope = in_one_call();
  Variables in;
  for (const Array& a : inputs_of(kLstm, 2, {2, 1}, 2)) {
    in.push_back(Variable(a));
  }
  const std::vector<Variable> out = call_n_step(kLstm, 2, 0.5, in);
  EXPECT_THAT(
      error_of<NotImplementedError>(
          [&] { grad(out, {in[0]}, {.enable_double_backprop = true}); }),
      HasSubstr("config().use_cudnn_rnn_stack = false has all gradients"));
}

TEST_P(NStepNetworkTest, CanBeCaptured) {
  if (!can_capture(device())) GTEST_SKIP() << "no graphs on this device";
  const auto scope = in_one_call();
  const auto arrays = inputs_of(kTanh, 2, {2, 1}, 2);
  Variables in;
  for (const Array& a : arrays) in.push_back(Variable(a));
  for (const double dropout : {0.0, 0.5}) {
    library = {};
    Array y;
    const auto work = capture_work(device(), [&] {
      y = call_n_step(kTanh, 2, dropout, in).back().data();
    });
    EXPECT_EQ(library.calls, 1);
    std::set<double> sums;
    for (int launch = 0; launch < 4; ++launch) {
      work->launch();
      sums.insert(y.sum().item<double>());
    }
    EXPECT_EQ(sums.size() > 1, dropout > 0);
  }
}

}  // namespace
}  // namespace catena::functions
