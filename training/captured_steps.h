#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "catena/array/captured_work.h"
#include "catena/links/observation.h"
#include "catena/optimizers/loss_function.h"
#include "catena/optimizers/optimizer.h"

namespace catena::training {

// Steps of an optimizer on a GPU, captured in CUDA graphs: forward, backward
// and update are submitted by one call, which saves the host's time for many
// small kernels. The results are those of optimizer.update(loss_function,
// batch) to the bit: minibatches, random numbers, hyperparameters and what
// extensions change of them are those of each step.
//
//   CapturedSteps steps(optimizer);
//   for (...) steps.update({as_variable(x), as_variable(t)});
//
// The first minibatch of a shape takes an ordinary step, the second is captured
// and launched, as are all later ones; up to kMaxGraphs shapes are captured,
// further ones always take ordinary steps. So does every step on the CPU, and
// in debug mode. Each graph keeps the memory of its step.
//
// The code of the loss function does not run in a launch, so it must always do
// the same: no results read (item(), printing), no branches on data or on the
// number of the step. Numbers that it computes on the host are those of the
// capture. Hooks of functions, links and optimizers are called in the capture
// alone. What it reported is reported again with the values of each step.
//
// Parameters, persistent arrays and the states of recurrent links
// (Link::visit_state) go on from step to step, states without their graph, as
// after unchain_backward(). When one of them is replaced or reset between
// steps, update rules are enabled or disabled, hooks come or go, or the config
// changes, an ordinary step follows, and then a new capture.
//
// Gradients are overwritten by the next launch. All parameters and fields of a
// minibatch must be on one GPU.
class CapturedSteps {
 public:
  static constexpr size_t kMaxGraphs = 4;

  // The loss function defaults to the optimizer's target. The optimizer must
  // outlive the object and must not be moved.
  explicit CapturedSteps(Optimizer& optimizer,
                         LossFunction loss_function = nullptr);
  ~CapturedSteps();
  CapturedSteps(const CapturedSteps&) = delete;
  CapturedSteps& operator=(const CapturedSteps&) = delete;

  // One step. Throws DeviceError when a parameter or field is on another
  // device, or the loss function waits for the device; NotImplementedError for
  // loss scaling, gradient exchange and what else cannot be captured. Nothing
  // is updated then.
  void update(const LossInputs& batch);

  // The number of graphs.
  size_t n_graphs() const { return graphs_.size(); }

 private:
  // Shapes and dtypes of a minibatch.
  using Form = std::vector<int64_t>;
  // What a graph depends on besides.
  using Key = std::vector<uint64_t>;
  struct Graph;

  Key current_key() const;
  Graph* find_graph(const Form& form);
  void check_devices(Device device, const LossInputs& batch) const;
  Graph* capture(const Form& form, const LossInputs& batch);
  std::vector<Array> kept_arrays() const;
  void set_kept_arrays(const std::vector<Array>& arrays) const;
  void launch(Graph& graph, const LossInputs& batch);

  Optimizer& optimizer_;
  LossFunction loss_function_;
  std::list<Graph> graphs_;
  std::vector<Form> seen_;  // forms that took an ordinary step
};

}  // namespace catena::training
