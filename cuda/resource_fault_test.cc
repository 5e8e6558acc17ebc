// Streams, events, memory, graphs and copies of emulated GPUs while each call
// of CUDA fails, in ways after which a GPU can still be used. Without arrays,
// whose kernels take long to compile.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "catena/array/core/backend.h"
#include "catena/array/core/capture.h"
#include "catena/array/core/device.h"
#include "catena/array/core/host_transfer.h"
#include "catena/array/core/storage.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/graph.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/stream.h"
#include "catena/tests/faults/cuda_faults.h"

namespace catena::cuda {
namespace {

using testing::expect_gpu_faults_do_no_harm;
using testing::FaultTrial;

// Bytes of a device, all the same.
Ref<Storage> filled(Device device, int64_t bytes, char value) {
  const std::string host(static_cast<size_t>(bytes), value);
  Ref<Storage> storage = Storage::allocate(device, bytes);
  backend_table(Backend::kCuda)
      ->copy(storage->data(), device, host.data(), native_device(), bytes);
  return storage;
}

std::string content_of(const Ref<Storage>& storage) {
  std::string bytes(static_cast<size_t>(storage->bytes()), '\0');
  backend_table(Backend::kCuda)
      ->copy(bytes.data(), native_device(), storage->data(), storage->device(),
             storage->bytes());
  return bytes;
}

// Copies from device to device, and to the host.
class CopyTrial final : public FaultTrial {
 public:
  CopyTrial(Device from, Device to, int64_t bytes)
      : from_(from), to_(to), bytes_(bytes) {}
  void run() override {
    const Ref<Storage> copied = Storage::allocate(to_, bytes_);
    Ref<Storage> source;
    const char* data = host_.data();
    if (!from_.is_native()) {
      source = filled(from_, bytes_, 'x');
      data = source->data();
    }
    backend_table(Backend::kCuda)
        ->copy(copied->data(), to_, data, from_, bytes_);
    result_ = content_of(copied);
  }
  std::string state() override { return result_; }

 private:
  Device from_;
  Device to_;
  int64_t bytes_;
  std::string host_ = std::string(static_cast<size_t>(bytes_), 'x');
  std::string result_;
};

TEST(ResourceFaultTest, BytesAreCopiedOrNot) {
  const Device gpu = cuda_device(0);
  const auto expect = [](const std::string& name, Device from, Device to,
                         int64_t bytes) {
    expect_gpu_faults_do_no_harm(
        {name, [=] { return std::make_unique<CopyTrial>(from, to, bytes); }});
  };
  expect("copy to the GPU", native_device(), gpu, 1000);
  // In pieces.
  expect("large copy to the GPU", native_device(), gpu, 5'000'000);
  expect("copy on the GPU", gpu, gpu, 1000);
  expect("copy to another GPU", gpu, cuda_device(1), 1000);
}

// Makes and ends one of each, so that their destructors meet failed calls.
class ResourceTrial final : public FaultTrial {
 public:
  void run() override {
    {
      const Stream stream({.device = 0, .non_blocking = true});
      const Stream null = Stream::null(0);
      Event timed({.device = 0});
      const Memory memory(1000, 0, stream.ptr());
      memory.memset_async(1, stream.ptr());
      PinnedMemory pinned(1000);
      copy_async(pinned.ptr(), memory.ptr(), 1000, 0, stream.ptr());
      timed.record(stream.ptr());
      Event copied = stream.record();
      null.wait_event(copied);
      pinned.free_after(std::move(copied));
      // Freed where another stream used it.
      const Memory shared(1000, 0, stream.ptr());
      record_use(shared.ptr(), 0, nullptr);
      shared.memset_async(2, nullptr);
      timed.synchronize();
    }
    free_all_blocks();
    pinned_memory_pool().free_all_blocks();
    is_done_ = true;
  }
  std::string state() override { return is_done_ ? "done" : "not done"; }

 private:
  bool is_done_ = false;
};

// The null stream takes over what another one has freed, and must wait for it.
class OrderTrial final : public FaultTrial {
 public:
  void run() override {
    {
      const StreamScope scope(stream_);
      const Ref<Storage> first = Storage::allocate(gpu_, kBytes);
      for (int i = 0; i < 20; ++i) fill(first, 'a');
    }
    const Ref<Storage> last = Storage::allocate(gpu_, kBytes);
    fill(last, 'b');
    result_ = content_of(last);
  }
  std::string state() override { return result_; }

 private:
  // With segments of its own, so that the driver must be asked for another, or
  // the block of the stream be taken.
  static constexpr int64_t kBytes = 3 << 20;

  static void fill(const Ref<Storage>& storage, char value) {
    check(cudaMemsetAsync(storage->data(), value,
                          static_cast<size_t>(storage->bytes()),
                          current_stream(0)),
          "cudaMemsetAsync");
  }

  Device gpu_ = cuda_device(0);
  Stream stream_{{.device = 0, .non_blocking = true}};
  std::string result_;
};

TEST(ResourceFaultTest, WhatEndsWhileCallsFailEndsQuietly) {
  expect_gpu_faults_do_no_harm({"streams, events and memory", [] {
                                  return std::make_unique<ResourceTrial>();
                                }});
  memory_pool(0).set_limit(4 << 20);
  expect_gpu_faults_do_no_harm({"memory of another stream",
                                [] { return std::make_unique<OrderTrial>(); }});
  memory_pool(0).set_limit(0);
}

// A graph with a copy from the host and a value of the host's, launched twice.
class GraphTrial final : public FaultTrial {
 public:
  void run() override {
    counts_ = 0;
    const Graph graph([this] { work(); }, 0);
    graph.launch();
    const std::string first = content_of(target_);
    graph.launch();
    result_ = first + content_of(target_);
  }
  std::string state() override { return result_; }

 private:
  void work() {
    const Device gpu = cuda_device(0);
    void* const value = current_capture()->value(
        8, [this](void* to) { std::memset(to, 'A' + counts_++, 8); });
    const std::string host(8, 'h');
    const BackendTable& table = *backend_table(Backend::kCuda);
    table.copy(target_->data(), gpu, host.data(), native_device(), 8);
    table.copy(target_->data() + 8, gpu, value, gpu, 8);
  }

  Ref<Storage> target_ = filled(cuda_device(0), 16, '0');
  int counts_ = 0;
  std::string result_;
};

TEST(ResourceFaultTest, AGraphIsMadeAndLaunchedInTheNextTry) {
  expect_gpu_faults_do_no_harm(
      {"graph", [] { return std::make_unique<GraphTrial>(); }});
}

// A launch that fails has counted nothing.
class LaunchTrial final : public FaultTrial {
 public:
  void run() override {
    if (count_ == 0) graph_.launch();
  }
  std::string state() override {
    return std::to_string(count_) + content_of(target_);
  }

 private:
  void work() {
    const Device gpu = cuda_device(0);
    Capture& capture = *current_capture();
    capture.on_launch([this] { ++count_; });
    capture.on_failed_launch([this] { --count_; });
    void* const value = capture.value(
        8, [this](void* to) { std::memset(to, 'A' + count_, 8); });
    backend_table(Backend::kCuda)->copy(target_->data(), gpu, value, gpu, 8);
  }

  Ref<Storage> target_ = filled(cuda_device(0), 8, '0');
  int count_ = 0;
  Graph graph_{[this] { work(); }, 0};
};

TEST(ResourceFaultTest, ALaunchThatIsNotSubmittedIsNotCounted) {
  expect_gpu_faults_do_no_harm(
      {"launch", [] { return std::make_unique<LaunchTrial>(); }});
}

// A copy beside the device's work, of memory that is freed as soon as it may.
class TransferTrial final : public FaultTrial {
 public:
  void run() override {
    const auto transfer =
        backend_table(Backend::kCuda)->open_transfer(cuda_device(0));
    Ref<Storage> from = Storage::allocate(native_device(), kBytes);
    std::memset(from->data(), 'x', kBytes);
    result_ = content_of(transfer->to_device(from->data(), kBytes, from));
  }
  std::string state() override { return result_; }

 private:
  static constexpr int64_t kBytes = 1000;
  std::string result_;
};

TEST(ResourceFaultTest, ATransferKeepsTheHostsMemoryUntilItIsRead) {
  expect_gpu_faults_do_no_harm(
      {"HostTransfer", [] { return std::make_unique<TransferTrial>(); }});
}

}  // namespace
}  // namespace catena::cuda
