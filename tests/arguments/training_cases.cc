// Optimizers, serializers, triggers and extensions of trainers.

#include <sstream>

#include "catena/array/all.h"
#include "catena/dataset/dataset.h"
#include "catena/optimizers/optimizers.h"
#include "catena/serializers/serializers.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"
#include "catena/training/testing/scripted_training.h"
#include "catena/training/training.h"

namespace catena::testing {
namespace {

using namespace training;  // NOLINT: each line would have it

int as_int(int64_t n) { return static_cast<int>(n); }
double as_double(int64_t n) { return static_cast<double>(n); }

// Three iterations with an extension.
template <class E>
void train_with(E extension) {
  ScriptedTraining training({3, "iteration"});
  training.trainer.extend(std::move(extension),
                          {.trigger = AnyTrigger(1, "iteration")});
  training.trainer.run();
}

// And with a trigger, which may never fire.
void train_until(AnyTrigger trigger) {
  ScriptedTraining training({3, "iteration"});
  training.trainer.extend([](Trainer&) {},
                          {.name = "extension", .trigger = std::move(trigger)});
  training.trainer.run();
}

ArgumentCases optimization() {
  const LossInputs inputs(std::vector<Variable>{variable({2})});
  return {
      {"LossInputs::is_list", "field",
       [=](int64_t n) { inputs.is_list(static_cast<size_t>(n)); }},
      {"LossInputs::list", "field",
       [=](int64_t n) { return inputs.list(static_cast<size_t>(n)); }},
      {"LossInputs::operator[]", "field",
       [=](int64_t n) { return inputs[static_cast<size_t>(n)]; }},
      {"LossScaler", "interval",
       [](int64_t n) {
         LossScaler scaler({.interval = n});
         scaler.after_step(false);
         scaler.after_step(true);
       }},
      {"Optimizer::loss_scaling", "interval",
       [](int64_t n) {
         ScriptedTraining training({1, "iteration"});
         training.updater.optimizer.loss_scaling({.interval = n});
       }},
      {"optimizers::AdamOptions::step_size", "t",
       [](int64_t n) { optimizers::AdamOptions().step_size(n); }},
      {"optimizers::Muon", "steps",
       [](int64_t n) { optimizers::Muon({.steps = n}); }},
      {"optimizers::orthogonalized", "steps",
       [](int64_t n) {
         return optimizers::orthogonalized(floats({2, 3}), n);
       }},
      {"training::StandardUpdater", "accumulate",
       [](int64_t n) {
         ScriptedTraining training({1, "iteration"});
         iterators::SerialIterator iterator(floats({3}), 2);
         const StandardUpdater updater(iterator, training.updater.optimizer,
                                       {.accumulate = n});
       }},
      {"optimizers::exponential_decay_noise", "t",
       [](int64_t n) {
         return optimizers::exponential_decay_noise(
             floats({2}), optimizers::GradientNoise(0.5), n);
       }},
      {"serializers::save_hdf5", "compression",
       [](int64_t n) {
         const TempFolder folder;
         Weight link;
         serializers::save_hdf5(folder.file("a.h5"), link,
                                {.compression = as_int(n)});
       }},
  };
}

ArgumentCases triggers() {
  return {
      {"training::triggers::IntervalTrigger", "period",
       [](int64_t n) {
         train_until(triggers::IntervalTrigger(as_double(n), "iteration"));
       }},
      {"training::triggers::IntervalTrigger", "period",
       [](int64_t n) {
         train_until(triggers::IntervalTrigger(as_double(n), "epoch"));
       }},
      {"training::AnyTrigger", "period",
       [](int64_t n) {
         train_until({n, "iteration"});
       }},
      {"training::triggers::ManualScheduleTrigger", "points",
       [](int64_t n) {
         train_until(
             triggers::ManualScheduleTrigger({1, as_double(n)}, "iteration"));
       }},
      {"training::triggers::ManualScheduleTrigger", "points",
       [](int64_t n) {
         train_until(triggers::ManualScheduleTrigger({as_double(n)}, "epoch"));
       }},
      {"training::triggers::TimeTrigger", "period",
       [](int64_t n) { train_until(triggers::TimeTrigger(as_double(n))); }},
      {"training::triggers::EarlyStoppingTrigger", "patients",
       [](int64_t n) {
         ScriptedTraining training(triggers::EarlyStoppingTrigger(
             {.patients = n, .max_trigger = {3, "iteration"}}));
         training.trainer.run();
       }},
  };
}

ArgumentCases reports() {
  using namespace extensions;  // NOLINT: each line would have it
  static std::ostringstream out;
  const auto bar = [](ProgressBarOptions options) {
    options.out = &out;
    train_with(ProgressBar(options));
  };
  const auto plot = [](const VariableStatisticsPlotOptions& options) {
    const Weight link;
    train_with(VariableStatisticsPlot(link, options));
  };
  return {
      {"training::extensions::ProgressBar", "training_length",
       [=](int64_t n) {
         bar({.training_length = TrainingLength{as_double(n), "iteration"},
              .update_interval = 1});
       }},
      {"training::extensions::ProgressBar", "update_interval",
       [=](int64_t n) { bar({.update_interval = n}); }},
      {"training::extensions::ProgressBar", "bar_length",
       [=](int64_t n) { bar({.update_interval = 1, .bar_length = n}); }},
      {"training::extensions::HtmlReport", "max_rows",
       [](int64_t n) {
         ScriptedTraining training({3, "iteration"});
         training.trainer.extend(LogReport({.trigger = {1, "iteration"}}));
         training.trainer.extend(HtmlReport({.graph_of = "", .max_rows = n}));
         training.trainer.run();
       }},
      {"training::extensions::TextSamples", "max_samples",
       [](int64_t n) {
         train_with(TextSamples([] { return "text"; },
                                {.max_samples = n, .print = false}));
       }},
      {"training::extensions::TraceReport", "skip",
       [](int64_t n) { train_with(TraceReport({.skip = n})); }},
      {"training::extensions::TraceReport", "iterations",
       [](int64_t n) {
         train_with(TraceReport({.skip = 0, .iterations = n}));
       }},
      {"training::extensions::VariableStatisticsPlot", "max_sample_size",
       [=](int64_t n) { plot({.max_sample_size = n}); }},
      {"training::extensions::VariableStatisticsPlot", "width",
       [=](int64_t n) { plot({.width = n}); }},
      {"training::extensions::VariableStatisticsPlot", "height",
       [=](int64_t n) { plot({.height = n}); }},
      {"training::extensions::snapshot", "n_retains",
       [](int64_t n) {
         train_with(
             snapshot({.filename = "at_{.updater.iteration}", .n_retains = n}));
       }},
      {"training::extensions::snapshot_object", "n_retains",
       [](int64_t n) {
         Weight link;
         train_with(snapshot_object(link, "at_{.updater.iteration}",
                                    {.n_retains = n}));
       }},
      {"training::extensions::snapshot_average", "n_retains",
       [](int64_t n) {
         Weight link;
         const ParameterAverage average(link);
         train_with(snapshot_average(average, "at_{.updater.iteration}",
                                     {.n_retains = n}));
       }},
  };
}

ArgumentCases shifts() {
  using namespace extensions;  // NOLINT: each line would have it
  return {
      {"training::extensions::LinearShift", "time_range",
       [](int64_t n) {
         train_with(LinearShift("lr", {1, 2}, {n, 2}));
       }},
      {"training::extensions::LinearShift", "time_range",
       [](int64_t n) {
         train_with(LinearShift("lr", {1, 2}, {-3, n}));
       }},
      {"training::extensions::LinearShift", "time_range",
       [](int64_t n) {
         train_with(LinearShift("lr", {1, 2}, {n, INT64_MAX}));
       }},
      {"training::extensions::MultistepShift", "step_value",
       [](int64_t n) {
         train_with(MultistepShift("lr", 0.5, {1, n}));
       }},
      {"training::extensions::PolynomialShift", "max_count",
       [](int64_t n) { train_with(PolynomialShift("lr", 0.5, n)); }},
      {"training::extensions::CosineShift", "max_count",
       [](int64_t n) { train_with(CosineShift("lr", n)); }},
      {"training::extensions::CosineShift", "warmup_iter",
       [](int64_t n) { train_with(CosineShift("lr", 3, {.warmup_iter = n})); }},
      {"training::extensions::StepShift", "step",
       [](int64_t n) { train_with(StepShift("lr", 0.5, n)); }},
      {"training::extensions::WarmupShift", "warmup_iter",
       [](int64_t n) { train_with(WarmupShift("lr", 0.1, n)); }},
  };
}

ArgumentCases priorities() {
  return {
      {"training::Trainer::extend", "priority",
       [](int64_t n) {
         ScriptedTraining training({3, "iteration"});
         training.trainer.extend([](Trainer&) {},
                                 {.name = "first", .priority = as_int(n)});
         training.trainer.extend([](Trainer&) {},
                                 {.name = "second", .priority = 0});
         training.trainer.run();
       }},
      {"training::make_extension", "priority",
       [](int64_t n) {
         train_with(make_extension(
             [](Trainer&) {}, {.default_name = "name", .priority = as_int(n)}));
       }},
      {"training::FunctionExtension", "priority",
       [](int64_t n) {
         train_with(FunctionExtension(
             [](Trainer&) {}, {.default_name = "name", .priority = as_int(n)}));
       }},
  };
}

ArgumentCases events() {
  using tensorboard::EventWriter;
  const auto written = [](auto write) {
    const TempFolder folder;
    EventWriter writer(folder.path());
    write(writer);
    writer.flush();
  };
  return {
      {"training::tensorboard::EventWriter::add_histogram", "step",
       [=](int64_t n) {
         written([=](auto& to) { to.add_histogram("x", floats({3}), n); });
       }},
      {"training::tensorboard::EventWriter::add_scalar", "step",
       [=](int64_t n) {
         written([=](auto& to) { to.add_scalar("x", 1, n); });
       }},
      {"training::tensorboard::EventWriter::add_scalars", "step",
       [=](int64_t n) {
         const std::vector<tensorboard::TaggedScalar> scalars = {{"x", 1}};
         written([&](auto& to) { to.add_scalars(scalars, n); });
       }},
      {"training::tensorboard::EventWriter::add_session_start", "step",
       [=](int64_t n) { written([=](auto& to) { to.add_session_start(n); }); }},
      {"training::tensorboard::EventWriter::add_text", "step",
       [=](int64_t n) {
         written([=](auto& to) { to.add_text("x", "text", n); });
       }},
  };
}

}  // namespace

ArgumentCases training_cases() {
  ArgumentCases cases = optimization();
  for (const ArgumentCases& more :
       {triggers(), reports(), shifts(), priorities(), events()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
