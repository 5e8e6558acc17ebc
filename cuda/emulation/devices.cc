#include "catena/cuda/emulation/devices.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

namespace catena::cuda::emulation {
namespace {

cudaError_t add_node(CUstream_st& stream, std::function<void()> run,
                     unsigned devices) {
  if (stream.capture->invalid) return cudaErrorStreamCaptureInvalidated;
  std::vector<Node>& nodes = stream.capture->nodes;
  nodes.push_back({std::move(run), devices, stream.captured});
  stream.captured = {nodes.size() - 1};
  return cudaSuccess;
}

bool is_done(const WorkPtr& work) { return work->done; }

}  // namespace

Devices& Devices::get() {
  static auto& all = *new Devices;
  return all;
}

Devices::Devices() {
  const char* wanted = std::getenv("CATENA_EMULATED_DEVICES");
  if (wanted != nullptr) {
    count_ = std::clamp(std::atoi(wanted), 0, kMaxEmulatedDevices);
  }
  const char* seed = std::getenv("CATENA_EMULATION_SEED");
  random_.seed(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 1);
  for (int device = 0; device < kMaxEmulatedDevices; ++device) {
    CUstream_st& stream = null_streams_[static_cast<size_t>(device)];
    stream.device = device;
    stream.is_null = true;
  }
}

void Devices::reset() {
  sticky_ = cudaErrorLaunchFailure;  // work is dropped
  wait_for_all_devices();
  sticky_ = cudaSuccess;
}

cudaStream_t Devices::create_stream(bool non_blocking) {
  auto* made = new CUstream_st;
  made->device = current_device;
  made->non_blocking = non_blocking;
  streams_.insert(made);
  return made;
}

void Devices::destroy(cudaStream_t stream) {
  wait(stream->last);
  streams_.erase(stream);
  delete stream;
}

WorkPtr Devices::enqueue(CUstream_st& stream, std::function<void()> run,
                         unsigned devices, std::vector<WorkPtr> after) {
  auto work = std::make_shared<Work>();
  work->run = std::move(run);
  work->devices = devices;
  work->after = std::move(after);
  if (stream.last != nullptr) work->after.push_back(stream.last);
  add_null_stream_order(stream, *work);
  std::erase_if(work->after, is_done);
  stream.last = work;
  stream.queue.push_back(work);
  return work;
}

cudaError_t Devices::submit(CUstream_st& stream, std::function<void()> run,
                            unsigned devices) {
  if (stream.capture != nullptr) {
    return add_node(stream, std::move(run), devices);
  }
  enqueue(stream, std::move(run), devices);
  return cudaSuccess;
}

void Devices::wait(WorkPtr work) {
  if (work == nullptr) return;
  while (!work->done) {
    if (run_one()) continue;
    if (!is_blocked_) break;
    // What it waits for is up to other threads, or processes.
    open_devices(0);
    mutex_.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    mutex_.lock();
  }
  open_devices(0);
}

void Devices::wait_for_device(int device) {
  for_each_stream([&](CUstream_st& stream) {
    if (stream.device == device) wait(stream.last);
  });
}

void Devices::wait_for_all_devices() {
  for (int device = 0; device < count_; ++device) wait_for_device(device);
}

bool Devices::is_done_when_asked(const WorkPtr& work) {
  constexpr int kPatience = 64;
  if (work == nullptr || work->done) return true;
  if (++queries_ % kPatience == 0) {
    run_one();
    open_devices(0);
  }
  return work->done;
}

bool Devices::breaks_captures(int device) {
  bool breaks = false;
  for_each_stream([&](CUstream_st& stream) {
    if (stream.device == device && breaks_capture(stream)) breaks = true;
  });
  return breaks;
}

void Devices::end_capture(const CapturePtr& capture) {
  capture->ended = true;
  for_each_stream([&](CUstream_st& stream) {
    if (stream.capture != capture) return;
    stream.capture = nullptr;
    stream.captured.clear();
  });
}

void Devices::run_graph(const std::vector<Node>& nodes) {
  std::vector<bool> done(nodes.size());
  for (size_t left = nodes.size(); left > 0; --left) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const auto& after = nodes[i].after;
      if (!done[i] && std::all_of(after.begin(), after.end(),
                                  [&](size_t j) { return done[j]; })) {
        ready.push_back(i);
      }
    }
    const size_t next = ready[random_() % ready.size()];
    open_devices(nodes[next].devices);
    nodes[next].run();
    done[next] = true;
  }
}

bool Devices::enable_peer(int device, int peer) {
  unsigned& peers = peers_[static_cast<size_t>(device)];
  const bool is_new = (peers >> peer & 1) == 0;
  peers |= 1u << peer;
  return is_new;
}

bool Devices::is_null_stream(const CUstream_st* stream) const {
  return std::any_of(null_streams_.begin(), null_streams_.end(),
                     [&](const CUstream_st& null) { return &null == stream; });
}

template <class F>
void Devices::for_each_stream(F f) {
  for (CUstream_st& stream : null_streams_) f(stream);
  // A copy, since host functions may end streams.
  for (CUstream_st* stream : std::vector(streams_.begin(), streams_.end())) {
    if (streams_.contains(stream)) f(*stream);
  }
}

void Devices::add_null_stream_order(const CUstream_st& stream, Work& work) {
  if (stream.is_null) {
    for (const CUstream_st* other : streams_) {
      if (other->device == stream.device && !other->non_blocking &&
          other->last != nullptr) {
        work.after.push_back(other->last);
      }
    }
  } else if (!stream.non_blocking) {
    const auto& last = null_streams_[static_cast<size_t>(stream.device)].last;
    if (last != nullptr) work.after.push_back(last);
  }
}

bool Devices::run_one() {
  std::vector<CUstream_st*> ready;
  is_blocked_ = false;
  for_each_stream([&](CUstream_st& stream) {
    if (stream.queue.empty()) return;
    const Work& front = *stream.queue.front();
    if (!std::all_of(front.after.begin(), front.after.end(), is_done)) return;
    // After a failure nothing runs, so nothing need be waited for.
    if (sticky_ == cudaSuccess && front.ready != nullptr && !front.ready()) {
      is_blocked_ = true;
    } else {
      ready.push_back(&stream);
    }
  });
  if (ready.empty()) return false;
  CUstream_st& stream = *ready[random_() % ready.size()];
  const WorkPtr work = std::move(stream.queue.front());
  stream.queue.pop_front();
  if (sticky_ == cudaSuccess) {
    open_devices(work->devices);
    work->run();
  }
  work->run = nullptr;
  work->ready = nullptr;
  work->after.clear();
  work->finished = std::chrono::steady_clock::now();
  work->done = true;
  return true;
}

}  // namespace catena::cuda::emulation
