#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/optimizers/loss_function.h"
#include "catena/optimizers/optimizer.h"

namespace catena {
class CaptureParticipant;
class WorkRecord;
}  // namespace catena

namespace catena::training {

// Whether steps are captured in CUDA graphs: never; where nothing is against
// it, else they are ordinary steps; or always, where what is against it is an
// error.
enum class Capture : uint8_t { kNever, kAuto, kAlways };

// Steps of an optimizer on a GPU, captured in CUDA graphs: forward, backward
// and update are submitted by one call, which saves the host's time for many
// small kernels. The results are those of optimizer.update(loss_function,
// batch) to the bit: minibatches, random numbers, hyperparameters and what
// extensions change of them are those of each step.
//
//   CapturedSteps steps(optimizer);
//   for (...) steps.update({as_variable(x), as_variable(t)});
//
// The first minibatches of a shape take ordinary steps, until two in a row have
// done the same: kernels with their grids and numbers, functions with the
// shapes and views of their arrays, arrays that come from the host. That is
// nearly always the second. The next step is captured and launched, as are all
// later ones; up to kMaxGraphs shapes are captured, further ones always take
// ordinary steps. So does every step on the CPU, and in debug mode. Graphs
// share memory for what does not outlive a step.
//
// The code of the loss function does not run in a launch, so it must always do
// the same: no results read (item(), printing), no branches on data or on the
// number of the step. Numbers that it computes on the host are those of the
// capture. Every kCheckInterval-th step of a shape is an ordinary one and is
// compared with those before the capture; if it does something else, no more
// steps are captured, and what was launched since the check before may have
// been wrong: a warning names the function. What the host does besides,
// such as printing and counting, is not seen. What the loss function reported
// is reported again with the values of each step.
//
// What Capture::kAuto does besides: a loss function that reads results, hooks
// that the host calls (Optimizer::capture_obstacle, LinkHook::is_capturable),
// persistent numbers that change, exchange of gradients, several devices,
// arrays that are replaced again and again and anything that fails in the
// capture mean ordinary steps from then on; a line on standard error says why.
// While hooks for all functions or links are active or
// config().keep_graph_on_report is set, steps are ordinary ones, too.
// With Capture::kAlways hooks of functions, links and optimizers are called in
// the capture alone.
//
// Parameters, persistent arrays and the states of recurrent links
// (Link::visit_state) go on from step to step, states without their graph, as
// after unchain_backward(). When one of them is replaced or reset between
// steps, update rules are enabled or disabled, hooks come or go, or the config
// changes, ordinary steps follow, and then a new capture.
//
// Gradients, and what links keep in members, such as Classifier::loss, are
// overwritten by the next launch. All parameters and fields of a minibatch must
// be on one GPU.
class CapturedSteps {
 public:
  static constexpr size_t kMaxGraphs = 4;
  static constexpr int64_t kCheckInterval = 100;

  // The loss function defaults to the optimizer's target. The optimizer must
  // outlive the object and must not be moved.
  explicit CapturedSteps(Optimizer& optimizer,
                         LossFunction loss_function = nullptr,
                         Capture capture = Capture::kAlways);
  ~CapturedSteps();
  CapturedSteps(const CapturedSteps&) = delete;
  CapturedSteps& operator=(const CapturedSteps&) = delete;

  // One step. With Capture::kAlways, throws DeviceError when a parameter or
  // field is on another device, or the loss function waits for the device;
  // NotImplementedError for gradient exchange, loss scaling that the host
  // decides about and what else can't be captured, and when steps do not do the
  // same. Nothing is updated then.
  void update(const LossInputs& batch);

  // The number of graphs.
  size_t n_graphs() const;
  // Why no more steps are captured; empty if they are.
  const std::string& obstacle() const { return obstacle_; }

 private:
  // Shapes, dtypes and devices of a minibatch.
  using Form = std::vector<int64_t>;
  struct Steps;

  const LossFunction& loss_function() const;
  void take_step(const LossInputs& batch) const;
  std::optional<Device> device_of_step(const LossInputs& batch) const;
  void drop_changed_graphs();
  std::vector<uint64_t>& present_key();
  Steps& steps_of(const LossInputs& batch);
  std::string device_obstacle(Device device, const LossInputs& batch) const;
  // The first obstacle of a participant.
  std::string participants_obstacle() const;
  void warm_up(Steps& steps, Device device, const LossInputs& batch);
  void capture(Steps& steps, Device device, const LossInputs& batch);
  void count_launch(Steps& steps);
  void check(Steps& steps, const LossInputs& batch);
  // An ordinary step that is recorded. Between launches they go on from it.
  void record_step(const LossInputs& batch, WorkRecord& record,
                   bool is_between_launches) const;
  void end(std::string_view why);

  Optimizer& optimizer_;
  LossFunction loss_function_;
  Capture capture_;
  // Those whose state the steps read or change on the host; the first ones are
  // asked first.
  std::vector<std::unique_ptr<CaptureParticipant>> participants_;
  std::string obstacle_;
  int wasted_ = 0;  // the latest captures that hardly served
  std::list<Steps> steps_;
  // What all graphs depend on, and what it is now.
  std::vector<uint64_t> key_;
  std::vector<uint64_t> now_;
  Form form_;  // of this step
};

}  // namespace catena::training
