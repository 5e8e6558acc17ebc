#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "catena/autograd/config.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/iterator.h"
#include "catena/links/link.h"
#include "catena/optimizers/loss_function.h"
#include "catena/optimizers/optimizer.h"
#include "catena/training/communicators/communicator.h"
#include "catena/training/communicators/gradient_reducer.h"
#include "catena/training/communicators/nccl_factory.h"
#include "catena/training/standard_updater.h"

namespace catena::training {

struct MultiprocessParallelUpdaterOptions {
  NamedFieldsOnly keywords = {};
  dataset::Converter converter = dataset::default_converter();
  // One device per iterator, all different. Defaults to the device of the
  // model's parameters and the first others of its kind: cuda:0, cuda:1, ...
  // for a model on cuda:0.
  std::vector<Device> devices = {};
  // Also how long threads on the CPU may wait for each other.
  communicators::NcclOptions nccl = {};
};

// Data-parallel training on several devices of one machine. Each device has an
// iterator, a copy of the model and a thread, which computes the gradients of
// its minibatch. The sum of the gradients updates the first device's model,
// which is copied to the others, so each step minimizes the sum of the devices'
// losses.
//
// Chainer starts a process per GPU because of Python's global interpreter lock.
// C++ threads share the data, end together, and need no fork, which is not
// allowed after CUDA has been used. Between GPUs gradients go through NCCL,
// between native devices through memory. For several machines or processes, see
// communicators/multi_node_optimizer.h.
//
// Only the first device, which runs in the caller's thread, reports values.
class MultiprocessParallelUpdater final : public StandardUpdater {
 public:
  // `model` is the optimizer's target. Each thread takes minibatches from one
  // iterator, usually over a part of the dataset (see split_dataset_n_random);
  // the first iterator is "main". All must outlive the updater.
  //
  // Throws ValueError unless there are iterators, none null, and the same
  // number of devices, all different and of the same kind, and the model is the
  // optimizer's target; DeviceError for devices that do not exist, and for a
  // model with parameters on several devices when none are given.
  template <std::copy_constructible L>
  requires std::derived_from<L, Link> MultiprocessParallelUpdater(
      const std::vector<dataset::Iterator*>& iterators, Optimizer& optimizer,
      const L& model, const MultiprocessParallelUpdaterOptions& options = {})
      : MultiprocessParallelUpdater(iterators, optimizer,
                                    static_cast<const Link&>(model), options,
                                    [&model] { return make_copy(model); }) {}
  ~MultiprocessParallelUpdater() override;

  // Whether this program has NCCL, which only GPUs need.
  static bool available();

  std::vector<Device> devices() const override;

  // Ends the threads.
  void finalize() override;

 protected:
  void update_core() override;

 private:
  // The model and loss function of a device other than the first.
  struct Replica {
    std::shared_ptr<Link> model;
    LossFunction loss_function;
    std::exception_ptr failure = nullptr;
  };

  struct Threads;

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
  // Computes the gradients of this thread's loss and sums them over all
  // threads.
  Variable compute(const LossFunction& loss_function, const LossInputs& batch,
                   Link& model, communicators::GradientReducer& reducer) const;
  // Ends the threads and rethrows the original failure instead of the resulting
  // CommunicatorError of a waiting thread.
  [[noreturn]] void rethrow(const std::exception_ptr& own);

  std::vector<dataset::Iterator*> all_iterators_;
  Optimizer& optimizer_;
  std::vector<Device> devices_;
  communicators::NcclOptions nccl_;
  // Without the first device, whose model is the optimizer's target.
  std::vector<Replica> replicas_;
  std::unique_ptr<Threads> threads_;  // one for each replica, or null
  // The updates that have begun, for which the threads wait; kNoMore: they end.
  static constexpr int64_t kNoMore = -1;
  std::atomic<int64_t> updates_ = 0;
  // For synchronizing the threads, and for their gradients.
  std::vector<std::unique_ptr<communicators::Communicator>> controls_;
  std::vector<std::unique_ptr<communicators::Communicator>> communicators_;
  std::unique_ptr<communicators::GradientReducer> reducer_;
  Config config_;  // the caller's, for all threads
  bool has_shapes_ = false;
};

}  // namespace catena::training
