// Arrays, gradients, updates, steps of training, plans and communicators on
// emulated GPUs while each of their calls of CUDA fails.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/concatenate.h"
#include "catena/array/core/device.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/sorting/sort.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/loss/mean_squared_error.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/links/observation.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/optimizer.h"
#include "catena/optimizers/update_rule.h"
#include "catena/tests/faults/bits.h"
#include "catena/tests/faults/communicator_trial.h"
#include "catena/tests/faults/cuda_faults.h"
#include "catena/tests/faults/fault_matrix.h"
#include "catena/tests/faults/graph_trials.h"
#include "catena/training/captured_steps.h"
#include "catena/training/communicators/nccl_factory.h"
#include "catena/training/extensions/evaluator.h"
#include "catena/training/standard_updater.h"

namespace catena::testing {
namespace {

using training::Capture;

Device gpu() { return cuda_device(0); }

// Different elements, on the GPU.
Array elements(const Shape& shape) {
  const int64_t size = size_of(shape);
  return ((array::arange(size, Dtype::kFloat32, native_device()) * 7.0) %
              static_cast<double>(size) -
          2.0)
      .reshape(shape)
      .to_device(gpu());
}

// Computes new arrays of those that are there.
class ArrayTrial final : public FaultTrial {
 public:
  using Compute = std::function<std::vector<Array>(const Array& x)>;

  ArrayTrial(const Shape& shape, Compute compute)
      : x_(elements(shape)), compute_(std::move(compute)) {}
  void run() override {
    const DeviceScope device(gpu());
    std::vector<Array> results = compute_(x_);
    for (Array& result : results) result = result.to_device(native_device());
    results_ = std::move(results);
  }
  std::string state() override {
    std::string bits = bits_of(x_);
    for (const Array& result : results_) bits += bits_of(result);
    return bits;
  }

 private:
  Array x_;
  Compute compute_;
  std::vector<Array> results_;
};

void expect_right_arrays(const std::string& name, const Shape& shape,
                         const ArrayTrial::Compute& compute) {
  expect_gpu_faults_do_no_harm(
      {name, [&] { return std::make_unique<ArrayTrial>(shape, compute); }});
}

TEST(CudaFaultTest, ArraysAreMadeAndCopiedOrNot) {
  expect_right_arrays("creation", {2, 3}, [](const Array& x) {
    return std::vector{array::zeros({3}),    array::full({2, 2}, 7),
                       array::arange(5),     array::eye(3),
                       array::zeros_like(x), array::array({1.0, 2.0})};
  });
  expect_right_arrays("copies", {4, 3}, [](const Array& x) {
    const Array there = x.T().to_device(cuda_device(1));
    const Array joined = array::concatenate({x, there.T().to_device(gpu())});
    return std::vector{there, joined, x.astype(Dtype::kInt32), x.copy()};
  });
}

TEST(CudaFaultTest, ComputationsGiveTheRightElementsOrAnError) {
  expect_right_arrays("elementwise", {4, 3}, [](const Array& x) {
    Array sum = array::exp(x / 20.0) * x[0] + 1.0;
    sum += x;
    return std::vector{sum, array::where(array::less(x, 3.0), x, 0.0),
                       x.T() * 2.0};
  });
  expect_right_arrays("reduction", {3, 500}, [](const Array& x) {
    return std::vector{array::sum(x), array::sum(x, 0), array::max(x, 1),
                       array::argmax(x)};
  });
  expect_right_arrays("matmul", {4, 4}, [](const Array& x) {
    const Array y = x.reshape({2, 2, 4});
    return std::vector{array::matmul(x, x.T()), array::matmul(y, x),
                       array::dot(x[0], x[1])};
  });
  expect_right_arrays("sort", {3, 20}, [](const Array& x) {
    const Array copy = x.copy();
    copy.sort();
    return std::vector{copy, array::sort(x, 0), array::argsort(x.ravel())};
  });
}

// In place, an array is what it was or what it becomes.
class InPlaceTrial final : public FaultTrial {
 public:
  explicit InPlaceTrial(std::function<void(const Array&)> change)
      : change_(std::move(change)) {}
  void run() override {
    if (is_done_) return;
    change_(x_);
    is_done_ = true;
  }
  std::string state() override { return bits_of(x_); }

 private:
  Array x_ = elements({4, 5});
  std::function<void(const Array&)> change_;
  bool is_done_ = false;
};

TEST(CudaFaultTest, AnArrayIsChangedAsAWholeOrNotAtAll) {
  const auto expect = [](const std::string& name,
                         const std::function<void(const Array&)>& change) {
    expect_gpu_faults_do_no_harm(
        {name, [&] { return std::make_unique<InPlaceTrial>(change); }});
  };
  expect("in-place sum", [](const Array& x) { x += x.T().copy().T(); });
  expect("in-place sort", [](const Array& x) { x.sort(); });
  expect("in-place sort of columns", [](const Array& x) { x.sort(0); });
  expect("assignment from the host", [](const Array& x) {
    x.assign(array::ones({4, 5}, Dtype::kFloat32, native_device()));
  });
}

// Numbers that could not be drawn are those of the next draw.
class RandomTrial final : public FaultTrial {
 public:
  using Draw = std::function<Array(array::random::Generator&)>;

  explicit RandomTrial(Draw draw) : draw_(std::move(draw)) {}
  void run() override {
    if (!drawn_.defined()) drawn_ = draw_(generator_);
  }
  std::string state() override {
    return bits_of(drawn_) + std::to_string(generator_.state().position);
  }

 private:
  Draw draw_;
  array::random::Generator generator_{1, gpu()};
  Array drawn_;
};

TEST(CudaFaultTest, RandomNumbersThatCouldNotBeDrawnAreDrawnNext) {
  using array::random::Generator;
  const auto expect = [](const std::string& name,
                         const RandomTrial::Draw& draw) {
    expect_gpu_faults_do_no_harm(
        {name, [&] { return std::make_unique<RandomTrial>(draw); }});
  };
  expect("uniform", [](Generator& from) { return from.uniform(0, 1, {50}); });
  expect("normal", [](Generator& from) { return from.randn({50}); });
  expect("lognormal",
         [](Generator& from) { return from.lognormal(0, 1, {9}); });
  expect("bernoulli", [](Generator& from) { return from.bernoulli(1, {9}); });
  expect("randint", [](Generator& from) { return from.randint(9, {}, {50}); });
  expect("permutation", [](Generator& from) { return from.permutation(50); });
}

NetPlace small() { return {.device = gpu(), .layers = 2}; }

// More arrays than one launch can update.
NetPlace deep() { return {.device = gpu(), .layers = 34}; }

TEST(CudaFaultTest, AForwardPassOnAGpuGivesAnErrorOrTheLoss) {
  expect_gpu_faults_do_no_harm(subject<ForwardTrial>("forward", small()));
}

TEST(CudaFaultTest, GradientsOnAGpuChangeTogetherOrNotAtAll) {
  expect_gpu_faults_do_no_harm(
      subject<BackwardTrial>("backward", small(), false));
  expect_gpu_faults_do_no_harm(
      subject<BackwardTrial>("second backward", small(), true));
}

TEST(CudaFaultTest, SecondDerivativesOnAGpuAreRightInTheNextTry) {
  expect_gpu_faults_do_no_harm(
      subject<DoubleBackwardTrial>("double backward", small()));
  expect_gpu_faults_do_no_harm(subject<GradTrial>("grad", small()));
}

TEST(CudaFaultTest, AStepOnAGpuUpdatesAllParametersOrNone) {
  expect_gpu_faults_do_no_harm(subject<StepTrial>("first step", small(), 0));
  expect_gpu_faults_do_no_harm(subject<StepTrial>("third step", small(), 2));
  expect_gpu_faults_do_no_harm(subject<StepTrial>("deep step", deep(), 1));
}

TEST(CudaFaultTest, GradientsFromElsewhereAreAddedTogetherOrNotAtAll) {
  expect_gpu_faults_do_no_harm(
      subject<AccumulateTrial>("accumulate_grads", small()));
}

TEST(CudaFaultTest, APlanOnAGpuIsMadeInTheNextTry) {
  expect_gpu_faults_do_no_harm(subject<PlanTrial>("ExecutionPlan", small()));
}

// The loss, its gradients and the update, all of which is repeated.
class WholeStepTrial final : public NetTrial {
 public:
  using MakeOptimizer = std::function<std::unique_ptr<Optimizer>()>;

  WholeStepTrial(const NetPlace& place, const MakeOptimizer& make)
      : NetTrial(place), optimizer_(make()) {
    optimizer_->setup(net);
    step();  // makes the optimizer's state
  }
  void run() override {
    if (optimizer_->t() == 1) step();
  }
  std::string state() override {
    std::string bits = bits_of(net) + std::to_string(optimizer_->t());
    for (const auto& [path, param] : net.namedparams()) {
      bits += std::to_string(update_rule_of(param).t());
    }
    return bits;
  }

 private:
  void step() {
    optimizer_->update([&] { return net(x); });
  }

  std::unique_ptr<Optimizer> optimizer_;
};

TEST(CudaFaultTest, AStepThatFailedIsRepeatedWithNewGradients) {
  const auto expect = [](const std::string& name,
                         const WholeStepTrial::MakeOptimizer& make,
                         const NetPlace& place = small()) {
    expect_gpu_faults_do_no_harm(subject<WholeStepTrial>(name, place, make));
  };
  expect("MomentumSGD",
         [] { return std::make_unique<optimizers::MomentumSGD>(); });
  expect("hooks", [] {
    auto optimizer = std::make_unique<optimizers::MomentumSGD>();
    optimizer->add_hook(optimizers::WeightDecay(0.1));
    optimizer->add_hook(optimizers::GradientClipping(0.5));
    return optimizer;
  });
  expect("loss scaling", [] {
    auto optimizer = std::make_unique<optimizers::Adam>();
    optimizer->loss_scaling();
    return optimizer;
  });
  NetPlace half = small();
  half.dtype = Dtype::kFloat16;
  expect(
      "float32 copies",
      [] {
        auto optimizer = std::make_unique<optimizers::MomentumSGD>();
        optimizer->use_fp32_update();
        return optimizer;
      },
      half);
}

datasets::TupleDataset examples_for_gpus() {
  return datasets::TupleDataset(
      array::arange(12, Dtype::kFloat32, native_device()).reshape({4, 3}) / 5.0,
      array::arange(8, Dtype::kFloat32, native_device()).reshape({4, 2}) / 3.0);
}

// With running statistics and random numbers, if it is noisy, and reports.
class ReportingNet final : public Chain<ReportingNet> {
 public:
  explicit ReportingNet(bool is_noisy)
      : first(this, "first", 3, 4),
        norm(this, "norm", 4),
        last(this, "last", 4, 2),
        is_noisy_(is_noisy) {}
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = first(x);
    if (is_noisy_) h = functions::dropout(norm(h), 0.5);
    h = last(functions::relu(h));
    const Variable loss = functions::mean_squared_error(h, t);
    report({{"loss", loss}, {"doubled", loss.data() * 2.0}, {"h", h}}, this);
    return loss;
  }

  Child<links::Linear> first;
  Child<links::BatchNormalization> norm;
  Child<links::Linear> last;

 private:
  bool is_noisy_;
};

std::string observation_bits(const Observation& observation) {
  std::string bits;
  for (const auto& [name, value] : observation) {
    const Array array = value.array();
    bits += name;
    bits +=
        array.defined() ? bits_of(array) : std::to_string(value.as_double());
  }
  return bits;
}

std::string generator_positions() {
  std::string positions;
  for (const Device device : {native_device(), gpu()}) {
    positions += " ";
    positions +=
        std::to_string(array::random::generator(device).state().position);
  }
  return positions;
}

void seed_generators() {
  for (const Device device : {native_device(), gpu()}) {
    array::random::generator(device).seed(1);
  }
}

// Which step of an updater is tried, and how it takes its steps. One that is
// launched leaves all as it was when it fails. An ordinary one has reported its
// values and drawn its random numbers by then, and changed the running
// statistics, on any device: there, the net draws none and has none, and
// reports count only if the step has been made.
struct TriedStep {
  Capture capture = Capture::kNever;
  int steps_before = 0;
  bool is_launched = false;
};

class UpdaterTrial final : public FaultTrial {
 public:
  explicit UpdaterTrial(const TriedStep& step)
      : step_(step), model_(seeded(step.is_launched)) {
    set_num_threads(1);
    model_.to_device(gpu());
    optimizer_.setup(model_);
    reporter_.add_observer("main", model_);
    updater_ = std::make_unique<training::StandardUpdater>(
        iterator_, optimizer_,
        training::StandardUpdaterOptions{.capture = step.capture});
    for (int i = 0; i < step.steps_before; ++i) updater_->update();
  }
  void run() override {
    if (updater_->iteration() > step_.steps_before) return;
    const auto scope = reporter_.scope(observation_);
    updater_->update();
  }
  // The iterator is not part of it: a step that fails has taken its minibatch.
  // All minibatches are the same.
  std::string state() override {
    std::string bits = bits_of(model_) + generator_positions();
    for (const Array* array : model_.persistents()) bits += bits_of(*array);
    for (const auto& [path, param] : model_.namedparams()) {
      bits += " " + std::to_string(update_rule_of(param).t());
    }
    bits += " " + std::to_string(optimizer_.t());
    bits += " " + std::to_string(updater_->iteration());
    const bool is_done = updater_->iteration() > step_.steps_before;
    if (is_done || step_.is_launched) bits += observation_bits(observation_);
    if (step_.is_launched) bits += grad_bits(model_);
    return bits;
  }

 private:
  static ReportingNet seeded(bool is_noisy) {
    seed_generators();
    return ReportingNet(is_noisy);
  }

  TriedStep step_;
  ReportingNet model_;
  iterators::SerialIterator iterator_{
      examples_for_gpus(), 4, {.shuffle = false}};
  optimizers::Adam optimizer_;
  Reporter reporter_;
  Observation observation_;
  std::unique_ptr<training::StandardUpdater> updater_;
};

void expect_whole_steps(const std::string& name, const TriedStep& step,
                        int64_t most = 1000) {
  expect_gpu_faults_do_no_harm(subject<UpdaterTrial>(name, step), most);
}

TEST(CudaFaultTest, AnIterationUpdatesTheModelAndCountsOrNeither) {
  expect_whole_steps("iteration", {});
  expect_whole_steps("second iteration", {.steps_before = 1});
}

TEST(CudaFaultTest, ACapturedStepThatIsNotSubmittedIsNoStep) {
  expect_whole_steps("step before a capture",
                     {.capture = Capture::kAlways, .steps_before = 1});
  expect_whole_steps(
      "captured step",
      {.capture = Capture::kAlways, .steps_before = 2, .is_launched = true});
  expect_whole_steps(
      "launched step",
      {.capture = Capture::kAlways, .steps_before = 3, .is_launched = true});
}

TEST(CudaFaultTest, AStepThatCannotBeCapturedIsAnOrdinaryOne) {
  expect_whole_steps("automatically captured step",
                     {.capture = Capture::kAuto, .steps_before = 2});
  expect_whole_steps(
      "automatically launched step",
      {.capture = Capture::kAuto, .steps_before = 3, .is_launched = true});
}

TEST(CudaFaultTest, AStepThatIsComparedWithTheCaptureIsAnOrdinaryOne) {
  // The capture is the third one.
  const auto checked =
      static_cast<int>(training::CapturedSteps::kCheckInterval) + 1;
  expect_whole_steps("checked step",
                     {.capture = Capture::kAlways, .steps_before = checked},
                     /*most=*/20);
}

class EvaluatorTrial final : public FaultTrial {
 public:
  EvaluatorTrial() {
    set_num_threads(1);
    model_.to_device(gpu());
  }
  void run() override { result_ = evaluator_(); }
  std::string state() override {
    return observation_bits(result_) + generator_positions();
  }

 private:
  static ReportingNet seeded() {
    seed_generators();
    return ReportingNet(/*is_noisy=*/true);
  }

  ReportingNet model_ = seeded();
  iterators::SerialIterator iterator_{
      examples_for_gpus(), 2, {.repeat = false, .shuffle = false}};
  training::extensions::Evaluator evaluator_{iterator_, model_};
  Observation result_;
};

TEST(CudaFaultTest, AnEvaluationGivesTheMeansOrAnError) {
  expect_gpu_faults_do_no_harm(subject<EvaluatorTrial>("Evaluator"));
}

TEST(CudaFaultTest, ARankWhoseGpuFailsEndsTheOthersWait) {
  const auto connect =
      [](std::unique_ptr<training::communicators::Communicator> control) {
        return (*training::communicators::internal::nccl_factory())(
            std::move(control), {}, {.timeout = std::chrono::seconds(20)});
      };
  // Each lets another thread wait for some of its periods.
  expect_gpu_faults_do_no_harm(
      {"nccl",
       [&] {
         return std::make_unique<CommunicatorTrial>(
             std::array{cuda_device(0), cuda_device(1)}, connect);
       }},
      /*most=*/100);
}

}  // namespace
}  // namespace catena::testing
