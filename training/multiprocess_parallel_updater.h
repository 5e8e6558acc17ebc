#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "catena/autograd/config.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/iterator.h"
#include "catena/links/link.h"
#include "catena/optimizers/optimizer.h"
#include "catena/training/communicators/communicator.h"
#include "catena/training/communicators/gradient_reducer.h"
#include "catena/training/standard_updater.h"

namespace catena::training {

struct MultiprocessParallelUpdaterOptions {
  dataset::Converter converter = dataset::default_converter();
  // One for each iterator, all different; the first ones of the current
  // device's kind, native:0, native:1, ... or cuda:0, cuda:1, ..., unless
  // given.
  std::vector<Device> devices = {};
};

// Data parallel training on several devices of one machine. Each device has an
// iterator, a copy of the model and a thread, which computes the gradients of
// its minibatch; their sum over the devices updates the model of the first,
// from which the others take theirs. So the step is that of one device with a
// loss that is the sum of theirs.
//
// Chainer starts a process for each GPU, since Python computes in one
// thread of a process at a time. C++ does not: threads share the data, need no
// fork, which CUDA forbids once it is in use, and end together. Between GPUs
// gradients go through NCCL, between native devices through memory. For several
// machines, or processes, there is communicators/multi_node_optimizer.h.
//
// Only the first device's thread, the caller's, reports.
class MultiprocessParallelUpdater final : public StandardUpdater {
 public:
  // `model` is the optimizer's target. Each thread takes minibatches from one
  // iterator; the first one is the main one. Parts of the dataset, as
  // split_dataset_n_random makes them, suit them. All must outlive the updater.
  //
  // ValueError unless there are iterators, none of them null, as many devices,
  // all different and of one kind, and the model is the optimizer's target;
  // DeviceError for devices that do not exist.
  template <std::copy_constructible L>
  requires std::derived_from<L, Link> MultiprocessParallelUpdater(
      const std::vector<dataset::Iterator*>& iterators, Optimizer& optimizer,
      const L& model, const MultiprocessParallelUpdaterOptions& options = {})
      : MultiprocessParallelUpdater(iterators, optimizer,
                                    static_cast<const Link&>(model), options,
                                    [&model] { return make_copy(model); }) {}
  ~MultiprocessParallelUpdater() override;

  // Whether NCCL connects GPUs in this program: native devices need no NCCL.
  static bool available();

  std::vector<Device> devices() const override;

  // Ends the threads.
  void finalize() override;

 protected:
  void update_core() override;

 private:
  // What a thread has besides what the first one has.
  struct Replica {
    std::shared_ptr<Link> model;
    LossFunction loss_function;
    std::thread thread = {};
    std::exception_ptr failure = nullptr;
  };

  template <class L>
  static Replica make_copy(const L& model) {
    const auto copy = std::make_shared<L>(model);
    return {.model = copy, .loss_function = loss_function_of(*copy)};
  }

  MultiprocessParallelUpdater(const std::vector<dataset::Iterator*>& iterators,
                              Optimizer& optimizer, const Link& model,
                              const MultiprocessParallelUpdaterOptions& options,
                              const std::function<Replica()>& copy_model);

  void start_threads();
  void stop_threads();
  void run_thread(size_t i);
  // The gradients of this thread's loss, summed over all threads.
  Variable compute(const LossFunction& loss_function,
                   std::span<const Variable> batch, Link& model,
                   communicators::GradientReducer& reducer) const;
  // Ends the threads and throws what one of them failed with, which is more
  // telling than that others wait in vain.
  [[noreturn]] void rethrow(const std::exception_ptr& own);

  std::vector<dataset::Iterator*> all_iterators_;
  Optimizer& optimizer_;
  std::vector<Device> devices_;
  // Without the first device's, whose model is the optimizer's.
  std::vector<Replica> replicas_;
  // What threads are told through, and their gradients go through.
  std::vector<std::unique_ptr<communicators::Communicator>> controls_;
  std::vector<std::unique_ptr<communicators::Communicator>> communicators_;
  std::unique_ptr<communicators::GradientReducer> reducer_;
  Config config_;  // of the caller, for all threads
  bool has_shapes_ = false;
};

}  // namespace catena::training
