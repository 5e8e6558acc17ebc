// Frozen parameters: what is computed and kept of their gradients.

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/operators.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/serializers/dictionary.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena {
namespace {

using ::testing::ElementsAre;

class FreezeTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Freeze, FreezeTest, testing::every_device(),
                         testing::device_name);

class Layers : public Chain<Layers> {
 public:
  Layers() : l1(this, "l1", 3, 4), list(this, "list") {
    list->append(links::Linear(4, 5));
    list->append(links::Linear(5, 2));
  }
  Variable forward(const Variable& x) {
    const Variable h = functions::relu(l1(x));
    return list->at<links::Linear>(1)(list->at<links::Linear>(0)(h));
  }
  Child<links::Linear> l1;
  Child<ChainList> list;
};

void differentiate(const Variable& y) {
  y.set_grad(array::ones_like(y.data()));
  y.backward();
}

TEST_P(FreezeTest, FrozenParametersGetNoGradientAndTheOthersTheirs) {
  Layers model;
  const Array x = array::ones({2, 3}, Dtype::kFloat32);
  differentiate(model(Variable(x)));
  const Array expected = model.l1->W.grad().copy();

  Link& middle = (*model.list)[0];
  middle.freeze();
  EXPECT_TRUE(middle.is_frozen());
  EXPECT_FALSE(model.is_frozen());
  EXPECT_FALSE(middle.param("W").grad().defined());
  model.cleargrads();
  differentiate(model(Variable(x)));
  EXPECT_FALSE(middle.param("W").grad().defined());
  EXPECT_FALSE(middle.param("b").grad().defined());
  EXPECT_THAT(model.l1->W.grad(), testing::IsArray(expected));
  EXPECT_TRUE((*model.list)[1].param("W").grad().defined());

  model.zerograds();
  EXPECT_FALSE(middle.param("W").grad().defined());
  middle.unfreeze();
  EXPECT_FALSE(middle.is_frozen());
  differentiate(model(Variable(x)));
  EXPECT_TRUE(middle.param("W").grad().defined());
}

TEST_P(FreezeTest, LayersBelowAllThatLearnAreNotRecorded) {
  Layers model;
  model.l1->freeze();
  const Variable x = as_variable(array::ones({2, 3}, Dtype::kFloat32));
  EXPECT_EQ(model.l1(x).creator_node(), nullptr);
  // Only the two layers of the list.
  EXPECT_EQ(model(x).rank(), 2);
  model.freeze();
  EXPECT_TRUE(model.is_frozen());
  EXPECT_EQ(model(x).creator_node(), nullptr);
}

// Notes which gradients are asked for.
class Product final : public FunctionNode {
 public:
  explicit Product(Indexes* wanted) : wanted_(wanted) {}
  std::string_view label() const override { return "product"; }
  Arrays forward(const Arrays& in) override {
    retain_factors();
    return {in[0] * in[1]};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    *wanted_ = wanted;
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(gy[0] * retained_input(1 - i));
    }
    return gradients;
  }

 private:
  Indexes* wanted_;
};

TEST_P(FreezeTest, AGradientOfAFrozenParameterIsNotEvenAskedFor) {
  const Parameter W(array::ones({3}));
  const Variable x(array::ones({3}));
  Indexes wanted;
  differentiate(apply<Product>({x, W}, &wanted));
  EXPECT_THAT(wanted, ElementsAre(0, 1));
  W.freeze();
  differentiate(apply<Product>({x, W}, &wanted));
  EXPECT_THAT(wanted, ElementsAre(0));
}

TEST(FreezeCopyTest, CopiesAreFrozenInEveryMode) {
  Layers model;
  model.l1->freeze();
  for (const CopyMode mode :
       {CopyMode::kShare, CopyMode::kInit, CopyMode::kCopy}) {
    Layers other = copy(model, mode);
    EXPECT_TRUE(other.l1->is_frozen());
    EXPECT_FALSE(other.list->is_frozen());
    other.unfreeze();
    EXPECT_TRUE(model.l1->is_frozen());
  }
}

TEST(FreezeCopyTest, ParametersWithoutAShapeCanBeFrozen) {
  links::Linear layer(2);
  layer.zerograds();
  layer.freeze();
  const Variable y = layer(Variable(array::ones({1, 3}, Dtype::kFloat32)));
  EXPECT_TRUE(layer.W.is_initialized());
  EXPECT_FALSE(layer.W.grad().defined());
  differentiate(y);
  EXPECT_FALSE(layer.W.grad().defined());
}

TEST(FreezeCopyTest, GradientsOfAnotherModelAreNotAdded) {
  Layers model;
  Layers other = model;
  model.l1->freeze();
  differentiate(other(Variable(array::ones({2, 3}, Dtype::kFloat32))));
  model.addgrads(other);
  EXPECT_FALSE(model.l1->W.grad().defined());
  EXPECT_TRUE((*model.list)[0].param("W").grad().defined());
}

TEST(FreezeCopyTest, FilesAreTheSame) {
  Layers model;
  serializers::DictionarySerializer before;
  before.save(model);
  model.freeze();
  serializers::DictionarySerializer after;
  after.save(model);
  EXPECT_EQ(after.target().size(), before.target().size());
  Layers other;
  other.freeze();
  serializers::DictionaryDeserializer(after.target()).load(other);
  EXPECT_TRUE(other.is_frozen());
  EXPECT_THAT(other.l1->W.data(), testing::IsArray(model.l1->W.data()));
}

}  // namespace
}  // namespace catena
