// Fuzz target: resuming from any bytes as a snapshot either succeeds, and
// training goes on, or throws an IoError and changes nothing.

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/function_node.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/links/link.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/loss_function.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/testing/fuzz_file.h"
#include "catena/tests/fuzzing/mend.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/extensions/micro_average.h"
#include "catena/training/extensions/parameter_statistics.h"
#include "catena/training/extensions/plot_report.h"
#include "catena/training/extensions/print_report.h"
#include "catena/training/extensions/shift.h"
#include "catena/training/extensions/variable_statistics_plot.h"
#include "catena/training/standard_updater.h"
#include "catena/training/trainer.h"
#include "catena/training/triggers/best_value_trigger.h"
#include "catena/training/triggers/early_stopping_trigger.h"
#include "catena/training/triggers/interval_trigger.h"
#include "catena/training/triggers/schedule_triggers.h"

namespace catena::training::extensions {
namespace {

// For extensions that start programs: never, whatever a snapshot says.
const AnyTrigger kNever = [](Trainer&) { return false; };

// Where training writes its log.
const std::string& folder() {
  static const auto& folder = *new testing::TempFolder;
  return folder.path();
}

// The sum of the squared distances of examples x, (B, 2), from W, (2,).
class Distance final : public FunctionNode {
 public:
  std::string_view label() const override { return "Distance"; }
  Arrays forward(const Arrays& in) override {
    difference_ = in[0] - in[1];
    return {(difference_ * difference_).sum()};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {as_variable(2 * difference_.sum(0) * gy[0].data())};
  }

 private:
  Array difference_;
};

// Without functions and links, which take long to compile.
class Model final : public Link {
 public:
  Model() : W(this, "W", 1.0, Shape{2}) {}
  Variable forward(const Variable& x) {
    const Variable loss = apply<Distance>({W, x});
    report({{"loss", loss}}, this);
    return loss;
  }
  Param W;
};

// Training with all that a snapshot keeps.
class SmallTraining {
 public:
  SmallTraining() {
    trainer_.extend(LogReport({.trigger = {2, "iteration"}}));
    trainer_.extend(PrintReport({"epoch", "main/loss"}, {.out = &table_}));
    trainer_.extend(PlotReport({"main/loss"}, {.trigger = kNever}));
    trainer_.extend(VariableStatisticsPlot(model_, {.trigger = kNever}));
    trainer_.extend(ParameterStatistics(model_, {.trigger = {1, "iteration"}}));
    trainer_.extend(
        MicroAverage("main/loss", "main/loss", "ratio", {2, "iteration"}));
    trainer_.extend(ExponentialShift("alpha", 0.9));
    trainer_.extend(LinearShift("beta1", {0.9, 0.8}, {2, 4}));
    const auto nothing = [](Trainer&) {};
    trainer_.extend(nothing, {.name = "early",
                              .trigger = triggers::EarlyStoppingTrigger(
                                  {.check_trigger = {1, "iteration"}})});
    trainer_.extend(nothing, {.name = "best",
                              .trigger = triggers::MinValueTrigger(
                                  "main/loss", {1, "iteration"})});
    trainer_.extend(nothing, {.name = "points",
                              .trigger = triggers::ManualScheduleTrigger(
                                  std::vector<double>{1, 3}, "iteration")});
    trainer_.extend(nothing,
                    {.name = "once", .trigger = triggers::OnceTrigger()});
    trainer_.extend(nothing,
                    {.name = "hourly", .trigger = triggers::TimeTrigger(3600)});
    trainer_.extend(nothing,
                    {.name = "interval",
                     .trigger = triggers::IntervalTrigger(1, "iteration")});
  }

  // Also beyond the stop trigger.
  void train() {
    updater_.update();
    trainer_.run();
  }
  void load(const std::string& file) {
    serializers::load_npz(file, trainer_, {.limits = serializers::kFuzzLimits});
  }
  // The bytes of a snapshot.
  std::string state() {
    const std::string file = folder() + "/state";
    serializers::save_npz(file, trainer_, {.compression = false});
    return testing::read_file(file);
  }

 private:
  std::ostringstream table_;
  Model model_;
  optimizers::Adam optimizer_;
  Optimizer& ready_ = optimizer_.setup(model_);
  iterators::SerialIterator iterator_{
      array::arange(12, Dtype::kFloat32).reshape({6, 2}), 4};
  StandardUpdater updater_{
      iterator_, ready_, {.loss_func = loss_function_of(model_)}};
  Trainer trainer_{updater_, {2, "iteration"}, {.out = folder()}};
};

void resume(const std::string& file) {
  // What a snapshot does to random numbers is its training's alone.
  array::random::seed(0);
  SmallTraining training;
  static const auto& before = *new std::string(training.state());
  try {
    training.load(file);
  } catch (const IoError&) {
    if (training.state() != before) __builtin_trap();
    return;
  }
  try {
    training.train();
  } catch (const Error&) {  // such as of a loss that is no number
  }
}

// Trained for three iterations.
const std::string& good_snapshot() {
  static const auto& bytes = *new std::string([] {
    array::random::seed(0);
    SmallTraining training;
    training.train();
    return training.state();
  }());
  return bytes;
}

}  // namespace
}  // namespace catena::training::extensions

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  catena::training::extensions::resume(
      catena::serializers::fuzz_file(data, size));
  return 0;
}

// Anything that is no archive becomes a good snapshot.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  const std::string& good = catena::training::extensions::good_snapshot();
  if (good.size() <= max_size &&
      !std::string_view(reinterpret_cast<const char*>(data), size)
           .starts_with("PK")) {
    std::ranges::copy(good, data);
    return good.size();
  }
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_zip);
}
