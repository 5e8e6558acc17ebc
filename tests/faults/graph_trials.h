#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
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

// Trials of forward and backward passes, updates and plans, on any device.
namespace catena::testing {

// How many hidden layers a net has, where it is, and in what dtype.
struct NetPlace {
  Device device = native_device();
  int layers = 34;
  Dtype dtype = Dtype::kFloat32;
};

class Net final : public Chain<Net> {
 public:
  explicit Net(const NetPlace& place)
      : first(this, "first", 3, 4),
        hidden(this, "hidden"),
        last(this, "last", 4, 3),
        ones_(array::ones({2, 3}, place.dtype, place.device)) {
    for (int i = 0; i < place.layers; ++i) hidden->append(links::Linear(4, 4));
    for (const auto& [path, param] : namedparams()) {
      const Array data = param.data();
      data.assign((array::arange(data.size(), Dtype::kFloat32) % 5.0 - 1.0)
                      .reshape(data.shape()) /
                  4.0);
      param.set_data(data.astype(place.dtype));
    }
    to_device(place.device);
  }
  // The sum of two branches, so that gradients are added.
  Variable forward(const Variable& x) {
    const Variable h = output(x);
    return functions::mean_squared_error(h, x) +
           functions::mean_squared_error(h, ones_);
  }
  Variable output(const Variable& x) {
    Variable h = functions::relu(first(x));
    for (int64_t i = 0; i < hidden->size(); ++i) {
      h = functions::relu(static_cast<links::Linear&>((*hidden)[i])(h));
    }
    return last(h);
  }

  Child<links::Linear> first;
  Child<ChainList> hidden;
  Child<links::Linear> last;

 private:
  Variable ones_;
};

inline std::string grad_bits(Link& link) {
  std::string bits;
  for (const auto& [path, param] : link.namedparams()) {
    bits += bits_of(param.grad());
  }
  return bits;
}

// A trial with a net of its own and an input.
class NetTrial : public FaultTrial {
 public:
  explicit NetTrial(const NetPlace& place)
      : net(place),
        x((array::arange(6, place.dtype, native_device()).reshape({2, 3}) / 4.0)
              .to_device(place.device)) {
    set_num_threads(1);
  }

 protected:
  Net net;
  Variable x;
};

class ForwardTrial final : public NetTrial {
 public:
  using NetTrial::NetTrial;
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
  BackwardTrial(const NetPlace& place, bool accumulates)
      : NetTrial(place), loss_(net(x)) {
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
  using NetTrial::NetTrial;
  void run() override {
    net.cleargrads();
    x.cleargrad();
    const Variable y = net(x);
    y.backward({.enable_double_backprop = true});
    const Variable slope = x.grad_var();
    net.cleargrads();
    x.cleargrad();
    functions::mean_squared_error(slope, x).backward();
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
  using NetTrial::NetTrial;
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
  StepTrial(const NetPlace& place, int steps_before) : NetTrial(place) {
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

// Gradients computed elsewhere, in another dtype, for a net in which the first
// ones have none.
class AccumulateTrial final : public NetTrial {
 public:
  explicit AccumulateTrial(const NetPlace& place) : NetTrial(place) {
    optimizer_.setup(net);
    net(x).backward();
    for (const Parameter& param : net.params()) {
      grads_.push_back(param.grad().astype(Dtype::kFloat64));
    }
    net.first->cleargrads();
  }
  void run() override {
    if (is_done_) return;
    optimizer_.accumulate_grads(grads_);
    is_done_ = true;
  }
  std::string state() override { return grad_bits(net); }

 private:
  optimizers::Adam optimizer_;
  std::vector<Array> grads_;
  bool is_done_ = false;
};

// The call that traces, and the next, which runs the plan.
class PlanTrial final : public NetTrial {
 public:
  using NetTrial::NetTrial;
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
  functions::ExecutionPlan plan_{functions::ExecutionPlan::Function(
      [this](const Variable& in) { return net.output(in); })};
  Variable first_;
  Variable second_;
  bool is_done_ = false;
};

template <class Trial, class... Arguments>
FaultSubject subject(std::string name, Arguments... arguments) {
  return {std::move(name), [arguments...]() -> std::unique_ptr<FaultTrial> {
            return std::make_unique<Trial>(arguments...);
          }};
}

}  // namespace catena::testing
