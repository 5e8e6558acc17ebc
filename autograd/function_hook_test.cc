#include "catena/autograd/function_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StrEq;

using Log = std::vector<std::string>;

// Writes down what is called.
class Recorder final : public FunctionHook {
 public:
  Recorder(std::string name, Log& log) : name_(std::move(name)), log_(log) {}
  std::string_view name() const override { return name_; }
  void forward_preprocess(const FunctionNode& function,
                          const Arrays& inputs) override {
    write("forward", function, inputs.size());
  }
  void forward_postprocess(const FunctionNode& function,
                           const Arrays& inputs) override {
    write("/forward", function, inputs.size());
  }
  void backward_preprocess(const FunctionNode& function,
                           const Variables& grad_outputs) override {
    write("backward", function, grad_outputs.size());
  }
  void backward_postprocess(const FunctionNode& function,
                            const Variables& grad_outputs) override {
    write("/backward", function, grad_outputs.size());
  }
  void added(FunctionNode* function) override {
    log_.push_back(str(name_, " added to ", label_of(function)));
  }
  void deleted(FunctionNode* function) override {
    log_.push_back(str(name_, " deleted from ", label_of(function)));
  }

 private:
  static std::string label_of(const FunctionNode* function) {
    return function != nullptr ? std::string(function->label()) : "thread";
  }
  void write(std::string_view what, const FunctionNode& function,
             size_t count) {
    log_.push_back(str(name_, " ", what, " ", function.label(), " ", count));
  }

  std::string name_;
  Log& log_;
};

Variable make_x() { return Variable(array::array({1.0, 2.0})); }

TEST(FunctionHookTest, IsCalledAroundEachFunctionOfTheThread) {
  Log log;
  Recorder hook("r", log);
  const Variable x = make_x();
  {
    const FunctionHookScope scope(hook);
    EXPECT_THAT(thread_function_hooks(), ElementsAre(&hook));
    const Variable y = testing::add_sub(x, x)[0];
    y.set_grad(y.data());
    y.backward();
  }
  EXPECT_THAT(thread_function_hooks(), IsEmpty());
  testing::neg(x);
  EXPECT_THAT(log,
              ElementsAre("r added to thread", "r forward add_sub 2",
                          "r /forward add_sub 2", "r backward add_sub 2",
                          "r /backward add_sub 2", "r deleted from thread"));
}

TEST(FunctionHookTest, IsCalledInTheOrderOfRegistrationLocalOnesLast) {
  Log log;
  Recorder first("first", log);
  Recorder second("second", log);
  const auto local = std::make_shared<Recorder>("local", log);
  const Variable x = make_x();
  const FunctionHookScope first_scope(first);
  const FunctionHookScope second_scope(second);
  const Variable y = testing::neg(x);
  y.creator_node()->add_hook(local);
  EXPECT_THAT(y.creator_node()->local_function_hooks(), ElementsAre(local));
  log.clear();
  y.set_grad(y.data());
  y.backward();
  EXPECT_THAT(log,
              ElementsAre("first backward neg 1", "second backward neg 1",
                          "local backward neg 1",
                          // The backward of neg applies another neg.
                          "first forward neg 1", "second forward neg 1",
                          "first /forward neg 1", "second /forward neg 1",
                          "first /backward neg 1", "second /backward neg 1",
                          "local /backward neg 1"));
}

TEST(FunctionHookTest, IsAddedToAndDeletedFromOneFunction) {
  Log log;
  const Variable y = testing::neg(make_x());
  FunctionNode* function = y.creator_node();
  function->add_hook(std::make_shared<Recorder>("a", log));
  function->add_hook(std::make_shared<Recorder>("b", log));
  EXPECT_THAT(error_of<ValueError>([&] {
                function->add_hook(std::make_shared<Recorder>("a", log));
              }),
              StrEq("add_hook: neg already has a hook named 'a'"));
  function->delete_hook("a");
  EXPECT_THAT(error_of<ValueError>([&] { function->delete_hook("a"); }),
              StrEq("delete_hook: expected the name of a hook of neg ('b'), "
                    "got 'a'"));
  EXPECT_EQ(function->local_function_hooks().size(), 1);
  EXPECT_THAT(log, ElementsAre("a added to neg", "b added to neg",
                               "a deleted from neg"));
}

TEST(FunctionHookTest, HasANameOfItsOwnAmongThoseInForce) {
  Log log;
  Recorder hook("r", log);
  Recorder same("r", log);
  const FunctionHookScope scope(hook);
  EXPECT_THAT(
      error_of<ValueError>([&] { const FunctionHookScope again(same); }),
      StrEq("FunctionHookScope: a hook named 'r' is already active"));
  EXPECT_THAT(thread_function_hooks(), ElementsAre(&hook));
  EXPECT_THAT(log, ElementsAre("r added to thread"));
}

TEST(FunctionHookTest, CanBeAddedUnderAnotherName) {
  Log log;
  Recorder hook("r", log);
  Recorder same("r", log);
  {
    const FunctionHookScope scope(hook);
    const FunctionHookScope other(same, "s");
    EXPECT_THAT(thread_function_hooks(), ElementsAre(&hook, &same));
    EXPECT_THAT(
        error_of<ValueError>([&] { const FunctionHookScope again(hook, "s"); }),
        StrEq("FunctionHookScope: a hook named 's' is already active"));
  }
  EXPECT_THAT(thread_function_hooks(), IsEmpty());

  const Variable y = testing::neg(make_x());
  FunctionNode* function = y.creator_node();
  const auto local = std::make_shared<Recorder>("r", log);
  function->add_hook(local, "first");
  function->add_hook(local, "second");
  EXPECT_THAT(error_of<ValueError>([&] { function->add_hook(local, "first"); }),
              StrEq("add_hook: neg already has a hook named 'first'"));
  EXPECT_THAT(error_of<ValueError>([&] { function->delete_hook("frist"); }),
              StrEq("delete_hook: expected the name of a hook of neg ('first', "
                    "'second'), got 'frist'; did you mean 'first'?"));
  function->delete_hook("first");
  EXPECT_THAT(function->local_function_hooks(), ElementsAre(local));
  function->delete_hook("second");
}

TEST(FunctionHookTest, IsOneOfAtMostSixteen) {
  Log log;
  std::vector<std::unique_ptr<Recorder>> hooks;
  std::vector<std::unique_ptr<FunctionHookScope>> scopes;
  for (int i = 0; i < 16; ++i) {
    hooks.push_back(std::make_unique<Recorder>(std::to_string(i), log));
    scopes.push_back(std::make_unique<FunctionHookScope>(*hooks.back()));
  }
  Recorder one_more("one more", log);
  EXPECT_THAT(
      error_of<ValueError>([&] { const FunctionHookScope scope(one_more); }),
      StrEq("FunctionHookScope: expected at most 16 hooks at a time"));
  scopes.erase(scopes.begin() + 3);
  EXPECT_EQ(thread_function_hooks().size(), 15);
  EXPECT_EQ(thread_function_hooks()[3]->name(), "4");
  const FunctionHookScope scope(one_more);
}

TEST(FunctionHookTest, IsNotInForceWhenAddedThrows) {
  class Refusing final : public FunctionHook {
   public:
    std::string_view name() const override { return "Refusing"; }
    void added(FunctionNode*) override { raise<ValueError>("not me"); }
  };
  Refusing hook;
  EXPECT_THROW(const FunctionHookScope scope(hook), ValueError);
  EXPECT_THAT(thread_function_hooks(), IsEmpty());
  const Variable y = testing::neg(make_x());
  EXPECT_THROW(y.creator_node()->add_hook(std::make_shared<Refusing>()),
               ValueError);
  EXPECT_THAT(y.creator_node()->local_function_hooks(), IsEmpty());
}

TEST(FunctionHookTest, BelongsToTheThread) {
  Log log;
  Recorder hook("r", log);
  const FunctionHookScope scope(hook);
  std::thread([] {
    EXPECT_THAT(thread_function_hooks(), IsEmpty());
    testing::neg(make_x());
  }).join();
  EXPECT_THAT(log, ElementsAre("r added to thread"));
}

// Stops every backward.
class Stopper final : public FunctionHook {
 public:
  std::string_view name() const override { return "Stopper"; }
  void backward_postprocess(const FunctionNode&, const Variables&) override {
    raise<ValueError>("stopped");
  }
};

TEST(FunctionHookTest, MayThrow) {
  const Variable x = make_x();
  const Variable y = testing::sum(testing::neg(x));
  {
    Stopper hook;
    const FunctionHookScope scope(hook);
    EXPECT_THROW(y.backward(), ValueError);
    EXPECT_FALSE(x.grad().defined());
  }
  y.backward();
  EXPECT_TRUE(x.grad().defined());
}

}  // namespace
}  // namespace catena
