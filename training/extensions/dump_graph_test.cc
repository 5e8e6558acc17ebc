#include "catena/training/extensions/dump_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/math/operators.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/unchain_variables.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::read_file;
using testing::ScriptedTraining;

TEST(DumpGraphTest, WritesTheGraphOfTheFirstIteration) {
  ScriptedTraining training({3, "iteration"});
  std::vector<bool> kept;
  training.updater.on_update = [&](int64_t) {
    kept.push_back(config().keep_graph_on_report);
    const Variable x(array::full({}, 2.0f), {.name = "x"});
    report({{"loss", x * x}}, &training.updater.model);
  };
  training.trainer.extend(DumpGraph("main/loss"));
  training.trainer.run();
  const std::string dot = read_file(training.trainer.out_path("cg.dot"));
  EXPECT_THAT(dot, HasSubstr("digraph"));
  EXPECT_THAT(dot, HasSubstr("x: "));
  EXPECT_THAT(kept, ::testing::ElementsAre(true, false, false));
  EXPECT_FALSE(config().keep_graph_on_report);
}

// Their own names are alike in all layers.
TEST(DumpGraphTest, NamesParametersByTheirPaths) {
  testing::Weight other;
  optimizers::SGD of_other;
  of_other.setup(other);
  for (const bool several : {false, true}) {
    ScriptedTraining training({1, "iteration"});
    if (several) training.updater.add_optimizer("other", of_other);
    training.updater.on_update = [&](int64_t) {
      report({{"loss", training.updater.model.W * other.W}});
    };
    training.trainer.extend(DumpGraph("loss"));
    training.trainer.run();
    const std::string dot = read_file(training.trainer.out_path("cg.dot"));
    EXPECT_THAT(dot, HasSubstr(several ? "\"main/W: " : "\"/W: "));
    EXPECT_THAT(dot, HasSubstr(several ? "\"other/W: " : "\"W: "));
  }
}

TEST(UnchainVariablesTest, CutsGraphsAfterOtherExtensions) {
  const auto keep = using_config(&Config::keep_graph_on_report, true);
  ScriptedTraining training({2, "iteration"});
  training.updater.on_update = [&](int64_t) {
    const Variable x(array::full({}, 2.0f));
    report({{"loss", x * x}, {"number", 1.0}});
  };
  std::vector<bool> had_graph;
  const auto look = [&](Trainer& trainer) {
    const Variable* loss = trainer.observation()["loss"].variable();
    had_graph.push_back(loss->creator_node() != nullptr);
  };
  training.trainer.extend(unchain_variables());
  training.trainer.extend(look);
  training.trainer.extend(look, {.priority = -1});
  training.trainer.run();
  EXPECT_THAT(had_graph, ::testing::ElementsAre(true, false, true, false));
}

TEST(DumpGraphTest, TakesStylesAndAnotherName) {
  ScriptedTraining training({1, "iteration"});
  training.updater.on_update = [&](int64_t) {
    const Variable x(array::full({}, 2.0f));
    report({{"loss", x * x}});
  };
  training.trainer.extend(
      DumpGraph("loss", {.filename = "graph.dot", .graph = {.rankdir = "LR"}}));
  training.trainer.run();
  EXPECT_THAT(read_file(training.trainer.out_path("graph.dot")),
              HasSubstr("LR"));
}

TEST(DumpGraphTest, SeveralLeaveTheSettingAsItWas) {
  ScriptedTraining training({2, "iteration"});
  training.updater.on_update = [&](int64_t) {
    const Variable x(array::full({}, 2.0f));
    report({{"loss", x * x}});
  };
  training.trainer.extend(DumpGraph("loss"));
  training.trainer.extend(DumpGraph("loss", {.filename = "second.dot"}));
  training.trainer.run();
  EXPECT_EQ(read_file(training.trainer.out_path("second.dot")),
            read_file(training.trainer.out_path("cg.dot")));
  EXPECT_FALSE(config().keep_graph_on_report);
}

TEST(DumpGraphTest, NeedsNames) {
  EXPECT_THAT(error_of<ValueError>([] { DumpGraph(""); }),
              HasSubstr("a root_name, got none"));
  EXPECT_THAT(error_of<ValueError>([] { DumpGraph("loss", {.filename = ""}); }),
              HasSubstr("a filename, got none"));
}

TEST(DumpGraphTest, NeedsAVariable) {
  for (const bool observed : {false, true}) {
    ScriptedTraining training({1, "iteration"});
    training.updater.on_update = [&](int64_t) {
      if (observed) report({{"loss", 1.0}});
    };
    training.trainer.extend(DumpGraph("loss"));
    EXPECT_THAT(error_of<ValueError>([&] { training.trainer.run(); }),
                HasSubstr(observed ? "got another value" : "got none"));
    EXPECT_FALSE(config().keep_graph_on_report);
  }
}

}  // namespace
}  // namespace catena::training::extensions
