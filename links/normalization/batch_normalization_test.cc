#include "catena/links/normalization/batch_normalization.h"

#include <gmock/gmock.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/normalization/batch_renormalization.h"
#include "catena/links/normalization/decorrelated_batch_normalization.h"
#include "catena/links/sequential.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"
#include "catena/tests/testing/save_and_load.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::AllOf;
using ::testing::HasSubstr;

BatchNormalizationOptions options_of(const GoldenCase& golden) {
  BatchNormalizationOptions options{
      .decay = golden.attr_or("decay", 0.9),
      .eps = golden.attr_or("eps", 2e-5),
      .dtype = golden.array("call0/in0").dtype(),
      .use_gamma = golden.attr_or("use_gamma", true)};
  if (golden.has_attr("axis")) options.axis = Axes(golden.attr<Shape>("axis"));
  return options;
}

Array& second_statistic(BatchNormalization& link) { return link.avg_var; }
Array& second_statistic(DecorrelatedBatchNormalization& link) {
  return link.avg_projection;
}

// Sets parameters and statistics, makes the calls of the case, each in its
// mode, and expects outputs, statistics and the gradients of all of them.
template <class Link, class... Options>
void expect_golden_calls(Link& link, const GoldenCase& golden,
                         const Options&... options) {
  const std::string second =
      golden.has("persist/avg_var") ? "avg_var" : "avg_projection";
  ::catena::testing::set_golden_params(link, golden);
  link.avg_mean.assign(golden.array("persist/avg_mean"));
  second_statistic(link).assign(golden.array("persist/" + second));
  link.cleargrads();
  std::vector<Variable> inputs;
  std::vector<Variable> outputs;
  for (int t = 0; golden.has("call" + std::to_string(t) + "/in0"); ++t) {
    const std::string key = "call" + std::to_string(t) + "/";
    SCOPED_TRACE(key);
    const auto scope =
        using_config(&Config::train, !golden.has(key + "config/train"));
    const Variable x(golden.array(key + "in0"));
    const Variable y = link(x, options...);
    EXPECT_THAT(y.data(), golden.is_close(key + "out0"));
    EXPECT_THAT(link.avg_mean, golden.is_close(key + "after/avg_mean"));
    EXPECT_THAT(second_statistic(link),
                golden.is_close(key + "after/" + second));
    EXPECT_EQ(link.N, golden.array(key + "after/N").item<int64_t>());
    if (!golden.has(key + "gout0")) continue;
    y.set_grad(golden.array(key + "gout0"));
    inputs.push_back(x);
    outputs.push_back(y);
  }
  catena::backward(outputs);
  for (size_t t = 0; t < inputs.size(); ++t) {
    EXPECT_THAT(inputs[t].grad(),
                golden.is_close("call" + std::to_string(t) + "/gin0"));
  }
  for (const auto& [path, param] : link.namedparams()) {
    EXPECT_THAT(param.grad(), golden.is_close("gparam" + path));
  }
}

// chainer 7.8.1
TEST(BatchNormalizationTest, FollowsChainer) {
  for (const char* file :
       {"links/BatchNormalization", "links/BatchNormalization_finetune"}) {
    for (const GoldenCase& golden : golden_cases(file)) {
      SCOPED_TRACE(golden.name());
      BatchNormalization link(golden.attr<Shape>("size"), options_of(golden));
      expect_golden_calls(link, golden,
                          BatchNormalizationCallOptions{
                              .finetune = golden.attr_or("finetune", false)});
    }
  }
}

TEST(BatchRenormalizationTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/BatchRenormalization")) {
    SCOPED_TRACE(golden.name());
    BatchRenormalization link(
        golden.attr<Shape>("size"), golden.attr<double>("rmax"),
        golden.attr<double>("dmax"), {options_of(golden)});
    expect_golden_calls(link, golden);
  }
}

TEST(DecorrelatedBatchNormalizationTest, FollowsChainer) {
  for (const GoldenCase& golden :
       golden_cases("links/DecorrelatedBatchNormalization")) {
    SCOPED_TRACE(golden.name());
    DecorrelatedBatchNormalization link(
        golden.attr<int64_t>("size"),
        {.groups = golden.attr<int64_t>("groups"),
         .dtype = golden.array("call0/in0").dtype()});
    EXPECT_THAT(link.avg_mean, IsArray(golden.array("persist/avg_mean")));
    EXPECT_THAT(link.avg_projection,
                IsArray(golden.array("persist/avg_projection")));
    expect_golden_calls(link, golden);
  }
}

TEST(BatchRenormalizationTest, FrozenStatisticsStay) {
  BatchRenormalizationOptions options;
  options.freeze_running_statistics = true;
  BatchRenormalization link(3, 2, 1, options);
  link(Variable(array::ones({4, 3}, Dtype::kFloat32)));
  EXPECT_THAT(link.avg_mean, IsArray(array::zeros({3}, Dtype::kFloat32)));
  EXPECT_THAT(link.avg_var, IsArray(array::ones({3}, Dtype::kFloat32)));
}

class BatchNormalizationDeviceTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, BatchNormalizationDeviceTest,
                         ::catena::testing::every_device());

// In one pass in training, as functions of their own otherwise.
TEST_P(BatchNormalizationDeviceTest, AddsAResidualAndAppliesRelu) {
  const Variable x(
      ::catena::testing::uniform({4, 3, 2}, -1, 1, Dtype::kFloat32));
  const Variable residual(
      ::catena::testing::uniform({4, 3, 2}, -1, 1, Dtype::kFloat32, 1));
  const auto expect_same = [&](auto link, auto plain) {
    for (const bool train : {true, false}) {
      const auto scope = using_config(&Config::train, train);
      const Variable expected = functions::relu(plain(x) + residual);
      const Variable y = link(
          x, BatchNormalizationCallOptions{.residual = residual, .relu = true});
      EXPECT_THAT(y.data(), IsClose(expected.data()));
      EXPECT_THAT(link.avg_var, IsArray(plain.avg_var));
    }
  };
  expect_same(BatchNormalization(3), BatchNormalization(3));
  expect_same(BatchRenormalization(3, 2, 1), BatchRenormalization(3, 2, 1));
}

TEST_P(BatchNormalizationDeviceTest, SizesAreInferredAtTheFirstCall) {
  BatchNormalization link;
  EXPECT_FALSE(link.gamma.is_initialized());
  EXPECT_FALSE(link.avg_mean.defined());
  const Variable x(array::ones({2, 3, 4}, Dtype::kFloat32));
  EXPECT_EQ(link(x).shape(), x.shape());
  EXPECT_EQ(link.gamma.shape(), Shape({3}));
  EXPECT_EQ(link.beta.shape(), Shape({3}));
  EXPECT_EQ(link.avg_mean.shape(), Shape({3}));
  EXPECT_EQ(link.avg_var.device(), device());
  BatchNormalization images(std::nullopt, {.axis = {0}});
  images(x);
  EXPECT_EQ(images.gamma.shape(), Shape({3, 4}));
}

// Its size, inferred by a call that a later layer rejects, is forgotten.
template <class Link>
void expect_nothing_kept_of_a_failed_call() {
  Sequential model(Link(), Linear(3, 2));
  const auto call = [&](int64_t channels) {
    return model(as_variable(array::ones({4, channels}, Dtype::kFloat32)));
  };
  EXPECT_THROW(call(5), InvalidType);
  EXPECT_FALSE(model.at<Link>(0).avg_mean.defined());
  EXPECT_EQ(call(3).shape(), (Shape{4, 2}));
  EXPECT_EQ(model.at<Link>(0).avg_mean.shape(), (Shape{3}));
  EXPECT_THROW(call(5), InvalidType);
  EXPECT_EQ(model.at<Link>(0).avg_mean.shape(), (Shape{3}));
}

TEST(BatchNormalizationTest, NothingIsKeptOfACallThatFailed) {
  expect_nothing_kept_of_a_failed_call<BatchNormalization>();
}

TEST(BatchRenormalizationTest, NothingIsKeptOfACallThatFailed) {
  expect_nothing_kept_of_a_failed_call<BatchRenormalization>();
}

TEST(BatchNormalizationTest, StartFinetuningCountsAnew) {
  BatchNormalization link(2);
  const Variable x(array::array({{1, 2}, {3, 6}}, Dtype::kFloat32));
  link(x, {.finetune = true});
  link(x, {.finetune = true});
  EXPECT_EQ(link.N, 2);
  link.start_finetuning();
  EXPECT_EQ(link.N, 0);
  // The first call after it forgets what was before.
  link.avg_mean.fill(100);
  link(x, {.finetune = true});
  EXPECT_THAT(link.avg_mean, IsClose(array::array({2, 4}, Dtype::kFloat32)));
}

TEST(BatchNormalizationTest, WithoutParametersItOnlyNormalizes) {
  BatchNormalization link(2, {.use_gamma = false, .use_beta = false});
  EXPECT_TRUE(link.params().empty());
  const Variable x(array::array({{1, 2}, {3, 6}}, Dtype::kFloat32));
  EXPECT_THAT(link(x).data(),
              IsClose(array::array({{-1, -1}, {1, 1}}, Dtype::kFloat32),
                      {.rtol = 1e-4}));
}

TEST(BatchNormalizationTest, ACopyHasItsOwnStatistics) {
  BatchNormalization link(2);
  BatchNormalization copied = link;
  BatchNormalization shared = catena::copy(link, CopyMode::kShare);
  link(Variable(array::ones({3, 2}, Dtype::kFloat32)));
  EXPECT_THAT(copied.avg_mean, IsArray(array::zeros({2}, Dtype::kFloat32)));
  EXPECT_THAT(shared.avg_mean, IsArray(link.avg_mean));
}

TEST(BatchNormalizationTest, StatisticsAreSavedAndLoaded) {
  BatchNormalization link(2);
  link(Variable(array::array({{1, 2}, {3, 6}}, Dtype::kFloat32)),
       {.finetune = true});
  BatchNormalization loaded;
  ::catena::testing::save_and_load_npz(link, loaded);
  EXPECT_EQ(loaded.N, 1);
  EXPECT_THAT(loaded.avg_mean, IsArray(link.avg_mean));
  EXPECT_THAT(loaded.avg_var, IsArray(link.avg_var));
  EXPECT_THAT(loaded.gamma.data(), IsArray(link.gamma.data()));
}

TEST(BatchNormalizationTest, InitialStatisticsMayBeGiven) {
  const BatchNormalization link(
      2,
      {.dtype = Dtype::kFloat64, .initial_avg_mean = 3, .initial_avg_var = 4});
  EXPECT_THAT(link.avg_mean, IsArray(array::full({2}, 3.0)));
  EXPECT_THAT(link.avg_var, IsArray(array::full({2}, 4.0)));
  EXPECT_EQ(link.gamma.dtype(), Dtype::kFloat64);
}

TEST(BatchNormalizationTest, ArraysMayBeTheInitialValues) {
  const Array gamma = array::array({1, 2}, Dtype::kFloat32);
  const Array beta = array::array({3, 4}, Dtype::kFloat32);
  const BatchNormalizationOptions options{.initial_gamma = gamma,
                                          .initial_beta = beta,
                                          .initial_avg_mean = beta,
                                          .initial_avg_var = gamma};
  BatchNormalization given(2, options);
  BatchNormalization inferred(std::nullopt, options);
  const auto test = using_config(&Config::train, false);
  inferred(Variable(array::ones({1, 2}, Dtype::kFloat32)));
  for (const BatchNormalization* link : {&given, &inferred}) {
    EXPECT_THAT(link->gamma.data(), IsArray(gamma));
    EXPECT_THAT(link->beta.data(), IsArray(beta));
    EXPECT_THAT(link->avg_mean, IsArray(beta));
    EXPECT_THAT(link->avg_var, IsArray(gamma));
  }
  EXPECT_THAT(error_of<ShapeError>(
                  [&] { BatchNormalization(3, {.initial_beta = beta}); }),
              AllOf(HasSubstr("beta of shape (3,)"), HasSubstr("(2,)")));
  EXPECT_THAT(error_of<ShapeError>(
                  [&] { BatchNormalization(3, {.initial_gamma = gamma}); }),
              HasSubstr("gamma of shape (3,)"));
}

TEST(BatchNormalizationErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { BatchNormalization(0); }),
              HasSubstr("expected a positive size, got (0,)"));
  EXPECT_THAT(error_of<ValueError>([] { BatchNormalization(2, {.decay = 2}); }),
              HasSubstr("got 2 and"));
  EXPECT_THAT(error_of<ValueError>([] { BatchNormalization(2, {.eps = -1}); }),
              HasSubstr("and -1"));
  EXPECT_THAT(error_of<ValueError>([] { BatchRenormalization(2, 0.5); }),
              HasSubstr("got 0.5 and 0"));
  BatchNormalization link(2);
  EXPECT_THAT(error_of<InvalidType>([&] {
                link(Variable(array::ones({2, 3}, Dtype::kFloat32)));
              }),
              HasSubstr("2 != 3"));
}

}  // namespace
}  // namespace catena::links
