#include "catena/links/link_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/sequential.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Variable x_of(int64_t n) {
  return as_variable(array::ones({n}, Dtype::kFloat32));
}

class Scale : public Callable<Scale> {
 public:
  Scale() : W(this, "W", 2.0) {}
  Variable forward(const Variable& x) {
    W.initialize(x.shape());
    return as_variable(x.data() * W.data());
  }

  Param W;
};

class Pair : public Chain<Pair> {
 public:
  Pair() : first(this, "first"), second(this, "second") {}
  Variable forward(const Variable& x) { return second(first(x)); }

  Child<Scale> first;
  Child<Scale> second;
};

// Writes down what happens.
class Log : public LinkHook {
 public:
  explicit Log(std::string name = "Log") : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  void forward_preprocess(Link& link, const Variables& inputs) override {
    lines.push_back(name_ + " before " + link.name() + " of " +
                    std::to_string(inputs.size()));
  }
  void forward_postprocess(Link& link, const Variables&) override {
    lines.push_back(name_ + " after " + link.name());
  }
  void forward_failed(Link& link) noexcept override {
    lines.push_back(name_ + " without " + link.name());
  }
  void added(Link* link) override {
    lines.push_back(name_ + (link ? " added" : " in force"));
  }
  void deleted(Link* link) override {
    lines.push_back(name_ + (link ? " deleted" : " out of force"));
  }

  inline static std::vector<std::string> lines;

 private:
  std::string name_;
};

class LinkHookTest : public ::testing::Test {
 protected:
  LinkHookTest() { Log::lines.clear(); }
};

TEST_F(LinkHookTest, IsCalledAroundEveryLinkOfTheThread) {
  Pair pair;
  Log log;
  {
    const LinkHookScope scope(log);
    pair(x_of(2));
    std::thread([&] { pair(x_of(2)); }).join();
  }
  pair(x_of(2));
  EXPECT_THAT(
      Log::lines,
      ElementsAre("Log in force", "Log before  of 1", "Log before first of 1",
                  "Log after first", "Log before second of 1",
                  "Log after second", "Log after ", "Log out of force"));
}

TEST_F(LinkHookTest, IsCalledAroundTheLinkItWasAddedTo) {
  Pair pair;
  pair.first->add_hook(std::make_shared<Log>("A"));
  pair.first->add_hook(std::make_shared<Log>("B"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { pair.first->add_hook(std::make_shared<Log>("B")); }),
              HasSubstr("a hook named 'B' already"));
  (*pair.first)(x_of(2));
  EXPECT_THAT(
      Log::lines,
      ElementsAre("A added", "B added", "A before first of 1",
                  "B before first of 1", "B after first", "A after first"));
  Log::lines.clear();
  pair.first->delete_hook("A");
  pair.forward(x_of(2));
  pair.first->forward(x_of(2));
  EXPECT_THAT(Log::lines,
              ElementsAre("A deleted", "B before first of 1", "B after first"));
  EXPECT_THAT(error_of<ValueError>([&] { pair.first->delete_hook("A"); }),
              HasSubstr("name of a hook ('B'), got 'A'"));
}

TEST_F(LinkHookTest, CanBeAddedUnderAnotherName) {
  Scale scale;
  const auto log = std::make_shared<Log>();
  scale.add_hook(log);
  scale.add_hook(std::make_shared<Log>(), "other");
  EXPECT_THAT(error_of<ValueError>([&] { scale.add_hook(log, "other"); }),
              HasSubstr("a hook named 'other' already exists"));
  EXPECT_EQ(scale.local_link_hooks().size(), 2u);
  EXPECT_THAT(error_of<ValueError>([&] { scale.delete_hook("othre"); }),
              HasSubstr("name of a hook ('Log', 'other'), got 'othre'; did you "
                        "mean 'other'?"));
  // A copy has the names, too.
  Scale copied = scale;
  copied.delete_hook("other");
  EXPECT_THAT(copied.local_link_hooks(), ElementsAre(log));
  EXPECT_EQ(scale.local_link_hooks().size(), 2u);
}

TEST_F(LinkHookTest, IsGivenArraysToo) {
  Scale scale;
  scale.add_hook(std::make_shared<Log>());
  scale(array::ones({2}, Dtype::kFloat32));
  EXPECT_THAT(Log::lines,
              ElementsAre("Log added", "Log before  of 1", "Log after "));
}

TEST_F(LinkHookTest, HearsOfLinksThatThrow) {
  Scale scale;
  scale(x_of(3));
  scale.add_hook(std::make_shared<Log>());
  EXPECT_THROW(scale(x_of(2)), ShapeError);
  EXPECT_THAT(Log::lines,
              ElementsAre("Log added", "Log before  of 1", "Log without "));
}

TEST_F(LinkHookTest, HasANameOfItsOwn) {
  Log log, other;
  const LinkHookScope scope(log);
  EXPECT_THAT(error_of<ValueError>([&] { const LinkHookScope second(other); }),
              HasSubstr("LinkHookScope: a hook named 'Log' is already active"));
  const LinkHookScope named(other, "other");
  EXPECT_THAT(thread_link_hooks(), ElementsAre(&log, &other));
}

TEST_F(LinkHookTest, IsCalledByContainers) {
  Sequential model{Scale(), Scale()};
  model[1].add_hook(std::make_shared<Log>());
  model(x_of(1));
  EXPECT_THAT(Log::lines,
              ElementsAre("Log added", "Log before 1 of 1", "Log after 1"));
  // A copy has the same hooks.
  Log::lines.clear();
  Sequential copied = model;
  copied(x_of(1));
  EXPECT_THAT(Log::lines, ElementsAre("Log before 1 of 1", "Log after 1"));
}

// Wants the weight to be there.
class WantsWeight : public Log {
 public:
  bool wants_trial_call(Link& link) override {
    return link.has_uninitialized_params();
  }
  void forward_preprocess(Link& link, const Variables&) override {
    EXPECT_TRUE(link.param("W").is_initialized());
  }
};

TEST_F(LinkHookTest, CanHaveTheLinkCalledOnceBeforeAllElse) {
  Scale scale;
  scale.add_hook(std::make_shared<WantsWeight>());
  EXPECT_EQ(scale(x_of(3)).shape(), Shape({3}));
}

TEST(ParamTest, AnotherVariableCanStandInItsPlace) {
  Scale scale;
  scale.W.initialize({2});
  const Variable original =
      scale.W.exchange(as_variable(array::full({2}, 7.0f)));
  EXPECT_EQ(scale(x_of(2)).data()[0].item<float>(), 7);
  EXPECT_NE(scale.W.version(), scale.W.version());
  EXPECT_THAT(error_of<ValueError>([&] { scale.cleargrads(); }),
              HasSubstr("computed variable"));
  scale.W.exchange(original);
  EXPECT_EQ(scale(x_of(2)).data()[0].item<float>(), 2);
  EXPECT_EQ(scale.W.version(), scale.W.version());
}

}  // namespace
}  // namespace catena
