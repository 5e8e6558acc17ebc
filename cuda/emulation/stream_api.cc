// cuda_runtime_api.h: streams, events and graphs.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "catena/cuda/emulation/devices.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/runtime.h"
#include "cuda_runtime_api.h"

using namespace catena::cuda::emulation;  // NOLINT

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (is_to_fail()) return set_last(cudaErrorMemoryAllocation);
  return guarded([&](Devices& devices) {
    *stream = devices.create_stream((flags & cudaStreamNonBlocking) != 0);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const cudaError_t status = guarded([&](Devices& devices) {
    if (stream == nullptr || !devices.exists(stream)) {
      return cudaErrorInvalidResourceHandle;
    }
    devices.destroy(stream);
    return cudaSuccess;
  });
  return set_last(reported(status, cudaErrorInvalidResourceHandle));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const cudaError_t status =
      guarded_wait(stream, [&](Devices& devices, CUstream_st& target) {
        ++devices.host_waits;
        devices.wait(target.last);
        return cudaSuccess;
      });
  return set_last(reported(status, cudaErrorLaunchFailure));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (is_to_fail()) return set_last(cudaErrorInvalidResourceHandle);
  return guarded_wait(stream, [&](Devices& devices, CUstream_st& target) {
    return devices.is_done_when_asked(target.last) ? cudaSuccess
                                                   : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned /*flags*/) {
  if (is_to_fail()) return set_last(cudaErrorInvalidResourceHandle);
  return guarded_on(stream, [&](Devices& devices, CUstream_st& target) {
    if (event->is_captured()) {
      // The stream joins the capture.
      if (target.capture == nullptr) {
        target.capture = event->capture;
        target.captured = event->captured;
        return cudaSuccess;
      }
      if (target.capture != event->capture) {
        target.capture->invalid = true;
        return cudaErrorStreamCaptureIsolation;
      }
      target.captured.insert(target.captured.end(), event->captured.begin(),
                             event->captured.end());
      return cudaSuccess;
    }
    if (event->work == nullptr) return cudaSuccess;
    if (target.capture != nullptr) {
      if (event->work->done) return cudaSuccess;
      target.capture->invalid = true;
      return cudaErrorStreamCaptureIsolation;
    }
    devices.enqueue(target, [] {}, 0, {event->work});
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*),
                               void* data) {
  if (is_to_fail()) return set_last(cudaErrorMemoryAllocation);
  return guarded_on(stream, [&](Devices& devices, CUstream_st& target) {
    return devices.submit(
        target, [=] { function(data); }, 0);
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (is_to_fail()) return set_last(cudaErrorMemoryAllocation);
  return guarded([&](Devices& devices) {
    ++devices.created_events;
    *event = new CUevent_st;
    (*event)->device = current_device;
    (*event)->timed = (flags & cudaEventDisableTiming) == 0;
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const auto lock = Devices::get().lock();
  delete event;
  return set_last(reported(cudaSuccess, cudaErrorInvalidResourceHandle));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (is_to_fail()) return set_last(cudaErrorInvalidResourceHandle);
  return guarded_on(stream, [&](Devices& devices, CUstream_st& target) {
    if (target.device != event->device) {
      return cudaErrorInvalidResourceHandle;
    }
    if (target.capture != nullptr) {
      event->work = nullptr;
      event->capture = target.capture;
      event->captured = target.captured;
      return cudaSuccess;
    }
    event->capture = nullptr;
    event->work = devices.enqueue(
        target, [] {}, 0);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (is_to_fail()) return set_last(cudaErrorInvalidResourceHandle);
  return guarded([&](Devices& devices) {
    if (breaks_capture(*event)) return cudaErrorCapturedEvent;
    return devices.is_done_when_asked(event->work) ? cudaSuccess
                                                   : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const cudaError_t status = guarded([&](Devices& devices) {
    if (breaks_capture(*event)) return cudaErrorCapturedEvent;
    ++devices.host_waits;
    devices.wait(event->work);
    return cudaSuccess;
  });
  return set_last(reported(status, cudaErrorLaunchFailure));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start,
                                 cudaEvent_t end) {
  if (is_to_fail()) return set_last(cudaErrorInvalidResourceHandle);
  return guarded([&](Devices&) {
    if (!start->timed || !end->timed || start->work == nullptr ||
        end->work == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (!start->work->done || !end->work->done) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(
                        end->work->finished - start->work->finished)
                        .count();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode /*mode*/) {
  if (is_to_fail()) return set_last(cudaErrorStreamCaptureUnsupported);
  return guarded_on(stream, [&](Devices&, CUstream_st& target) {
    if (target.is_null || target.capture != nullptr) {
      return cudaErrorStreamCaptureUnsupported;
    }
    target.capture = std::make_shared<Capture>();
    target.capture->origin = stream;
    target.captured.clear();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  return guarded_on(stream, [&](Devices& devices, CUstream_st& target) {
    const CapturePtr capture = target.capture;
    if (capture == nullptr || capture->origin != stream) {
      return cudaErrorInvalidValue;
    }
    // Every node must come before what the origin would do next.
    std::vector<bool> joined(capture->nodes.size());
    std::vector<size_t> todo = target.captured;
    while (!todo.empty()) {
      const size_t node = todo.back();
      todo.pop_back();
      if (joined[node]) continue;
      joined[node] = true;
      todo.insert(todo.end(), capture->nodes[node].after.begin(),
                  capture->nodes[node].after.end());
    }
    devices.end_capture(capture);
    if (is_to_fail("cudaStreamEndCapture")) capture->invalid = true;
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (std::find(joined.begin(), joined.end(), false) != joined.end()) {
      return cudaErrorStreamCaptureUnjoined;
    }
    *graph = new CUgraph_st{std::move(capture->nodes)};
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  std::swap(current, *mode);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus* status) {
  if (is_to_fail()) return set_last(cudaErrorInvalidValue);
  return guarded_on(stream, [&](Devices&, CUstream_st& target) {
    const CapturePtr& capture = target.capture;
    *status = capture == nullptr ? cudaStreamCaptureStatusNone
              : capture->invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  if (is_to_fail()) return set_last(cudaErrorMemoryAllocation);
  *executable = new CUgraphExec_st{graph->nodes};
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (is_to_fail()) return set_last(cudaErrorLaunchFailure);
  return submit(stream,
                [executable] { Devices::get().run_graph(executable->nodes); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return set_last(reported(cudaSuccess, cudaErrorInvalidValue));
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return set_last(reported(cudaSuccess, cudaErrorInvalidValue));
}
