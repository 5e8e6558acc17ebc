// Chains that derive from other chains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "catena/array/creation.h"
#include "catena/functions/math/operators.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/links/sequential.h"

namespace catena {
namespace {

class MLP : public Chain<MLP> {
 public:
  explicit MLP(int64_t units) : l1(this, "l1", 2, units) {
    l1->W.data().fill(1);
  }
  Variable forward(const Variable& x) { return l1(x); }
  Child<links::Linear> l1;
};

class Negative : public Chain<Negative, MLP> {
 public:
  explicit Negative(int64_t units) : Chain(units) {}
  Variable forward(const Variable& x) { return -MLP::forward(x); }
};

class VirtualMLP : public Chain<VirtualMLP> {
 public:
  virtual Variable forward(const Variable& x) { return x; }
};

class Override : public VirtualMLP {
 public:
  Variable forward(const Variable& x) override { return -x; }
};

// Overrides one of two.
class Overloads : public Chain<Overloads> {
 public:
  virtual Variable forward(const Variable& x) { return x; }
  virtual Variable forward(const Variable& x, const Variable& y) {
    return x + y;
  }
};
class OverridesOne : public Overloads {
 public:
  using Overloads::forward;
  Variable forward(const Variable& x) override { return -x; }
};
class HidesOne : public Overloads {
 public:
  Variable forward(const Variable& x) override { return -x; }
};

class WithMethod : public MLP {
 public:
  using MLP::MLP;
  int64_t units() { return l1->W.shape()[0]; }
};

class Hides : public MLP {
 public:
  Variable forward(const Variable& x) { return -x; }
};
class HidesPrivately : public MLP {
  Variable forward(const Variable& x) { return -x; }
};
// Clang warns of it, too.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
class HidesAsConst : public VirtualMLP {
 public:
  Variable forward(const Variable& x) const { return -x; }
};
#pragma GCC diagnostic pop
template <class T>
constexpr bool kHides = internal::hides_forward<T>();

static_assert(!kHides<MLP> && !kHides<Negative> && !kHides<VirtualMLP>);
static_assert(!kHides<Override> && !kHides<Overloads> && !kHides<OverridesOne>);
static_assert(!kHides<WithMethod> && !kHides<links::Classifier<MLP>>);
static_assert(kHides<Hides> && kHides<HidesPrivately> && kHides<HidesAsConst>);
static_assert(!kHides<HidesOne>);  // calls with two arguments run the base's

float call(auto& link) {
  const Variable x(array::ones({1, 2}, Dtype::kFloat32));
  return link(x).data().template to_vector<float>().front();
}

TEST(DerivedChainTest, ItsOwnForwardRunsEverywhere) {
  Negative own(3);
  EXPECT_EQ(call(own), -2);
  Negative copied = own;
  EXPECT_EQ(call(copied), -2);
  Negative moved = std::move(copied);
  EXPECT_EQ(call(moved), -2);
  Sequential sequence(own);
  EXPECT_EQ(call(sequence), -2);
  links::Classifier classifier(own);
  EXPECT_EQ(call(classifier.predictor), -2);
  EXPECT_EQ(own.namedparams().size(), 2);
  // By the base's name, what the base computes.
  MLP& base = own;
  EXPECT_EQ(call(base), 2);
}

TEST(DerivedChainTest, AVirtualForwardRunsEverywhere) {
  Override own;
  VirtualMLP& base = own;
  EXPECT_EQ(call(own), -1);
  EXPECT_EQ(call(base), -1);
  Sequential sequence(own);
  EXPECT_EQ(call(sequence), -1);
}

TEST(DerivedChainTest, ACopyIsIndependent) {
  Negative own(3);
  Negative copied = own;
  copied.l1->W.data().fill(5);
  EXPECT_EQ(call(own), -2);
  EXPECT_EQ(call(copied), -10);
}

struct ScaleOptions {
  double rate = 3;
};
Variable scaled(const Variable& x, const ScaleOptions& options) {
  return options.rate * x;
}

TEST(SequentialTest, AFunctionWithOptionsIsCalledWithItsDefaults) {
  Sequential sequence(scaled, scaled);
  EXPECT_EQ(call(sequence), 9);
}

}  // namespace
}  // namespace catena
