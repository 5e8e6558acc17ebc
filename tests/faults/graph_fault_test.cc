// Forward and backward passes, updates, plans and kernels while each of their
// calls fails.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/user_kernel/elementwise_kernel.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/loss/mean_squared_error.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/plan/execution_plan.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/optimizers/adam.h"
#include "catena/tests/faults/bits.h"
#include "catena/tests/faults/fault_matrix.h"

namespace catena::testing {
namespace {

namespace F = functions;
namespace L = links;

class Net final : public Chain<Net> {
 public:
  Net()
      : first(this, "first", 3, 4),
        hidden(this, "hidden"),
        last(this, "last", 4, 3) {
    for (int i = 0; i < 34; ++i) hidden->append(L::Linear(4, 4));
    for (const auto& [path, param] : namedparams()) {
      const Array data = param.data();
      data.assign((array::arange(data.size(), Dtype::kFloat32) % 5.0 - 1.0)
                      .reshape(data.shape()) /
                  4.0);
    }
  }
  // The sum of two branches, so that gradients are added.
  Variable forward(const Variable& x) {
    const Variable h = output(x);
    return F::mean_squared_error(h, x) + F::mean_squared_error(h, ones_);
  }
  Variable output(const Variable& x) {
    Variable h = F::relu(first(x));
    for (int64_t i = 0; i < hidden->size(); ++i) {
      h = F::relu(static_cast<L::Linear&>((*hidden)[i])(h));
    }
    return last(h);
  }

  Child<L::Linear> first;
  Child<ChainList> hidden;
  Child<L::Linear> last;

 private:
  Variable ones_{array::ones({2, 3}, Dtype::kFloat32)};
};

std::string grad_bits(Link& link) {
  std::string bits;
  for (const auto& [path, param] : link.namedparams()) {
    bits += bits_of(param.grad());
  }
  return bits;
}

// A trial with a net of its own and an input.
class NetTrial : public FaultTrial {
 public:
  NetTrial() { set_num_threads(1); }

 protected:
  Net net;
  Variable x{array::arange(6, Dtype::kFloat32).reshape({2, 3}) / 4.0};
};

class ForwardTrial final : public NetTrial {
 public:
  void run() override { loss_ = net(x); }
  std::string state() override {
    return loss_.defined() ? bits_of(loss_.data()) : "none";
  }

 private:
  Variable loss_;
};

// The gradients that are there already are accumulated or kept.
class BackwardTrial final : public NetTrial {
 public:
  explicit BackwardTrial(bool accumulates) : loss_(net(x)) {
    if (accumulates) loss_.backward();
    loss_ = net(x);
  }
  void run() override {
    if (is_done_) return;
    loss_.backward();
    is_done_ = true;
  }
  std::string state() override { return grad_bits(net); }

 private:
  Variable loss_;
  bool is_done_ = false;
};

// A gradient of a gradient.
class DoubleBackwardTrial final : public NetTrial {
 public:
  void run() override {
    net.cleargrads();
    x.cleargrad();
    const Variable y = net(x);
    y.backward({.enable_double_backprop = true});
    const Variable slope = x.grad_var();
    net.cleargrads();
    x.cleargrad();
    F::mean_squared_error(slope, x).backward();
    is_done_ = true;
  }
  std::string state() override {
    return is_done_ ? grad_bits(net) + bits_of(x.grad()) : "none";
  }

 private:
  bool is_done_ = false;
};

class GradTrial final : public NetTrial {
 public:
  void run() override {
    const Variable y = net(x);
    std::vector<Variable> outputs;
    {
      const NoFaults suspended;
      outputs = {y};
      inputs_ = {x};
    }
    result_ = grad(outputs, inputs_);
  }
  std::string state() override {
    return result_.empty() ? "none" : bits_of(result_[0].data());
  }

 private:
  std::vector<Variable> inputs_;
  std::vector<Variable> result_;
};

// A step is made as a whole or not at all, and counted only if it was.
class StepTrial final : public NetTrial {
 public:
  explicit StepTrial(int steps_before) {
    optimizer_.setup(net);
    for (int i = 0; i < steps_before; ++i) step();
    net.cleargrads();
    net(x).backward();
  }
  void run() override {
    if (optimizer_.t() == first_) optimizer_.update();
  }
  std::string state() override {
    return bits_of(net) + std::to_string(optimizer_.t());
  }

 private:
  void step() {
    net.cleargrads();
    net(x).backward();
    optimizer_.update();
    ++first_;
  }

  int64_t first_ = 0;
  optimizers::Adam optimizer_;
};

// The call that traces, and the next, which runs the plan.
class PlanTrial final : public NetTrial {
 public:
  void run() override {
    const ConfigScope test(&Config::train, false);
    const ConfigScope backprop(&Config::enable_backprop, false);
    first_ = plan_(x);
    second_ = plan_(x);
    is_done_ = true;
  }
  std::string state() override {
    return is_done_ ? bits_of(first_.data()) + bits_of(second_.data()) : "none";
  }

 private:
  F::ExecutionPlan plan_{F::ExecutionPlan::Function(
      [this](const Variable& in) { return net.output(in); })};
  Variable first_;
  Variable second_;
  bool is_done_ = false;
};

class KernelTrial final : public FaultTrial {
 public:
  void run() override { result_ = kernel_(x_, x_); }
  std::string state() override { return bits_of(result_); }

 private:
  array::ElementwiseKernel kernel_{"T x, T y", "T z", "z = x * y + 1",
                                   "multiply_and_add"};
  Array x_ = array::arange(6, Dtype::kFloat32);
  Array result_;
};

template <class Trial, class... Arguments>
FaultSubject subject(std::string name, Arguments... arguments) {
  return {std::move(name), [arguments...]() -> std::unique_ptr<FaultTrial> {
            return std::make_unique<Trial>(arguments...);
          }};
}

TEST(GraphFaultTest, AForwardPassGivesAnErrorOrTheLoss) {
  expect_faults_do_no_harm(subject<ForwardTrial>("forward"));
}

TEST(GraphFaultTest, GradientsChangeTogetherOrNotAtAll) {
  expect_faults_do_no_harm(subject<BackwardTrial>("backward", false));
  expect_faults_do_no_harm(subject<BackwardTrial>("second backward", true));
}

TEST(GraphFaultTest, SecondDerivativesAreRightInTheNextTry) {
  expect_faults_do_no_harm(subject<DoubleBackwardTrial>("double backward"));
  expect_faults_do_no_harm(subject<GradTrial>("grad"));
}

TEST(GraphFaultTest, AStepUpdatesAllParametersOrNone) {
  expect_faults_do_no_harm(subject<StepTrial>("first step", 0));
  expect_faults_do_no_harm(subject<StepTrial>("third step", 2));
}

TEST(GraphFaultTest, APlanIsMadeInTheNextTry) {
  expect_faults_do_no_harm(subject<PlanTrial>("ExecutionPlan"));
}

TEST(GraphFaultTest, AKernelIsLoadedInTheNextTry) {
  expect_faults_do_no_harm(subject<KernelTrial>("ElementwiseKernel"));
}

}  // namespace
}  // namespace catena::testing
