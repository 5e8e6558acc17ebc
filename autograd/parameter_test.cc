#include "catena/autograd/parameter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/autograd/unfilled_parameters.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using testing::IsArray;
using ::testing::StartsWith;
using ::testing::StrEq;

Array twos(const Shape& shape) {
  return array::full(shape, 2.0, Dtype::kFloat32);
}

TEST(ParameterTest, IsMadeOfAnInitializerAndAShape) {
  const Parameter w(2.0, Shape({2, 3}), "W");
  EXPECT_TRUE(w.is_initialized());
  EXPECT_TRUE(w.requires_grad());
  EXPECT_EQ(w.name(), "W");
  EXPECT_THAT(w.data(), IsArray(twos({2, 3})));
  EXPECT_FALSE(w.grad().defined());
}

TEST(ParameterTest, IsMadeOfAnArray) {
  const Array data = array::array({1.0, 2.0});
  const Parameter w(data, "W");
  EXPECT_TRUE(w.data().is_same(data));
  EXPECT_EQ(w.name(), "W");
}

TEST(ParameterTest, WaitsForItsShape) {
  const Parameter w(2.0);
  EXPECT_FALSE(w.is_initialized());
  EXPECT_EQ(w.label(), "(uninitialized)");
  w.initialize({4});
  EXPECT_THAT(w.data(), IsArray(twos({4})));
  const Array data = w.data();
  w.initialize({4});
  EXPECT_TRUE(w.data().is_same(data));
  EXPECT_THAT(error_of<ShapeError>([&] { w.initialize({5}); }),
              StrEq("Parameter::initialize: (4,), float32 is already "
                    "initialized; cannot initialize it to shape (5,)"));
}

TEST(ParameterTest, TakesTheDtypeOfTheInitializerOrTheConfig) {
  const auto fill = [](const Array& out) { out.fill(2); };
  EXPECT_EQ(Parameter(Initializer(fill, Dtype::kFloat16), Shape({1})).dtype(),
            Dtype::kFloat16);
  EXPECT_EQ(Parameter(Initializer(fill), Shape({1})).dtype(), Dtype::kFloat32);
  const auto scope = using_config(&Config::dtype, Dtype::kFloat64);
  EXPECT_EQ(Parameter(Initializer(fill), Shape({1})).dtype(), Dtype::kFloat64);
  EXPECT_EQ(Parameter(Initializer(), Shape({1})).dtype(), Dtype::kFloat64);
}

TEST(ParameterTest, StaysUninitializedWhenTheInitializerThrows) {
  const Parameter w(Initializer([](const Array&) { raise<ValueError>("no"); }));
  EXPECT_THROW(w.initialize({2}), ValueError);
  EXPECT_FALSE(w.is_initialized());
}

TEST(ParameterTest, NamesItselfWhenTheInitializerThrows) {
  const Array values = array::ones({2, 5}, Dtype::kFloat32);
  const Parameter w(Initializer(values), std::nullopt, "W");
  EXPECT_THAT(error_of<ShapeError>([&] {
                w.initialize({3, 4});
              }),
              StartsWith("Parameter::initialize: W of shape (3, 4): assign: "));
  EXPECT_THAT(
      error_of<ShapeError>([&] { Parameter(Initializer(values), Shape({3})); }),
      StartsWith("Parameter::initialize: a parameter of shape (3,): "));
}

TEST(ParameterTest, IsMadeOnTheDeviceItWasMovedTo) {
  const Parameter w(2.0);
  w.to_device(native_device(1));
  w.initialize({2});
  EXPECT_EQ(w.device(), native_device(1));
  w.zerograd();
  w.to_device(native_device(2));
  EXPECT_EQ(w.device(), native_device(2));
  EXPECT_EQ(w.grad().device(), native_device(2));
  const DeviceScope scope(native_device(3));
  EXPECT_EQ(Parameter(2.0, Shape({2})).device(), native_device(3));
}

TEST(ParameterTest, RemembersToZeroItsGradient) {
  const Parameter w(2.0);
  w.zerograd();
  EXPECT_FALSE(w.grad().defined());
  w.initialize({2});
  EXPECT_THAT(w.grad(), IsArray(array::zeros({2}, Dtype::kFloat32)));

  const Parameter cleared(2.0);
  cleared.zerograd();
  cleared.cleargrad();
  cleared.initialize({2});
  EXPECT_FALSE(cleared.grad().defined());
}

TEST(ParameterTest, CopiesTheDataOfAnother) {
  const Parameter from(2.0, Shape({2}));
  const Parameter to(0, Shape({2}));
  const int64_t version = to.version();
  to.copydata(from);
  EXPECT_THAT(to.data(), IsArray(twos({2})));
  EXPECT_FALSE(to.data().is_same(from.data()));
  EXPECT_GT(to.version(), version);
  EXPECT_THAT(
      error_of<ShapeError>([&] { to.copydata(Parameter(0, Shape({3}))); }),
      StrEq("copydata: expected shape (2,), got (3,)"));
}

TEST(ParameterTest, InitializesWhicheverHasNoDataWhenItCopies) {
  const Parameter from(2.0, Shape({2}));
  const Parameter deferred(0);
  deferred.copydata(from);
  EXPECT_THAT(deferred.data(), IsArray(twos({2})));

  const Parameter late(3.0);
  from.copydata(late);
  EXPECT_THAT(from.data(), IsArray(late.data()));
  EXPECT_THAT(late.data(), IsArray(array::full({2}, 3.0, Dtype::kFloat32)));

  const Parameter neither(0);
  neither.copydata(Parameter(0));
  EXPECT_FALSE(neither.is_initialized());
}

// A replica of a model takes no random numbers from its device.
TEST(ParameterTest, DoesNotCallTheInitializerToCopy) {
  const Parameter from(2.0, Shape({2}));
  int calls = 0;
  const Parameter to([&](const Array&) { ++calls; });
  to.zerograd();
  to.copydata(from);
  EXPECT_EQ(calls, 0);
  EXPECT_THAT(to.data(), IsArray(twos({2})));
  EXPECT_THAT(to.grad(), IsArray(array::zeros({2}, Dtype::kFloat32)));
}

TEST(ParameterTest, ClonesItsDataInThreeWays) {
  const Parameter w(2.0, Shape({2}), "W");
  w.data().fill(5);
  w.set_grad(twos({2}));
  const Parameter shared = w.clone(Parameter::CopyMode::kShare);
  EXPECT_TRUE(shared.data().is_same(w.data()));
  EXPECT_FALSE(shared.is_same(w));
  const Parameter copied = w.clone(Parameter::CopyMode::kCopy);
  EXPECT_THAT(copied.data(), IsArray(w.data()));
  EXPECT_FALSE(copied.data().is_same(w.data()));
  const Parameter made_anew = w.clone(Parameter::CopyMode::kInit);
  EXPECT_THAT(made_anew.data(), IsArray(twos({2})));
  for (const Parameter& clone : {shared, copied, made_anew}) {
    EXPECT_EQ(clone.name(), "W");
    EXPECT_FALSE(clone.grad().defined());
    clone.zerograd();
    EXPECT_THAT(w.grad(), IsArray(twos({2})));
  }
  const Parameter deferred = Parameter(2.0).clone(Parameter::CopyMode::kCopy);
  EXPECT_FALSE(deferred.is_initialized());
  deferred.initialize({3});
  EXPECT_THAT(deferred.data(), IsArray(twos({3})));
}

// Adds one to the data.
class Increment final : public UpdateRuleBase {
 public:
  void update(const Parameter& parameter) override { parameter.data() += 1; }
};

TEST(ParameterTest, IsUpdatedByItsRule) {
  const Parameter w(2.0, Shape({2}));
  w.update();
  EXPECT_THAT(w.data(), IsArray(twos({2})));
  EXPECT_EQ(w.update_rule(), nullptr);
  w.set_update_rule(std::make_shared<Increment>());
  const Parameter same = w;
  same.update();
  EXPECT_THAT(w.data(), IsArray(array::full({2}, 3.0, Dtype::kFloat32)));
}

TEST(ParameterTest, CountsItsVersions) {
  const Parameter w(0);
  const Parameter same = w;
  const int64_t before = w.version();
  same.bump_version();
  EXPECT_EQ(w.version(), before + 1);
}

TEST(ParameterTest, IsALeafOfTheGraph) {
  const testing::ExpectNoSurvivors survivors;
  const Parameter w(2.0, Shape({2}));
  testing::sum(testing::mul(w, w)).backward();
  EXPECT_THAT(w.grad(), IsArray(2.0 * w.data()));
  w.update();
}

TEST(ParameterTest, ThrowsWhenItIsUndefined) {
  const Parameter w;
  EXPECT_FALSE(w.defined());
  EXPECT_THROW(w.is_initialized(), ValueError);
  EXPECT_THROW(w.initialize({1}), ValueError);
  EXPECT_THROW(w.update(), ValueError);
  EXPECT_THROW(w.clone(Parameter::CopyMode::kCopy), ValueError);
}

TEST(ParameterTest, IsNotFilledInAScope) {
  const auto fill = [](const Array&) { FAIL() << "called"; };
  {
    const UnfilledParameters outer;
    { const UnfilledParameters inner; }
    EXPECT_TRUE(UnfilledParameters::is_active());
    EXPECT_EQ(Parameter(fill, Shape{2}).shape(), Shape({2}));
  }
  EXPECT_FALSE(UnfilledParameters::is_active());
  EXPECT_THAT(Parameter(3.0, Shape{2}).data(),
              testing::IsArray(array::full({2}, 3, Dtype::kFloat32)));
}

}  // namespace
}  // namespace catena
