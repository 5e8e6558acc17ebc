#pragma once

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/array/creation.h"
#include "catena/tests/faults/bits.h"
#include "catena/tests/faults/fault_matrix.h"
#include "catena/training/communicators/thread_communicator.h"

namespace catena::testing {

// Two ranks, on a device each, add up arrays again and again, and read the sums
// while they are connected. The faults are those of their threads.
class CommunicatorTrial final : public FaultTrial {
 public:
  using Communicator = training::communicators::Communicator;
  // What a rank makes of its communicator.
  using Connect = std::function<std::unique_ptr<Communicator>(
      std::unique_ptr<Communicator> control)>;

  explicit CommunicatorTrial(
      const std::array<Device, 2>& devices,
      Connect connect = [](auto control) { return control; })
      : devices_(devices),
        connect_(std::move(connect)),
        inputs_{array::arange(5, Dtype::kFloat32, native_device())
                    .to_device(devices[0]),
                array::ones({5}, Dtype::kFloat32, native_device())
                    .to_device(devices[1])} {}

  void run() override {
    const NoFaults suspended;
    auto ranks = training::communicators::ThreadCommunicator::create(2);
    std::array<Array, 2> sums;
    std::array<std::exception_ptr, 2> failures;
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      threads.emplace_back([&, rank] {
        const DeviceScope device(devices_[rank]);
        std::unique_ptr<Communicator> communicator = std::move(ranks[rank]);
        try {
          communicator = connect_(std::move(communicator));
          sums[rank] = inputs_[rank];
          for (int i = 0; i < 10; ++i) {
            sums[rank] = communicator->allreduce(sums[rank]);
          }
          sums[rank] = sums[rank].to_device(native_device());
        } catch (...) {
          failures[rank] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    rethrow_reason(failures);
    result_ = bits_of(sums[0]) + bits_of(sums[1]);
  }
  std::string state() override { return result_; }

 private:
  // The other rank only knows that this one has failed.
  static void rethrow_reason(
      const std::array<std::exception_ptr, 2>& failures) {
    std::exception_ptr reason;
    for (const std::exception_ptr& failure : failures) {
      if (failure == nullptr) continue;
      try {
        std::rethrow_exception(failure);
      } catch (const training::communicators::CommunicatorError&) {
        if (reason == nullptr) reason = failure;
      } catch (...) {
        reason = failure;
      }
    }
    if (reason != nullptr) std::rethrow_exception(reason);
  }

  std::array<Device, 2> devices_;
  Connect connect_;
  std::array<Array, 2> inputs_;
  std::string result_;
};

}  // namespace catena::testing
