#include "catena/links/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/chain.h"
#include "catena/links/function_set.h"
#include "catena/links/sequential.h"
#include "catena/serializers/dictionary.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = W x, elementwise, without functions: links know nothing of what is
// computed with them.
class Scale : public Callable<Scale> {
 public:
  explicit Scale(int64_t n, double value = 2.0)
      : W(this, "W", value, Shape{n}),
        mean(this, "mean", array::zeros({n}, Dtype::kFloat32)) {
    add_persistent("N", count);
  }
  explicit Scale(std::nullopt_t) : W(this, "W", 3.0) {}

  Variable forward(const Variable& x) {
    if (!W.is_initialized()) W.initialize(x.shape());
    ++count;
    return as_variable(x.data() * W.data());
  }

  Param W;
  int64_t count = 0;
  Persistent mean;
};

class Pair2 : public Chain<Pair2> {
 public:
  Pair2() : first(this, "first", 2), second(this, "second", 3, 5.0) {}
  Variable forward(const Variable& x) { return first(x); }
  Child<Scale> first;
  Child<Scale> second;
};

class Nested : public Chain<Nested> {
 public:
  Nested() : pair(this, "pair"), own(this, "own", 1.0, Shape{1}) {}
  Child<Pair2> pair;
  Param own;
};

std::vector<std::string> paths(const Link& link) {
  std::vector<std::string> result;
  for (const auto& [path, param] : link.namedparams()) result.push_back(path);
  return result;
}

TEST(LinkTest, ParametersAreFoundByTheirPaths) {
  const Nested nested;
  EXPECT_THAT(paths(nested),
              ElementsAre("/own", "/pair/first/W", "/pair/second/W"));
  EXPECT_EQ(nested.count_params(), 6);
  EXPECT_EQ(nested.pair->first->name(), "first");
}

// Declared in neither order of names.
class Unordered : public Chain<Unordered> {
 public:
  Unordered()
      : gamma(this, "gamma", 1.0, Shape{1}),
        beta(this, "beta", 0.0, Shape{1}),
        second(this, "b"),
        list(this, "a") {
    for (int i = 0; i < 11; ++i) list->append(Scale(1));
    add_link("B", Scale(1));
  }
  Param gamma;
  Param beta;
  Child<Pair2> second;
  Child<ChainList> list;
};

TEST(LinkTest, ParametersAreInChainersOrder) {
  const Unordered model;
  std::vector<std::string> expected = {"/beta", "/gamma", "/B/W"};
  for (int i = 0; i < 11; ++i) {
    expected.push_back("/a/" + std::to_string(i) + "/W");
  }
  expected.insert(expected.end(), {"/b/first/W", "/b/second/W"});
  EXPECT_EQ(paths(model), expected);
  EXPECT_TRUE(model.params()[1].data().is_same(model.gamma.data()));
}

TEST(LinkTest, NamedLinksStartWithTheLinkItself) {
  Nested nested;
  std::vector<std::string> names;
  for (const auto& [path, link] : nested.namedlinks()) names.push_back(path);
  EXPECT_THAT(names, ElementsAre("/", "/pair", "/pair/first", "/pair/second"));
  EXPECT_EQ(nested.namedlinks(/*skipself=*/true).size(), 3u);
  EXPECT_EQ(nested.children().size(), 1u);
}

TEST(LinkTest, ACopyIsIndependent) {
  Nested original;
  Nested copied = original;
  copied.pair->first->W.data().fill(7);
  EXPECT_EQ(original.pair->first->W.data()[0].item<float>(), 2);
  EXPECT_EQ(copied.pair->first->W.data()[0].item<float>(), 7);
  // The copy's paths lead to the copy's own parameters.
  EXPECT_TRUE(copied.namedparams()[1].second.is_same(copied.pair->first->W));
  EXPECT_FALSE(copied.namedparams()[1].second.is_same(original.pair->first->W));
  copied.pair->first->mean.fill(4);
  EXPECT_EQ(original.pair->first->mean[0].item<float>(), 0);
  const Scale shared = copy(*copied.pair->first);
  EXPECT_TRUE(shared.mean.is_same(copied.pair->first->mean));
}

TEST(LinkTest, TakesAnArrayForAVariable) {
  const Array x = array::ones({2}, Dtype::kFloat32);
  Pair2 pair;
  EXPECT_EQ(pair(x).data()[0].item<float>(), 2);
  EXPECT_EQ(pair.forward(x + x).data()[0].item<float>(), 4);
  EXPECT_EQ(pair.second(array::ones({3})).data()[0].item<double>(), 5);
  EXPECT_EQ(AnyLink(Scale(2))(x).data()[0].item<float>(), 2);
  Sequential sequential(Scale(2), Scale(2));
  EXPECT_EQ(sequential(x).data()[0].item<float>(), 4);
}

TEST(LinkTest, ListsAllLinks) {
  Nested nested;
  EXPECT_THAT(nested.links(),
              ElementsAre(&nested, &*nested.pair, &*nested.pair->first,
                          &*nested.pair->second));
  EXPECT_EQ(nested.links(/*skipself=*/true).size(), 3u);
}

TEST(LinkTest, ParametersAndArraysCanBeAddedAtRunTime) {
  Scale original(2);
  const Parameter gamma = original.add_param("gamma", 4.0, Shape{3});
  original.add_persistent_value("u", array::ones({2}, Dtype::kFloat32));
  EXPECT_THAT(paths(original), ElementsAre("/W", "/gamma"));
  EXPECT_TRUE(original.param("gamma").is_same(gamma));
  EXPECT_TRUE(original.has_value("u"));
  EXPECT_THAT(error_of<ValueError>([&] { original.add_param("u", 1.0); }),
              HasSubstr("named 'u' already"));
  EXPECT_THAT(error_of<ValueError>([&] { original.param("u"); }),
              HasSubstr("a parameter ('W', 'gamma'), got 'u'"));
  EXPECT_THAT(error_of<ValueError>([&] { original.persistent("W"); }),
              HasSubstr("a persistent array ('mean', 'u'), got 'W'"));

  Scale copied = original;
  copied.persistent("u").fill(5);
  copied.param("gamma").data().fill(6);
  EXPECT_EQ(original.persistent("u")[0].item<float>(), 1);
  EXPECT_EQ(gamma.data()[0].item<float>(), 4);
  original.copyparams(copied);
  EXPECT_EQ(original.persistent("u")[0].item<float>(), 5);
  EXPECT_EQ(gamma.data()[0].item<float>(), 6);
  original.to_device(native_device(1));
  EXPECT_EQ(original.persistent("u").device(), native_device(1));

  original.remove_value("gamma");
  original.remove_value("u");
  EXPECT_THAT(paths(original), ElementsAre("/W"));
  EXPECT_FALSE(original.has_value("u"));
  EXPECT_THAT(error_of<ValueError>([&] { original.remove_value("W"); }),
              HasSubstr("a value that was added at run time (none), got 'W'"));
}

TEST(LinkTest, CopyModesShareInitializeOrCopy) {
  Scale original(2);
  original.W.data().fill(9);
  const Scale shared = copy(original);
  EXPECT_TRUE(shared.W.data().is_same(original.W.data()));
  EXPECT_FALSE(shared.W.is_same(original.W));
  const Scale fresh = copy(original, CopyMode::kInit);
  EXPECT_EQ(fresh.W.data()[0].item<float>(), 2);
  const Scale copied = copy(original, CopyMode::kCopy);
  EXPECT_EQ(copied.W.data()[0].item<float>(), 9);
  EXPECT_FALSE(copied.W.data().is_same(original.W.data()));
}

TEST(LinkTest, MovingKeepsTheParameters) {
  Nested original;
  const Parameter before = original.pair->first->W;
  const Nested moved = std::move(original);
  EXPECT_TRUE(moved.namedparams()[1].second.is_same(before));
}

TEST(LinkTest, GradientsOfACopyLeaveTheOriginalAlone) {
  Scale original(2);
  const Scale shared = copy(original);
  original.W.set_grad(array::ones({2}, Dtype::kFloat32));
  shared.cleargrads();
  EXPECT_TRUE(original.W.grad().defined());
  Scale other(2);
  other.addgrads(original);
  EXPECT_EQ(other.W.grad()[1].item<float>(), 1);
  other.zerograds();
  EXPECT_EQ(other.W.grad()[1].item<float>(), 0);
  other.cleargrads();
  EXPECT_FALSE(other.W.grad().defined());
}

TEST(LinkTest, DeferredParametersWaitForAShape) {
  Scale deferred(std::nullopt);
  EXPECT_FALSE(deferred.W.is_initialized());
  EXPECT_EQ(deferred.params(/*include_uninit=*/false).size(), 0u);
  EXPECT_EQ(deferred.count_params(), 0);
  EXPECT_TRUE(deferred.has_uninitialized_params());
  deferred.cleargrads();
  const Scale copied = deferred;
  EXPECT_FALSE(copied.W.is_initialized());
  deferred.forward(as_variable(array::ones({4}, Dtype::kFloat32)));
  EXPECT_EQ(deferred.W.shape(), Shape({4}));
  EXPECT_EQ(deferred.W.data()[3].item<float>(), 3);
  EXPECT_FALSE(deferred.has_uninitialized_params());
}

// Two scales, the second for three elements.
class ScaleTwice : public Chain<ScaleTwice> {
 public:
  ScaleTwice()
      : first(this, "first", std::nullopt), second(this, "second", 3) {}
  Variable forward(const Variable& x) { return second(first(x)); }
  Child<Scale> first, second;
};

TEST(LinkTest, AFailedFirstCallInitializesNothing) {
  ScaleTwice model;
  model.first->W.zerograd();
  const auto call = [&](int64_t n) {
    return model(as_variable(array::ones({n}, Dtype::kFloat32)));
  };
  EXPECT_THROW(call(4), ShapeError);
  EXPECT_FALSE(model.first->W.is_initialized());
  EXPECT_FALSE(model.first->W.grad().defined());
  EXPECT_EQ(call(3).shape(), Shape({3}));
  EXPECT_TRUE(model.first->W.grad().defined());  // zerograd() was kept
  EXPECT_THROW(call(4), ShapeError);
  EXPECT_EQ(model.first->W.shape(), Shape({3}));
}

TEST(LinkTest, SavingWhatIsNotInitializedIsToldAndLoadingItToo) {
  ScaleTwice model;
  ::testing::internal::CaptureStderr();
  serializers::DictionarySerializer saved;
  saved.save(model);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: save: first/W is not initialized, so the file has no "
            "values of it; call the model once before\n");
  ScaleTwice called;
  called(as_variable(array::ones({3}, Dtype::kFloat32)));
  ::testing::internal::CaptureStderr();
  serializers::DictionaryDeserializer(saved.target()).load(called);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: load: the file has no values of first/W, which was not "
            "initialized when it was saved; the parameter keeps its own\n");
}

TEST(LinkTest, UnknownNamesAreToldWithTheNearestOne) {
  ScaleTwice model;
  const auto expect_message = [](const auto& fail, const char* message) {
    EXPECT_THAT(error_of<ValueError>(fail), message);
  };
  expect_message([&] { model["fist"]; },
                 "Chain: expected the name of a child ('first', 'second'), got "
                 "'fist'; did you mean 'first'?");
  expect_message([&] { model.first->param("w"); },
                 "Link: expected the name of a parameter ('W'), got 'w'");
  expect_message([&] { model.second->persistent("maen"); },
                 "Link: expected the name of a persistent array ('mean'), got "
                 "'maen'; did you mean 'mean'?");
  expect_message([&] { model.delete_hook("Timer"); },
                 "Link: expected the name of a hook (none), got 'Timer'");
  expect_message([&] { model.remove_value("x"); },
                 "Link: expected the name of a value that was added at run "
                 "time (none), got 'x'");
}

TEST(LinkTest, MovesBetweenDevices) {
  Nested nested;
  nested.to_device(native_device(1));
  for (const Parameter& param : nested.params()) {
    EXPECT_EQ(param.device(), native_device(1));
  }
  EXPECT_EQ(nested.pair->first->mean.device(), native_device(1));
  EXPECT_EQ(nested.device(), native_device(1));
  EXPECT_EQ(nested.pair->second->device(), native_device(1));
  EXPECT_EQ(Nested().device(), current_device());
  Scale deferred(std::nullopt);
  deferred.to_device(native_device(1));
  deferred.W.initialize({2});
  EXPECT_EQ(deferred.W.device(), native_device(1));
}

class LinkDeviceTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, LinkDeviceTest, testing::every_device(),
                         testing::device_name);

TEST_P(LinkDeviceTest, MovingReturnsTheLink) {
  Scale scale(3);
  static_assert(std::is_same_v<decltype(scale.to_cpu()), Scale&>);
  EXPECT_EQ(&scale.to_device(device()).to_cpu(), &scale);
  Link& link = scale;
  EXPECT_EQ(&link.to_device(device()), &link);
  EXPECT_EQ(scale.W.device(), device());
  EXPECT_EQ(&link.to_cpu(), &link);
  EXPECT_EQ(scale.W.device(), native_device());
  const DeviceScope scope(device());
  EXPECT_EQ(&link.to_device(), &link);  // the current device
  EXPECT_EQ(scale.W.device(), device());
  if (device().is_native()) return;
  link.to_cpu();
  EXPECT_EQ(&link.to_gpu(), &link);
  EXPECT_EQ(scale.W.device(), device());
}

TEST_P(LinkDeviceTest, ATemporaryThatIsMovedIsAValue) {
  class Pair : public Chain<Pair> {
   public:
    Pair() : scale(this, "scale", 3) {}
    Variable forward(const Variable& x) { return x; }
    Child<Scale> scale;
  };
  const auto pair = Pair().to_device(device());
  static_assert(std::is_same_v<decltype(pair), const Pair>);
  EXPECT_EQ(pair.scale->W.device(), device());
  Pair other;
  static_assert(std::is_same_v<decltype(other.to_cpu()), Pair&>);
  EXPECT_EQ(&other.to_cpu(), &other);
  EXPECT_EQ(Pair().to_cpu().scale->W.device(), native_device());
  class Derived : public Pair {};
  EXPECT_THAT(error_of<ValueError>([] { Derived().to_cpu(); }),
              HasSubstr("name the link first"));
}

TEST_P(LinkDeviceTest, IsMadeMovedCopiedAndCalledThere) {
  Nested nested;
  EXPECT_EQ(nested.device(), device());
  EXPECT_EQ(nested.pair->first->mean.device(), device());
  const Array x = array::ones({2}, Dtype::kFloat32);
  const Array y = nested.pair->forward(Variable(x)).data();
  EXPECT_EQ(y.device(), device());
  Nested other = nested;
  other.to_device(native_device());
  EXPECT_EQ(other.pair->first->W.device(), native_device());
  EXPECT_EQ(nested.pair->first->W.device(), device());
  other.pair->first->W.data().fill(7.0);
  nested.copyparams(other);
  EXPECT_EQ(nested.pair->first->W.device(), device());
  EXPECT_THAT(nested.pair->forward(Variable(x)).data(),
              testing::IsArray(array::full({2}, 7.0, Dtype::kFloat32)));
}

TEST(LinkTest, CopyParamsChecksTheStructure) {
  const Nested nested;
  const Scale scale(2);
  EXPECT_THAT(error_of<ValueError>([&] { nested.copyparams(scale); }),
              HasSubstr("same parameters"));
  Scale wide(3);
  EXPECT_THAT(error_of<ShapeError>([&] { wide.copyparams(scale); }),
              HasSubstr("expected shape (3,) for W, got (2,)"));
  Scale to(2, 1.0);
  Scale from(2);
  from.mean.fill(8);
  from.count = 3;
  to.copyparams(from);
  EXPECT_EQ(to.W.data()[0].item<float>(), 2);
  EXPECT_EQ(to.mean[1].item<float>(), 8);
  EXPECT_EQ(to.count, 3);
}

TEST(ChainTest, NamesMustBeFree) {
  Nested nested;
  EXPECT_THAT(error_of<ValueError>([&] { nested.add_link("pair", Scale(1)); }),
              HasSubstr("'pair' already"));
  nested.add_link("extra", Scale(1));
  EXPECT_EQ(nested["extra"].count_params(), 1);
  EXPECT_THAT(error_of<ValueError>([&] { nested["none"]; }),
              HasSubstr("got 'none'"));
  const Nested copied = nested;
  EXPECT_THAT(paths(copied), ElementsAre("/own", "/extra/W", "/pair/first/W",
                                         "/pair/second/W"));
}

struct GainOptions {
  double value = 1;
  bool doubled = false;
};

class Gain : public Link {
 public:
  using Options = GainOptions;
  explicit Gain(int64_t n, const Options& options = {})
      : W(this, "W", options.value * (options.doubled ? 2 : 1), Shape{n}) {}
  explicit Gain(const Options& options) : Gain(1, options) {}
  Param W;
};

TEST(ChainTest, ChildrenTakeOptionsInBraces) {
  class Gains : public Chain<Gains> {
   public:
    Gains()
        : a(this, "a", 2),
          b(this, "b", 2, {.value = 3}),
          c(this, "c", {.value = 3, .doubled = true}) {}
    Child<Gain> a, b, c;
  } gains;
  EXPECT_EQ(gains.a->W.data()[0].item<double>(), 1);
  EXPECT_EQ(gains.b->W.data()[0].item<double>(), 3);
  EXPECT_EQ(gains.c->W.data()[0].item<double>(), 6);
}

TEST(ChainListTest, NamesArePositions) {
  ChainList list{Scale(1), Scale(2)};
  list.append(Pair2());
  EXPECT_THAT(paths(list),
              ElementsAre("/0/W", "/1/W", "/2/first/W", "/2/second/W"));
  EXPECT_EQ(list.at<Scale>(1).W.size(), 2);
  EXPECT_EQ(&list[-1], &list[2]);
  EXPECT_THAT(list[Slice(1, std::nullopt)], ElementsAre(&list[1], &list[2]));
  EXPECT_THAT(list[Slice(-1)], ElementsAre(&list[0], &list[1]));
  EXPECT_THAT(error_of<IndexError>([&] { list[3]; }),
              HasSubstr("3 is out of range for 3"));
  EXPECT_THAT(error_of<ValueError>([&] { list.at<Pair2>(0); }),
              ContainsRegex("expected a link of type .*Pair2, got .*Scale"));
}

// Each is a child; a list that is given alone is copied, as usual in C++.
TEST(ChainListTest, TakesListsAsChildren) {
  class Scales : public ChainList {
   public:
    explicit Scales(int64_t size) : ChainList(Scale(size)) {}
  };
  const Scales one(1);
  const ChainList both(one, Scales(2));
  EXPECT_THAT(paths(both), ElementsAre("/0/0/W", "/1/0/W"));
  const Scales same(one);
  EXPECT_THAT(paths(same), ElementsAre("/0/W"));
  const ChainList copied(both);
  EXPECT_THAT(paths(copied), ElementsAre("/0/0/W", "/1/0/W"));
}

TEST(ChainListTest, IsALoopsRange) {
  ChainList list{Scale(1), Scale(2), Scale(3)};
  std::vector<int64_t> counts;
  for (Link& link : list) counts.push_back(link.count_params());
  EXPECT_THAT(counts, ElementsAre(1, 2, 3));
  EXPECT_EQ(&*list.begin(), &list[0]);
  EXPECT_EQ(ChainList().begin(), ChainList().end());
}

// The classes above, and a list whose positions have one digit and two.
TEST(LinkTest, ParamsAreInTheOrderOfNamedparams) {
  ChainList list{Unordered(), Scale(std::nullopt), Nested()};
  for (int i = 3; i < 12; ++i) list.append(Scale(i));
  list[2].add_param("before_own", 1.0, Shape{1});
  for (const bool include_uninit : {false, true}) {
    const auto params = list.params(include_uninit);
    const auto named = list.namedparams(include_uninit);
    ASSERT_EQ(params.size(), named.size());
    for (size_t i = 0; i < params.size(); ++i) {
      EXPECT_TRUE(params[i].is_same(named[i].second)) << named[i].first;
    }
  }
}

Variable twice(const Variable& x) { return as_variable(x.data() * 2); }

TEST(SequentialTest, CallsLinksAndFunctionsInOrder) {
  Sequential model(Scale(2), twice, Scale(2, 10.0));
  const Variable y = model(as_variable(array::ones({2}, Dtype::kFloat32)));
  EXPECT_EQ(y.data()[0].item<float>(), 40);
  EXPECT_THAT(paths(model), ElementsAre("/0/W", "/2/W"));
  EXPECT_EQ(model.at<Scale>(-1).W.size(), 2);
  EXPECT_THAT(error_of<IndexError>([&] { model[1]; }),
              HasSubstr("got a function, which layer(1) returns"));
}

TEST(SequentialTest, ParametersAreInTheOrderOfLayers) {
  Sequential model(twice, Scale(1));
  for (int i = 2; i < 11; ++i) model.append(Scale(1));
  EXPECT_EQ(paths(model).front(), "/1/W");
  EXPECT_EQ(paths(model).back(), "/10/W");
}

TEST(SequentialTest, RepeatMakesParametersAnew) {
  Sequential block(Scale(1), twice);
  block.at<Scale>(0).W.data().fill(5);
  const Sequential model = block.repeat(3);
  EXPECT_EQ(model.size(), 6);
  EXPECT_THAT(paths(model), ElementsAre("/0/W", "/2/W", "/4/W"));
  EXPECT_EQ(model.at<Scale>(2).W.data()[0].item<float>(), 2);
  const Sequential copies = block.repeat(2, CopyMode::kCopy);
  EXPECT_EQ(copies.at<Scale>(2).W.data()[0].item<float>(), 5);
  EXPECT_EQ(block.repeat(0).size(), 0);
  EXPECT_THAT(error_of<ValueError>([&] { block.repeat(-1); }),
              HasSubstr("n of at least 0, got -1"));
}

float first_of(const Variable& y) { return y.data()[0].item<float>(); }

Variable one() { return as_variable(array::ones({1}, Dtype::kFloat32)); }

Variable plus_one(const Variable& x) { return as_variable(x.data() + 1); }

TEST(SequentialTest, LayersAreInsertedAndTakenOut) {
  Sequential model(Scale(1), twice);
  model.insert(1, plus_one).insert(-1, Scale(1, 10.0));
  // ((1 * 2 + 1) * 10) * 2
  EXPECT_EQ(first_of(model(one())), 60);
  EXPECT_THAT(paths(model), ElementsAre("/0/W", "/2/W"));
  EXPECT_EQ(model[2].name(), "2");

  Sequential::Layer last = model.pop();
  EXPECT_EQ(first_of(last(one())), 2);
  EXPECT_EQ(last.link(), nullptr);
  Sequential::Layer first = model.pop(0);
  EXPECT_EQ(first_of(first(one())), 2);
  EXPECT_EQ(first_of(model(one())), 20);
  EXPECT_THAT(paths(model), ElementsAre("/1/W"));
  model.append(std::move(first));
  EXPECT_EQ(first_of(model(one())), 40);

  EXPECT_THAT(error_of<IndexError>([&] { model.insert(4, twice); }),
              HasSubstr("4 is out of range for 3"));
  EXPECT_THAT(error_of<IndexError>([&] { model.pop(-4); }),
              HasSubstr("-4 is out of range for 3"));
  model.clear();
  EXPECT_EQ(model.size(), 0);
  EXPECT_THAT(error_of<IndexError>([&] { model.pop(); }),
              HasSubstr("for 0 layers"));
}

TEST(SequentialTest, LayersAreFoundByIdentityAndByType) {
  Sequential model(twice, Scale(1), twice, Pair2(), Scale(2));
  EXPECT_EQ(model.count(twice), 2);
  EXPECT_EQ(model.count(plus_one), 0);
  EXPECT_EQ(model.count(model[1]), 1);
  EXPECT_EQ(model.count(Scale(1)), 0);
  EXPECT_EQ(model.count_by_layer_type<Scale>(), 2);
  EXPECT_EQ(model.count_by_layer_type<Link>(), 3);
  EXPECT_EQ(model.index(twice), 0);
  EXPECT_EQ(model.index(twice, 1), 2);
  EXPECT_EQ(model.index(model[-1], -2), 4);
  EXPECT_THAT(error_of<ValueError>([&] { model.index(twice, 1, 2); }),
              HasSubstr("not in the sequence"));

  model.remove(twice);
  EXPECT_EQ(model.index(twice), 1);
  model.remove(model[0]);
  EXPECT_EQ(model.count_by_layer_type<Scale>(), 1);
  EXPECT_THAT(error_of<ValueError>([&] { model.remove(plus_one); }),
              HasSubstr("not in the sequence"));
  model.remove_by_layer_type<Pair2>();
  EXPECT_EQ(model.size(), 2);
  EXPECT_EQ(model[1].name(), "1");
  EXPECT_THAT(
      error_of<ValueError>([&] { model.remove_by_layer_type<Pair2>(); }),
      HasSubstr("no layer of that type"));
}

TEST(SequentialTest, SequencesAreJoinedAndFlattened) {
  const Sequential a(Scale(1), twice);
  const Sequential b(Scale(1, 5.0), plus_one);
  Sequential sum = a + b;
  EXPECT_EQ(first_of(sum(one())), 21);
  EXPECT_THAT(paths(sum), ElementsAre("/0/W", "/2/W"));
  EXPECT_EQ(a.size(), 2);
  sum.at<Scale>(0).W.data().fill(0);
  EXPECT_EQ(a.at<Scale>(0).W.data()[0].item<float>(), 2);
  sum.extend(a);
  EXPECT_EQ(sum.size(), 6);

  const Sequential nested(Sequential(Scale(1), Sequential(twice, Scale(1))),
                          plus_one);
  Sequential flat = nested.flatten();
  EXPECT_THAT(paths(flat), ElementsAre("/0/W", "/2/W"));
  EXPECT_EQ(flat.size(), 4);
  EXPECT_EQ(first_of(flat(one())), 9);
}

TEST(SequentialTest, CopiesShareInitializeOrCopy) {
  const Sequential original(Scale(1), twice);
  original.at<Scale>(0).W.data().fill(9);
  const auto value = [&](CopyMode mode) {
    return copy(original, mode).at<Scale>(0).W.data();
  };
  EXPECT_TRUE(value(CopyMode::kShare).is_same(original.at<Scale>(0).W.data()));
  EXPECT_EQ(value(CopyMode::kInit)[0].item<float>(), 2);
  EXPECT_EQ(value(CopyMode::kCopy)[0].item<float>(), 9);
  EXPECT_FALSE(value(CopyMode::kCopy).is_same(original.at<Scale>(0).W.data()));
}

TEST(SequentialTest, RepeatsALink) {
  Scale scale(1);
  scale.W.data().fill(5);
  Sequential fresh = repeat(scale, 3);
  EXPECT_EQ(first_of(fresh(one())), 8);
  EXPECT_EQ(first_of(repeat(scale, 2, CopyMode::kCopy)(one())), 25);
  EXPECT_THAT(error_of<ValueError>([&] { repeat(scale, -1); }),
              HasSubstr("n of at least 0, got -1"));
}

TEST(SequentialTest, ALinkThatTakesNoVariableSaysSo) {
  Sequential model;
  model.append(Nested());
  EXPECT_THAT(error_of<NotImplementedError>([&] {
                model(as_variable(array::ones({1}, Dtype::kFloat32)));
              }),
              HasSubstr("no forward"));
}

TEST(FunctionSetTest, GivesParametersAndGradientsAsLists) {
  FunctionSet set;
  set.add_link("a", Scale(2));
  set.add_link("b", Scale(1, 5.0));
  set.add_link("c", Scale(std::nullopt));
  EXPECT_EQ(&set["a"], set.children()[0]);
  set.add_link("d", Scale(1)).W.set_grad(array::ones({1}, Dtype::kFloat32));
  const auto [parameters, gradients] = set.collect_parameters();
  ASSERT_EQ(parameters.size(), 3u);
  ASSERT_EQ(gradients.size(), 3u);
  EXPECT_TRUE(parameters[1].is_same(set.params()[1].data()));
  EXPECT_EQ(set.parameters()[0].size(), 2);
  EXPECT_FALSE(gradients[0].defined());
  EXPECT_TRUE(set.gradients()[2].is_same(set.params()[3].grad()));
}

TEST(FunctionSetTest, CopiesArraysIntoItsParameters) {
  FunctionSet set;
  set.add_link("a", Scale(2));
  set.add_link("b", Scale(1));
  const std::vector<Array> before = set.parameters();
  set.copy_parameters_from({array::full({2}, 3.0f), array::full({1}, 4.0f)});
  EXPECT_TRUE(set.parameters()[0].is_same(before[0]));
  EXPECT_EQ(before[0][1].item<float>(), 3);
  EXPECT_EQ(before[1][0].item<float>(), 4);
  EXPECT_THAT(error_of<ValueError>([&] { set.copy_parameters_from({}); }),
              HasSubstr("expected 2 arrays, got 0"));
  EXPECT_THAT(
      error_of<ShapeError>([&] {
        set.copy_parameters_from({array::zeros({2}), array::zeros({3})});
      }),
      HasSubstr("expected shape (1,) for array 1, got (3,)"));
  EXPECT_EQ(before[0][1].item<float>(), 3);
}

TEST(FunctionSetTest, MovesBetweenDevices) {
  FunctionSet set;
  set.add_link("a", Scale(2));
  set.to_device(native_device(1));
  EXPECT_EQ(set.parameters()[0].device(), native_device(1));
  set.to_cpu();
  EXPECT_EQ(set.parameters()[0].device(), native_device());
  EXPECT_THROW(set.to_gpu(63), DeviceError);
}

}  // namespace
}  // namespace catena
