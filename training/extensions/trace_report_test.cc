#include "catena/training/extensions/trace_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/core/trace.h"
#include "catena/array/creation.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/multithread_iterator.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/standard_updater.h"
#include "catena/training/testing/scripted_training.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using nlohmann::json;
using ::testing::Contains;
using ::testing::Key;
using testing::ScriptedTraining;

std::vector<json> events_of(const std::string& file) {
  return json::parse(testing::read_file(file))["traceEvents"];
}

// How often each span of a category is there.
std::map<std::string, int> spans_of(const std::vector<json>& events,
                                    const std::string& category) {
  std::map<std::string, int> spans;
  for (const json& event : events) {
    if (event["ph"] == "X" && event["cat"] == category) ++spans[event["name"]];
  }
  return spans;
}

class TracedNet : public Chain<TracedNet> {
 public:
  TracedNet() : l1(this, "l1", 4) {}
  Variable forward(const Variable& x) {
    return functions::sum(functions::relu(l1(x)));
  }

 private:
  Child<links::Linear> l1;
};

TEST(TraceReportTest, ShowsWhatAnIterationIsMadeOf) {
  const testing::TempFolder folder;
  const int threads = get_num_threads();
  set_num_threads(2);
  TracedNet model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  const datasets::TupleDataset data(array::ones({20000, 8}, Dtype::kFloat32));
  iterators::MultithreadIterator iterator(data, 20000, {.n_threads = 1});
  StandardUpdater updater(iterator, optimizer);
  Trainer trainer(updater, {10, "iteration"}, {.out = folder.path()});
  trainer.extend([](Trainer&) {}, {.name = "mine"});
  trainer.extend(TraceReport({.skip = 2, .iterations = 3}));
  trainer.run();
  set_num_threads(threads);

  const std::vector<json> events = events_of(folder.file("trace.json"));
  const auto training = spans_of(events, "training");
  EXPECT_EQ(
      training,
      (std::map<std::string, int>{
          {"converter", 3}, {"iterator", 3}, {"optimizer", 3}, {"update", 3}}));
  const auto forward = spans_of(events, "forward");
  EXPECT_EQ(forward.at("relu"), 3);
  EXPECT_EQ(spans_of(events, "backward").at("relu"), 3);
  EXPECT_EQ(spans_of(events, "extension").at("mine"), 3);
  EXPECT_THAT(spans_of(events, "iterator"), Contains(Key("reading examples")));
  // One part for each thread, on whichever thread it ran.
  EXPECT_GE(spans_of(events, "kernel").at("relu"), 2 * 3);
}

TEST(TraceReportTest, WritesWhatThereIsWhenTrainingEndsEarly) {
  ScriptedTraining training({3, "iteration"});
  const std::string file = training.trainer.out_path("short.json");
  training.trainer.extend(
      TraceReport({.filename = "short.json", .skip = 0, .iterations = 100}));
  training.trainer.run();
  EXPECT_EQ(spans_of(events_of(file), "training").at("update"), 3);
  EXPECT_FALSE(is_tracing());
}

TEST(TraceReportTest, WithoutEnoughIterationsThereIsNoFile) {
  ScriptedTraining training({3, "iteration"});
  training.trainer.extend(TraceReport({.skip = 5}));
  training.trainer.run();
  EXPECT_FALSE(
      std::filesystem::exists(training.trainer.out_path("trace.json")));
}

TEST(TraceReportTest, ChecksItsOptions) {
  EXPECT_THAT(error_of<ValueError>([] { TraceReport({.filename = ""}); }),
              "TraceReport: expected a filename, got none");
  EXPECT_THAT(
      error_of<ValueError>([] { TraceReport({.skip = -1, .iterations = 0}); }),
      "TraceReport: expected skip >= 0 and "
      "iterations >= 1, got -1 and 0");
}

}  // namespace
}  // namespace catena::training::extensions
