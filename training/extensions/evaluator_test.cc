#include "catena/training/extensions/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/config.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/link.h"
#include "catena/links/reporter.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using array::arange;
using ::catena::testing::error_of;
using iterators::SerialIterator;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScriptedTraining;

class Part : public Link {
 public:
  Part() : w(this, "w", 2.0, Shape{}) {}
  Variable forward(const Variable& x) {
    report({{"calls", 1}}, this);
    return functions::sum(w * x);
  }
  Param w;
};

// Reports the sum of 2x, and how it was called.
class Model : public Chain<Model> {
 public:
  Model() : part(this, "part") {}
  Variable forward(const Variable& x) {
    if (on_call) on_call();
    Variable loss = part(x);
    report({{"loss", loss},
            {"train", config().train},
            {"graph", loss.creator_node() != nullptr}},
           this);
    return loss;
  }
  Child<Part> part;
  std::function<void()> on_call;
};

class EvaluatorTest : public ::testing::Test {
 protected:
  Model model;
  SerialIterator iterator{
      arange(4, Dtype::kFloat32), 3, {.repeat = false, .shuffle = false}};
};

TEST_F(EvaluatorTest, AveragesWhatMinibatchesReport) {
  Evaluator evaluator(iterator, model);
  const Observation result = evaluator();
  std::vector<std::string> names;
  for (const auto& [name, value] : result) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("main/part/calls", "main/loss", "main/train",
                                 "main/graph"));
  // The mean over two minibatches, of unequal size: 2 (0 + 1 + 2) and 2 * 3.
  EXPECT_EQ(result["main/loss"].as_double(), 6);
  EXPECT_EQ(result["main/train"].as_double(), 0);
  EXPECT_EQ(result["main/graph"].as_double(), 0);
}

TEST_F(EvaluatorTest, WeightsMakeItTheMeanOverExamples) {
  EvaluatorOptions options;
  const auto mean = [&](const Variable& x) {
    const Array each = x.data().mean();
    report({{"mean", weighted(each, static_cast<double>(x.len()))}}, &model);
    return x;
  };
  options.eval_func = loss_function_of(mean);
  Evaluator evaluator(iterator, model, options);
  EXPECT_EQ(evaluator()["main/mean"].as_double(), 1.5);  // of 0, 1, 2 and 3
}

TEST_F(EvaluatorTest, ReportsToTheTrainerUnderItsName) {
  ScriptedTraining training({4, "iteration"});
  training.trainer.extend(Evaluator(iterator, model));
  training.trainer.extend(Evaluator(iterator, model),
                          {.name = "test", .trigger = {4, "iteration"}});
  std::vector<std::string> losses;
  training.trainer.extend([&](Trainer& trainer) {
    for (const auto& [name, value] : trainer.observation()) {
      if (name.ends_with("loss")) {
        losses.push_back(std::to_string(trainer.updater().iteration()) + name);
      }
    }
  });
  training.trainer.run();
  EXPECT_THAT(losses, ElementsAre("2validation/main/loss",
                                  "4validation/main/loss", "4test/main/loss"));
}

TEST_F(EvaluatorTest, WhatOtherThreadsDrawMeanwhileStaysDrawn) {
  const auto draw = [] {
    return array::random::uniform(0, 1, {}).item<double>();
  };
  array::random::seed(1, native_device());
  const std::vector<double> expected = {draw(), draw(), draw()};
  array::random::seed(1, native_device());
  EXPECT_EQ(draw(), expected[0]);
  bool is_first = true;
  model.on_call = [&] {
    if (!std::exchange(is_first, false)) return;
    EXPECT_EQ(draw(), expected[1]);  // from a copy
    std::thread([&] { EXPECT_EQ(draw(), expected[1]); }).join();
    EXPECT_EQ(draw(), expected[2]);
  };
  Evaluator evaluator(iterator, model);
  evaluator();
  EXPECT_EQ(draw(), expected[2]);
}

TEST_F(EvaluatorTest, LeavesModeIteratorAndGeneratorsAsTheyWere) {
  iterator.next();
  array::random::seed(1, native_device());
  const auto before = array::random::generator(native_device()).state();
  model.on_call = [] { array::random::uniform(0, 1, {5}); };
  Evaluator evaluator(iterator, model);
  evaluator();
  EXPECT_EQ(array::random::generator(native_device()).state(), before);
  EXPECT_EQ(iterator.current_position(), 3);
  EXPECT_TRUE(config().train);
  EXPECT_TRUE(config().enable_backprop);
}

TEST_F(EvaluatorTest, LeavesThemSoAfterAnExceptionToo) {
  array::random::seed(1, native_device());
  const auto before = array::random::generator(native_device()).state();
  model.on_call = [] {
    array::random::uniform(0, 1, {5});
    throw std::runtime_error("stop");
  };
  Evaluator evaluator(iterator, model);
  EXPECT_THROW(evaluator(), std::runtime_error);
  EXPECT_EQ(array::random::generator(native_device()).state(), before);
  EXPECT_EQ(iterator.current_position(), 0);
  EXPECT_TRUE(config().train);
  EXPECT_TRUE(config().enable_backprop);
  EXPECT_THROW(get_current_reporter(), ValueError);
}

TEST_F(EvaluatorTest, StartsFromTheFirstExampleEachTime) {
  Evaluator evaluator(iterator, model);
  EXPECT_EQ(evaluator()["main/loss"].as_double(), 6);
  EXPECT_EQ(evaluator()["main/loss"].as_double(), 6);
}

TEST_F(EvaluatorTest, CallsItsHookAndFunction) {
  int hooks = 0;
  EvaluatorOptions options;
  options.eval_hook = [&](Evaluator& evaluator) {
    ++hooks;
    EXPECT_EQ(&evaluator.get_target("main"), &model);
    EXPECT_EQ(&evaluator.get_iterator("main"), &iterator);
  };
  const auto size = [&](const Variable& x) {
    report({{"size", x.size()}}, &model);
    return x;
  };
  options.eval_func = loss_function_of(size);
  Evaluator evaluator(iterator, model, options);
  EXPECT_EQ(evaluator()["main/size"].as_double(), 2);
  EXPECT_EQ(hooks, 1);
}

TEST_F(EvaluatorTest, MovesMinibatchesToTheDevice) {
  model.to_device(native_device(1));
  Evaluator evaluator(iterator, model, {.device = native_device(1)});
  EXPECT_EQ(evaluator()["main/loss"].as_double(), 6);
  EXPECT_EQ(evaluator.device(), native_device(1));
  EXPECT_TRUE(evaluator.converter() != nullptr);
}

TEST_F(EvaluatorTest, RefusesIteratorsWithoutEnd) {
  SerialIterator endless(arange(4, Dtype::kFloat32), 3);
  EXPECT_THAT(error_of<ValueError>([&] { Evaluator(endless, model); }),
              HasSubstr("repeat = false"));
}

TEST_F(EvaluatorTest, RejectsBadArguments) {
  const auto expect_error = [](const auto& make, const char* message) {
    EXPECT_THAT(error_of<ValueError>(make), HasSubstr(message));
  };
  expect_error([&] { Evaluator(iterator, model, {.converter = nullptr}); },
               "expected a converter, got none");
  expect_error(
      [&] {
        Evaluator(IteratorMap{{"main", nullptr}}, LinkMap{});
      },
      "expected an iterator 'main', got a null pointer");
  expect_error(
      [&] {
        Evaluator(IteratorMap{{"main", &iterator}}, LinkMap{{"a", nullptr}});
      },
      "expected a target 'a', got a null pointer");
}

TEST_F(EvaluatorTest, NeedsMinibatches) {
  SerialIterator empty(arange(0, Dtype::kFloat32), 3,
                       {.repeat = false, .shuffle = false});
  Evaluator evaluator(empty, model);
  EXPECT_THAT(error_of<ValueError>([&] { evaluator(); }),
              HasSubstr("dataset of the iterator is empty"));
}

// Evaluates two targets in turn.
class BothEvaluator : public Evaluator {
 public:
  using Evaluator::Evaluator;

 protected:
  Observation evaluate() override {
    Observation result;
    const auto scope = report_scope(result);
    for (const auto& [name, target] : get_all_targets()) {
      report({{"params", target->count_params()}}, target);
    }
    report({{"iterators", get_all_iterators().size()}});
    return result;
  }
};

TEST_F(EvaluatorTest, WarnsWhenNothingIsReported) {
  Evaluator evaluator(iterator, model,
                      {.eval_func = [](const LossInputs& batch) {
                        return functions::sum(batch[0]);
                      }});
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(evaluator().empty());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: Evaluator: expected reports from 2 minibatches, got "
            "none: report them where the loss is computed, "
            "report({{\"loss\", loss}}, this)\n");
}

TEST_F(EvaluatorTest, EvaluateCanBeReplaced) {
  Model second;
  BothEvaluator evaluator(IteratorMap{{"main", &iterator}},
                          LinkMap{{"a", &model}, {"b", &second}});
  const Observation result = evaluator();
  EXPECT_EQ(result["a/params"].as_double(), 1);
  EXPECT_EQ(result["b/params"].as_double(), 1);
  EXPECT_EQ(result["iterators"].as_double(), 1);
  EXPECT_THAT(error_of<ValueError>([&] { evaluator.get_target("c"); }),
              HasSubstr("('a', 'b'), got 'c'"));
  Evaluator without(IteratorMap{{"main", &iterator}}, LinkMap{{"a", &model}});
  EXPECT_THROW(without(), ValueError);
}

}  // namespace
}  // namespace catena::training::extensions
