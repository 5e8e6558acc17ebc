#include "catena/training/multiprocess_parallel_updater.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/training/communicators/thread_communicator.h"
#include "catena/training/minibatch.h"
#include "catena/training/target_device.h"

namespace catena::training {
namespace {

using communicators::Communicator;
using communicators::CommunicatorError;
using communicators::GradientReducer;
using communicators::ThreadCommunicator;

// The device of the model and the first others of its kind.
std::vector<Device> devices_for(const Link& model, size_t count) {
  Placement placement;
  placement.add("main", model);
  const Device first = one_device(placement, "MultiprocessParallelUpdater")
                           .value_or(current_device());
  std::vector<Device> devices;
  if (count > 0) devices.push_back(first);
  for (int index = 0; devices.size() < count; ++index) {
    const Device other(first.backend(), index);
    if (other != first) devices.push_back(other);
  }
  return devices;
}

// The given devices, or those that suit the model.
std::vector<Device> choose_devices(
    const std::vector<dataset::Iterator*>& iterators, const Link& model,
    const std::vector<Device>& given) {
  const size_t count = iterators.size();
  std::vector<Device> devices =
      given.empty() ? devices_for(model, count) : given;
  if (count == 0 || devices.size() != count) {
    raise<ValueError>(
        "MultiprocessParallelUpdater: expected iterators and as many devices, "
        "got ",
        count, " and ", devices.size());
  }
  for (size_t i = 0; i < count; ++i) {
    const bool is_again =
        std::count(devices.begin(), devices.begin() + i, devices[i]) > 0;
    if (is_again || devices[i].is_native() != devices[0].is_native()) {
      raise<ValueError>(
          "MultiprocessParallelUpdater: expected different devices of the same "
          "kind, got ",
          devices[0], " and ", devices[i]);
    }
  }
  return devices;
}

IteratorMap named_iterators(const std::vector<dataset::Iterator*>& iterators) {
  IteratorMap named;
  for (size_t i = 0; i < iterators.size(); ++i) {
    named[i == 0 ? "main" : std::to_string(i)] = iterators[i];
  }
  return named;
}

// Uses NCCL for gradients on GPUs. All threads must call it at the same time.
std::unique_ptr<Communicator> connect(
    std::unique_ptr<Communicator> control,
    const communicators::NcclOptions& options) {
  const auto factory = communicators::internal::nccl_factory();
  if (factory == nullptr || current_device().is_native()) return control;
  return factory(std::move(control), {}, options);
}

std::unique_ptr<GradientReducer> make_reducer(Communicator& communicator) {
  return std::make_unique<GradientReducer>(
      communicator, communicator.bucket_policy(), /*factor=*/1.0);
}

std::vector<std::unique_ptr<Communicator>> create_group(
    size_t size, std::chrono::milliseconds timeout) {
  std::vector<std::unique_ptr<Communicator>> group;
  for (auto& member : ThreadCommunicator::create(static_cast<int>(size), {},
                                                 {.timeout = timeout})) {
    group.push_back(std::move(member));
  }
  return group;
}

}  // namespace

bool MultiprocessParallelUpdater::available() {
  return communicators::internal::nccl_factory() != nullptr;
}

MultiprocessParallelUpdater::MultiprocessParallelUpdater(
    const std::vector<dataset::Iterator*>& iterators, Optimizer& optimizer,
    const Link& model, const MultiprocessParallelUpdaterOptions& options,
    const std::function<Replica()>& copy_model)
    : StandardUpdater(
          named_iterators(iterators), {{"main", &optimizer}},
          {.converter = options.converter,
           .device = choose_devices(iterators, model, options.devices)[0]}),
      all_iterators_(iterators),
      optimizer_(optimizer),
      devices_(choose_devices(iterators, model, options.devices)),
      nccl_(options.nccl) {
  if (&model != &optimizer.target()) {
    raise<ValueError>(
        "MultiprocessParallelUpdater: expected the optimizer's target as the "
        "model, got another link");
  }
  optimizer.target().to_device(devices_[0]);
  for (size_t i = 1; i < devices_.size(); ++i) {
    replicas_.push_back(copy_model());
    replicas_.back().model->to_device(devices_[i]);
  }
}

// In this file, since <thread> is slow to compile.
struct MultiprocessParallelUpdater::Threads {
  std::vector<std::thread> running;
};

MultiprocessParallelUpdater::~MultiprocessParallelUpdater() { stop_threads(); }

std::vector<Device> MultiprocessParallelUpdater::devices() const {
  std::vector<Device> devices = StandardUpdater::devices();
  devices.insert(devices.end(), devices_.begin(), devices_.end());
  return devices;
}

void MultiprocessParallelUpdater::finalize() {
  stop_threads();
  StandardUpdater::finalize();
}

void MultiprocessParallelUpdater::start_threads() {
  threads_ = std::make_unique<Threads>();
  updates_ = 0;
  controls_ = create_group(devices_.size(), nccl_.timeout);
  communicators_ = create_group(devices_.size(), nccl_.timeout);
  threads_->running.reserve(devices_.size() - 1);
  try {
    for (size_t i = 1; i < devices_.size(); ++i) {
      replicas_[i - 1].failure = nullptr;
      threads_->running.emplace_back([this, i] { run_thread(i); });
    }
  } catch (const std::exception& error) {
    const size_t started = threads_->running.size();
    stop_threads();
    raise<Error>("MultiprocessParallelUpdater: expected ", devices_.size() - 1,
                 " threads from the system, got ", started, ": ", error.what());
  }
  const DeviceScope device(devices_[0]);
  communicators_[0] = connect(std::move(communicators_[0]), nccl_);
  reducer_ = make_reducer(*communicators_[0]);
}

void MultiprocessParallelUpdater::stop_threads() {
  if (controls_.empty()) return;
  // Notifies threads that wait for this one.
  updates_ = kNoMore;
  updates_.notify_all();
  reducer_.reset();
  communicators_[0].reset();
  controls_[0].reset();
  for (std::thread& thread : threads_->running) thread.join();
  threads_.reset();
  controls_.clear();
  communicators_.clear();
}

Variable MultiprocessParallelUpdater::compute(const LossFunction& loss_function,
                                              const LossInputs& batch,
                                              Link& model,
                                              GradientReducer& reducer) const {
  Variable loss = loss_function(batch);
  model.cleargrads();
  loss.backward({.loss_scale = optimizer_.loss_scale()});
  reducer.start(model);
  reducer.finish();
  return loss;
}

void MultiprocessParallelUpdater::run_thread(size_t i) {
  Replica& replica = replicas_[i - 1];
  try {
    const DeviceScope device(devices_[i]);
    // Owned by the thread, so that others stop waiting when it ends.
    const std::unique_ptr<Communicator> control = std::move(controls_[i]);
    const auto communicator = connect(std::move(communicators_[i]), nccl_);
    const auto reducer = make_reducer(*communicator);
    for (int64_t done = 0;; ++done) {
      // No limit: hours may pass between updates.
      updates_.wait(done);
      if (updates_ == kNoMore) return;
      config() = config_;
      replica.model->copyparams(optimizer_.target());
      control->barrier();
      const auto batch = all_iterators_[i]->next();
      if (!batch) {
        raise<ValueError>(
            "MultiprocessParallelUpdater: expected another minibatch, but "
            "iterator ",
            i, " has ended");
      }
      compute(replica.loss_function,
              variables_of(converter()(*batch, devices_[i])), *replica.model,
              *reducer);
    }
  } catch (...) {
    replica.failure = std::current_exception();
  }
}

void MultiprocessParallelUpdater::rethrow(const std::exception_ptr& own) {
  stop_threads();
  for (const Replica& replica : replicas_) {
    try {
      if (replica.failure) std::rethrow_exception(replica.failure);
    } catch (const CommunicatorError&) {
      // A consequence of another thread's failure.
    }
  }
  std::rethrow_exception(own);
}

void MultiprocessParallelUpdater::update_core() {
  if (controls_.empty()) {
    try {
      start_threads();
    } catch (...) {
      stop_threads();
      throw;
    }
  }
  const LossInputs batch = next_batch(*all_iterators_[0]);
  const LossFunction& loss_function = optimizer_.loss_function();
  Link& model = optimizer_.target();
  const DeviceScope device(devices_[0]);
  if (!has_shapes_ && model.has_uninitialized_params()) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    loss_function(batch);
  }
  has_shapes_ = true;
  config_ = config();
  try {
    ++updates_;
    updates_.notify_all();
    controls_[0]->barrier();  // the other threads have copied the parameters
    const Variable loss = compute(loss_function, batch, model, *reducer_);
    optimizer_.update();
  } catch (const CommunicatorError&) {
    rethrow(std::current_exception());
  } catch (...) {
    // They wait for this thread in the middle of a step.
    stop_threads();
    throw;
  }
  if (is_new_epoch()) optimizer_.new_epoch();
}

}  // namespace catena::training
