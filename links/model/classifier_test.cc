#include "catena/links/model/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/links/call_link.h"
#include "catena/links/connection/linear.h"
#include "catena/links/link.h"
#include "catena/links/reporter.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::golden_case;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsClose;

class ClassifierTest : public ::catena::testing::DeviceTest {};

// chainer 7.8.1
TEST_P(ClassifierTest, FollowsChainer) {
  const GoldenCase golden = golden_case("links/Classifier", "f32");
  Classifier model(Linear(golden.attr<int64_t>("in_size"),
                          golden.attr<int64_t>("out_size")));
  ::catena::testing::set_golden_params(model, golden);
  ::catena::testing::expect_golden_call(
      model, golden,
      [&](const Variables& in) -> Variables { return {model(in[0], in[1])}; });
  EXPECT_THAT(model.accuracy.data().to_device(native_device()),
              IsClose(golden.array("extra/accuracy")));
}

TEST_P(ClassifierTest, ReportsLossAndAccuracy) {
  Classifier model(Linear(3, 2));
  const Variable x(array::ones({4, 3}, Dtype::kFloat32));
  const Variable t(array::zeros({4}, Dtype::kInt32), {.requires_grad = false});
  Reporter reporter;
  reporter.add_observer("main", model);
  Observation observation;
  {
    const auto scope = reporter.scope(observation);
    model(x, t);
  }
  EXPECT_TRUE(observation.contains("main/loss"));
  EXPECT_TRUE(observation.contains("main/accuracy"));

  model.compute_accuracy = false;
  Observation without;
  {
    const auto scope = reporter.scope(without);
    model(x, t);
  }
  EXPECT_FALSE(without.contains("main/accuracy"));
  EXPECT_FALSE(model.accuracy.defined());
}

INSTANTIATE_TEST_SUITE_P(Devices, ClassifierTest,
                         ::catena::testing::every_device());

TEST(ClassifierOptionsTest, LossAndAccuracyCanBeReplaced) {
  const auto score = [](double value) {
    return [value](const Variable&, const Variable&) {
      return Variable(array::full({}, value, Dtype::kFloat32));
    };
  };
  Classifier model(Linear(3, 2), {.lossfun = score(5), .accfun = score(6)});
  const Variable x(array::ones({4, 3}, Dtype::kFloat32));
  EXPECT_EQ(model(x, x).data().item<float>(), 5);
  EXPECT_EQ(model.accuracy.data().item<float>(), 6);
  // A copy has a predictor of its own.
  Classifier copied = model;
  copied.predictor->W.data().fill(0);
  EXPECT_NE(model.predictor->W.data().ravel()[0].item<float>(), 0);
}

// Adds what it is given, each weighted by its place.
class Weighted : public Callable<Weighted> {
 public:
  Weighted() : W(this, "W", 1.0, Shape{1}) {}
  Variable forward(const Variable& a, const Variable& b, const Variable& c) {
    return Variable(a.data() + b.data() * 10 + c.data() * 100);
  }
  Param W;
};

class ClassifierOfSeveralInputsTest : public ::testing::Test {
 protected:
  ClassifierOfSeveralInputsTest() {
    for (int i = 0; i < 4; ++i) {
      in.emplace_back(array::full({1}, i + 1, Dtype::kFloat32));
    }
  }
  // y and t as one number.
  ScoreFunction as_number = [](const Variable& y, const Variable& t) {
    return Variable(y.data().reshape({}) * 10 + t.data().reshape({}));
  };
  Classifier<Weighted> model{Weighted(),
                             {.lossfun = as_number, .compute_accuracy = false}};
  Variables in;
};

TEST_F(ClassifierOfSeveralInputsTest, TheLastIsTheLabel) {
  EXPECT_EQ(model(in[0], in[1], in[2], in[3]).data().item<float>(), 3214);
  EXPECT_EQ(model.forward(in[0], in[1], in[2], in[3]).data().item<float>(),
            3214);
}

TEST_F(ClassifierOfSeveralInputsTest, LabelKeyNamesAnother) {
  model.label_key = 0;
  EXPECT_EQ(model(in[0], in[1], in[2], in[3]).data().item<float>(), 4321);
  model.label_key = -2;
  EXPECT_EQ(model(in[0], in[1], in[2], in[3]).data().item<float>(), 4213);
  model.label_key = 4;
  EXPECT_THAT(
      ::catena::testing::error_of<IndexError>(
          [&] { model(in[0], in[1], in[2], in[3]); }),
      ::testing::HasSubstr(
          "Classifier: expected a label_key from -4 to 3 for a call with 4 "
          "arguments, got 4"));
  const Classifier<Weighted> by_option(Weighted(),
                                       {.lossfun = as_number, .label_key = 1});
  EXPECT_EQ(by_option.label_key, 1);
}

TEST_F(ClassifierOfSeveralInputsTest, TakesAsManyArgumentsAsThePredictor) {
  using Model = Classifier<Weighted>;
  static_assert(!CallableLink<Model, Variable, Variable>);
  static_assert(CallableLink<Model, Array, Array, Array, Variable>);
}

TEST_F(ClassifierOfSeveralInputsTest, LossAndAccuracyCanBeAssigned) {
  model.lossfun = [](const Variable& y, const Variable&) { return y; };
  model.accfun = [](const Variable&, const Variable& t) { return t; };
  model.compute_accuracy = true;
  EXPECT_EQ(model(in[0], in[1], in[2], in[3]).data().item<float>(), 321);
  EXPECT_EQ(model.accuracy.data().item<float>(), 4);
}

}  // namespace
}  // namespace catena::links
