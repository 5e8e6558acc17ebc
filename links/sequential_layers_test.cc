// Sequentials whose layers take and give several variables, and functions in
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/elu.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/chain.h"
#include "catena/links/sequential.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = W x, elementwise.
class ScalingLink : public Callable<ScalingLink> {
 public:
  explicit ScalingLink(int64_t n, double value = 2.0)
      : W(this, "W", value, Shape{n}) {}
  Variable forward(const Variable& x) { return x * W; }
  Param W;
};

Variable twice(const Variable& x) { return x + x; }

struct Scaling {
  double factor = 3;
};

std::vector<std::string> paths(const Link& link) {
  std::vector<std::string> result;
  for (const auto& [path, param] : link.namedparams()) result.push_back(path);
  return result;
}

float first(const Variable& y) { return y.data()[0].item<float>(); }

using VariablePair = std::pair<Variable, Variable>;
VariablePair halves(const Variable& x) { return {x * 0.25, x * 0.75}; }
Variable difference(const Variable& x, const Variable& y) { return y - x; }

// A step of an accumulator: gives its output and its state.
class Accumulator : public Chain<Accumulator> {
 public:
  std::array<Variable, 2> forward(const Variable& x, const Variable& state) {
    return {state * 2.0, state + x};
  }
};

TEST(SequentialLayersTest, LayersTakeAndGiveSeveralVariables) {
  const Variable x = as_variable(array::full({2}, 8, Dtype::kFloat32));
  const auto first = [](const Variable& y) {
    return y.data()[0].item<float>();
  };
  // A pair, a function of two variables, a list of any length.
  Sequential model(
      halves, Accumulator(), difference, ScalingLink(2),
      [](const Variable& y) { return Variables(3, y); },
      [](std::span<const Variable> ys) { return ys[0] + ys[1] + ys[2]; });
  // (2, 6), (12, 8), -4, -8, three of them.
  EXPECT_EQ(first(model(x)), -24);

  // The caller may pass and get several, too.
  const Accumulator step;
  Sequential steps(step, step);
  const Variables results = steps(Variables{x, x});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(first(results[0]), 32);
  EXPECT_EQ(first(results[1]), 32);
  Sequential last(Accumulator(), difference);
  EXPECT_EQ(first(last(x, x)), 0);
  Sequential nested(halves, Sequential(Accumulator()), difference);
  EXPECT_EQ(first(nested(x)), -4);
}

TEST(SequentialLayersTest, WrongNumbersOfVariablesSayWhere) {
  const Variable x = as_variable(array::ones({2}, Dtype::kFloat32));
  EXPECT_THAT(error_of<ValueError>([&] { Sequential(halves, twice)(x); }),
              HasSubstr("Sequential: layer 1: expected 1 variable, got 2"));
  EXPECT_THAT(error_of<ValueError>([&] { Sequential(Accumulator{})(x); }),
              HasSubstr("layer 0: expected 2 variables, got 1"));
  const auto one_or_two = [](const Variable& y, const Variable& = {}) {
    return y;
  };
  struct Overloaded {
    Variable operator()(const Variable& y) const { return y; }
    Variable operator()(const Variable& y, const Variable& z) const {
      return y + z;
    }
  };
  Sequential model(one_or_two, Overloaded());
  EXPECT_EQ(first(model(x)), 1);
  EXPECT_THAT(error_of<ValueError>([&] { Sequential(Overloaded{})(x, x, x); }),
              HasSubstr("layer 0: expected 1 or 2 variables, got 3"));
  Sequential pair(twice, halves);
  EXPECT_THAT(error_of<ValueError>([&] { pair(x); }),
              HasSubstr("Sequential: expected one result, got 2: pass a list"));
  EXPECT_EQ(pair(Variables{x}).size(), 2u);
  EXPECT_THAT(error_of<ValueError>([&] { pair.layer(1)(x); }),
              HasSubstr("expected one result"));
}

Variable rescaled(const Variable& x, const Scaling& options = {}) {
  return x * options.factor;
}
Variable overloaded(const Variable& x) { return x + 1.0; }
template <class T>
Variable overloaded(const Variable& x, T) {
  return x;
}

TEST(SequentialLayersTest, FunctionsAreReadBackAndCalled) {
  Sequential model(ScalingLink(2), twice, rescaled, overloaded);
  model.append(overloaded).insert(0, overloaded);
  const Variable x = as_variable(array::ones({2}, Dtype::kFloat32));
  // ((1 + 1) * 2 * 2) * 3 + 1 + 1
  EXPECT_EQ(first(model(x)), 26);
  EXPECT_TRUE(model.layer(2).is(twice));
  EXPECT_FALSE(model.layer(1).is(twice));
  ASSERT_NE(model.layer(-1).target<Sequential::PlainFunction>(), nullptr);
  EXPECT_EQ(first((*model.layer(-1).target<Sequential::PlainFunction>())(x)),
            2);
  EXPECT_EQ(model.layer(1).target<Sequential::PlainFunction>(), nullptr);
  EXPECT_EQ(model.layer(1).link(), &model[1]);
  EXPECT_EQ(first(model.layer(3)(x)), 3);
  int64_t links = 0;
  for (const Sequential::Layer& layer : model) links += layer.link() != nullptr;
  EXPECT_EQ(links, 1);
  EXPECT_THAT(error_of<IndexError>([&] { model.layer(6); }),
              HasSubstr("6 is out of range for 6"));
}

TEST(SequentialLayersTest, ASliceSharesItsLayers) {
  const Sequential model(ScalingLink(1), twice, ScalingLink(1, 5.0),
                         overloaded);
  Sequential part = model[Slice(1, 3)];
  const Variable x = as_variable(array::ones({1}, Dtype::kFloat32));
  EXPECT_EQ(first(part(x)), 10);
  EXPECT_THAT(paths(part), ElementsAre("/1/W"));
  part.at<ScalingLink>(1).W.data().fill(7);
  EXPECT_EQ(model.at<ScalingLink>(2).W.data()[0].item<float>(), 7);
  EXPECT_EQ(model[Slice(-1)].size(), 3);
  Sequential reversed = model[Slice(std::nullopt, std::nullopt, -1)];
  EXPECT_EQ(first(reversed(x)), 56);
  EXPECT_EQ(model[Slice(3, 1)].size(), 0);
  EXPECT_THAT(error_of<IndexError>([&] { model[Slice(0, 4, 0)]; }),
              HasSubstr("a slice step other than 0"));
}

TEST(SequentialLayersTest, NamesOfFunctionsWithSeveralFormsAreEnough) {
  namespace F = functions;
  const Sequential model(ScalingLink(2), F::dropout, F::elu, F::softmax);
  EXPECT_EQ(model.size(), 4);
  Sequential one(F::dropout);
  const auto test = using_config(&Config::train, false);
  EXPECT_EQ(first(one(as_variable(array::ones({2}, Dtype::kFloat32)))), 1);
}

}  // namespace
}  // namespace catena
