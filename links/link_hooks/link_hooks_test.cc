#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/decomposition.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/deconvolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/link_hooks/spectral_normalization.h"
#include "catena/links/link_hooks/timer_hook.h"
#include "catena/links/link_hooks/weight_standardization.h"
#include "catena/links/sequential.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::link_hooks {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class LinkHooksTest : public ::catena::testing::DeviceTest {};

Array on_host(const Array& a) { return a.to_device(native_device()); }

// Calls "call0", "call1", ... in a row, as SpectralNormalization's cases have
// them, and then all gradients.
template <class T>
void expect_golden_calls(T& link, const GoldenCase& golden) {
  std::vector<Variable> inputs, outputs;
  link.cleargrads();
  for (int t = 0;; ++t) {
    const std::string call = "call" + std::to_string(t) + "/";
    if (!golden.has(call + "in0")) break;
    SCOPED_TRACE(call);
    const auto train =
        using_config(&Config::train, !golden.has(call + "config/train"));
    inputs.emplace_back(golden.array(call + "in0").to_device(link.device()));
    outputs.push_back(link(inputs.back()));
    EXPECT_THAT(on_host(outputs.back().data()), golden.is_close(call + "out0"));
    EXPECT_THAT(on_host(link.persistent("W_u")),
                golden.is_close(call + "after/W_u"));
    if (!golden.has(call + "gout0")) {
      inputs.pop_back();
      outputs.pop_back();
      continue;
    }
    outputs.back().set_grad(
        golden.array(call + "gout0").to_device(link.device()));
  }
  ASSERT_EQ(outputs.size(), 2u);
  backward(outputs);
  for (size_t t = 0; t < inputs.size(); ++t) {
    const std::string key = "call" + std::to_string(t) + "/gin0";
    EXPECT_THAT(on_host(inputs[t].grad()), golden.is_close(key));
  }
  for (const auto& [path, param] : link.namedparams()) {
    SCOPED_TRACE(path);
    EXPECT_THAT(on_host(param.grad()), golden.is_close("gparam" + path));
  }
}

links::Convolution2D convolution_of(const GoldenCase& golden) {
  return links::Convolution2D(golden.attr<int64_t>("in_channels"),
                              golden.attr<int64_t>("out_channels"),
                              golden.attr<int64_t>("ksize"));
}

// chainer 7.8.1
TEST_P(LinkHooksTest, SpectralNormalizationFollowsChainer) {
  int cases = 0;
  for (const GoldenCase& golden :
       golden_cases("links/hook_SpectralNormalization")) {
    SCOPED_TRACE(golden.name());
    const auto hook =
        std::make_shared<SpectralNormalization>(SpectralNormalizationOptions{
            .n_power_iteration = golden.attr<int64_t>("n_power_iteration"),
            .eps = golden.attr<double>("eps")});
    const auto expect_case = [&](auto link) {
      ::catena::testing::set_golden_params(link, golden);
      link.add_hook(hook);
      link.persistent("W_u").assign(
          golden.array("persist/W_u").to_device(link.device()));
      expect_golden_calls(link, golden);
    };
    if (golden.attr<std::string>("link") == "Linear") {
      expect_case(links::Linear(golden.attr<int64_t>("in_size"),
                                golden.attr<int64_t>("out_size")));
    } else {
      expect_case(convolution_of(golden));
    }
    ++cases;
  }
  EXPECT_EQ(cases, 2);
}

TEST_P(LinkHooksTest, WeightStandardizationFollowsChainer) {
  int cases = 0;
  for (const GoldenCase& golden :
       golden_cases("links/hook_WeightStandardization")) {
    SCOPED_TRACE(golden.name());
    links::Convolution2D link = convolution_of(golden);
    ::catena::testing::set_golden_params(link, golden);
    link.add_hook(std::make_shared<WeightStandardization>(
        WeightStandardizationOptions{.eps = golden.attr<double>("eps")}));
    ::catena::testing::expect_golden_call(
        link, golden,
        [&](const Variables& in) -> Variables { return {link(in[0])}; });
    ++cases;
  }
  EXPECT_EQ(cases, 1);
}

TEST_P(LinkHooksTest, SpectralNormalizationMakesTheLargestSingularValueOne) {
  array::random::seed(1);
  links::Linear linear(5, 4);
  linear.add_hook(std::make_shared<SpectralNormalization>(
      SpectralNormalizationOptions{.n_power_iteration = 200, .factor = 2.0}));
  const Variable y = linear(as_variable(array::identity(5, Dtype::kFloat32)));
  const Array s = array::linalg::svdvals(on_host(y.data()));
  EXPECT_NEAR(s[0].item<float>(), 2, 1e-4);
  EXPECT_THAT(linear.params(), ::testing::SizeIs(2));
}

TEST_P(LinkHooksTest, SpectralNormalizationCanLearnAScale) {
  array::random::seed(2);
  links::Linear linear(6, {.nobias = true});
  linear.add_hook(
      std::make_shared<SpectralNormalization>(SpectralNormalizationOptions{
          .n_power_iteration = 200, .use_gamma = true}));
  const Array x = array::identity(3, Dtype::kFloat32);
  // The weight has no shape before; gamma begins as its singular value.
  const Variable y = linear(as_variable(x));
  EXPECT_THAT(on_host(y.data()),
              IsClose(on_host(linear.W.data().T()), {1e-4, 1e-4}));
  ASSERT_EQ(linear.params().size(), 2u);
  y.set_grad(array::ones({3, 6}, Dtype::kFloat32));
  y.backward();
  EXPECT_TRUE(linear.param("gamma").grad().defined());
  EXPECT_TRUE(linear.W.grad().defined());
  linear.delete_hook("SpectralNormalization");
  EXPECT_EQ(linear.params().size(), 1u);
  EXPECT_FALSE(linear.has_value("W_u"));
}

TEST_P(LinkHooksTest, SpectralNormalizationGivesTheSameWhenItIsComputedAgain) {
  array::random::seed(3);
  links::Linear linear(4, 4);
  linear.add_hook(std::make_shared<SpectralNormalization>());
  const Variable x = as_variable(array::identity(4, Dtype::kFloat32));
  const Array first = linear(x).data();
  const Array u = linear.persistent("W_u");
  {
    const auto again = using_config(&Config::in_recomputing, true);
    EXPECT_THAT(on_host(linear(x).data()), IsArray(on_host(first)));
  }
  EXPECT_TRUE(linear.persistent("W_u").is_same(u));
  linear(x);
  EXPECT_FALSE(linear.persistent("W_u").is_same(u));
}

TEST_P(LinkHooksTest, SpectralNormalizationKnowsOtherAxes) {
  array::random::seed(4);
  links::Linear linear(5, 4);
  linear.add_hook(std::make_shared<SpectralNormalization>(
      SpectralNormalizationOptions{.n_power_iteration = 200, .axis = 1}));
  EXPECT_EQ(linear.persistent("W_u").shape(), Shape({5}));
  const Variable y = linear(as_variable(array::identity(5, Dtype::kFloat32)));
  EXPECT_NEAR(array::linalg::svdvals(on_host(y.data()))[0].item<float>(), 1,
              1e-4);
  // Outputs of a deconvolution are along the second axis.
  links::Deconvolution2D deconvolution(3, 5, 2);
  deconvolution.add_hook(std::make_shared<SpectralNormalization>());
  EXPECT_EQ(deconvolution.persistent("W_u").shape(), Shape({5}));
}

// The formula, on a weight of any number of axes.
TEST_P(LinkHooksTest, WeightStandardizationGivesMeanZeroAndVarianceOne) {
  array::random::seed(5);
  links::Linear linear(40, 3);
  linear.add_hook(std::make_shared<WeightStandardization>(
      WeightStandardizationOptions{.eps = 0}));
  const Variable y = linear(as_variable(array::identity(40, Dtype::kFloat32)));
  const Array W = on_host(y.data());  // transposed
  EXPECT_THAT(array::mean(W, {.axis = 0}),
              IsClose(array::zeros({3}, Dtype::kFloat32), {1e-5, 1e-5}));
  EXPECT_THAT(array::var(W, {.axis = 0}),
              IsClose(array::ones({3}, Dtype::kFloat32), {1e-5, 1e-5}));
  y.set_grad(array::ones({40, 3}, Dtype::kFloat32));
  y.backward();
  // A constant moves nothing.
  EXPECT_THAT(on_host(linear.W.grad()),
              IsClose(array::zeros({3, 40}, Dtype::kFloat32), {1e-5, 1e-4}));
}

TEST_P(LinkHooksTest, TimerSumsUpByClassAndName) {
  TimerHook timer;
  Sequential model{links::Linear(2), links::Linear(2)};
  const Variable x = as_variable(array::ones({1, 2}, Dtype::kFloat32));
  {
    const LinkHookScope scope(timer);
    model(x);
    model(x);
  }
  model(x);
  EXPECT_THAT(timer.summary(), ElementsAre(FieldsAre("Linear(0)", Ge(0), 2),
                                           FieldsAre("Linear(1)", Ge(0), 2),
                                           FieldsAre("Sequential", Ge(0), 2)));
  EXPECT_EQ(timer.total_time(),
            timer.call_history()[2].second + timer.call_history()[5].second);
  std::ostringstream os;
  timer.print_report(os);
  EXPECT_THAT(os.str(), MatchesRegex("  LinkName  ElapsedTime  Occurrence\n"
                                     "( Linear.*\n)( Linear.*\n)Sequential.*"));
}

TEST_P(LinkHooksTest, TwoTimersOnOneLinkHaveDifferentNames) {
  links::Linear linear(2);
  const auto both = std::make_shared<TimerHook>();
  const auto first = std::make_shared<TimerHook>();
  linear.add_hook(both);
  linear.add_hook(first, "first");
  const Variable x = as_variable(array::ones({1, 2}, Dtype::kFloat32));
  linear(x);
  linear.delete_hook("first");
  linear(x);
  EXPECT_THAT(both->summary(), ElementsAre(FieldsAre("Linear", Ge(0), 2)));
  EXPECT_THAT(first->summary(), ElementsAre(FieldsAre("Linear", Ge(0), 1)));
}

INSTANTIATE_TEST_SUITE_P(Devices, LinkHooksTest,
                         ::catena::testing::every_device());

TEST(WeightHookTest, ACopyInAnotherThreadHasItsOwnWeight) {
  links::Linear original(2, 2);
  original.add_hook(std::make_shared<WeightStandardization>());
  links::Linear copied = original;
  const Variable x = as_variable(array::ones({1, 2}, Dtype::kFloat32));
  EXPECT_THAT(copied(x).data(), IsArray(original(x).data()));
  EXPECT_THAT(copied.W.data(), IsArray(original.W.data()));
  EXPECT_NO_THROW(copied.cleargrads());
}

TEST(WeightHookTest, TheWeightIsBackAfterAnError) {
  links::Linear linear(3, 2);
  linear.add_hook(std::make_shared<WeightStandardization>());
  const Parameter W = linear.W;
  EXPECT_THROW(linear(as_variable(array::ones({1, 5}, Dtype::kFloat32))),
               InvalidType);
  EXPECT_TRUE(linear.W.is_same(W));
}

TEST(WeightHookTest, RefusesWhatItCannotWorkOn) {
  links::Linear linear(3, 2);
  const auto add = [&](const SpectralNormalizationOptions& options) {
    return [&linear, options] {
      linear.add_hook(std::make_shared<SpectralNormalization>(options));
    };
  };
  EXPECT_THAT(error_of<ValueError>(add({.n_power_iteration = 0})),
              HasSubstr("at least 1, got 0"));
  EXPECT_THAT(error_of<ValueError>(add({.eps = -1})),
              HasSubstr("eps of at least 0"));
  EXPECT_THAT(error_of<ValueError>(add({.weight_name = "U"})),
              HasSubstr("got 'U'"));
  EXPECT_THAT(error_of<ShapeError>(add({.axis = 2})),
              HasSubstr("along axis 2"));
  EXPECT_THAT(error_of<ValueError>([] { WeightStandardization({.eps = -1}); }),
              HasSubstr("WeightStandardization: expected"));
  linear.add_hook(std::make_shared<WeightStandardization>(
      WeightStandardizationOptions{.weight_name = "b"}));
  EXPECT_THAT(error_of<ShapeError>([&] {
                linear(as_variable(array::ones({1, 3}, Dtype::kFloat32)));
              }),
              HasSubstr("at least 2 axes, got shape (2,)"));
  WeightStandardization hook;
  EXPECT_THAT(error_of<ValueError>([&] { const LinkHookScope scope(hook); }),
              HasSubstr("added to a link"));
}

}  // namespace
}  // namespace catena::link_hooks
