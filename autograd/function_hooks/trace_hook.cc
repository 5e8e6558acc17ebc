#include "catena/autograd/function_hooks/trace_hook.h"

#include <optional>
#include <utility>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/core/trace.h"
#include "catena/autograd/function_node.h"

namespace catena::function_hooks {
namespace {

std::string text_of(const Array& array) {
  return str(array.dtype(), " ", array.shape());
}

void count_memory() {
  struct Pool {
    Backend backend;
    const char* used;
    const char* reserved;
  };
  constexpr Pool kPools[] = {
      {Backend::kNative, "host memory, used", "host memory, reserved"},
      {Backend::kCuda, "GPU memory, used", "GPU memory, reserved"}};
  for (const Pool& pool : kPools) {
    const BackendTable* table = backend_table(pool.backend);
    if (table != nullptr && table->used_bytes != nullptr) {
      add_trace_counter(pool.used, table->used_bytes());
      add_trace_counter(pool.reserved, table->reserved_bytes());
    }
  }
}

}  // namespace

struct TraceHook::Call {
  int64_t begin;
  std::string detail;
  std::string outer_task;
  std::optional<Device> device;
  std::shared_ptr<const DeviceMark> mark;
};

struct TraceHook::DeviceSpan {
  const char* category;
  std::string name;
  std::string detail;
  int device;
  std::shared_ptr<const DeviceMark> begin, end;
};

struct TraceHook::Origin {
  std::shared_ptr<const DeviceMark> mark;
  int64_t time;
};

TraceHook::TraceHook() = default;
TraceHook::~TraceHook() = default;

std::shared_ptr<const DeviceMark> TraceHook::mark(const Device& device) {
  const BackendTable* table = backend_table(device.backend());
  if (table == nullptr || table->mark == nullptr) return nullptr;
  if (!origins_.contains(device.index())) {
    // The clocks of the host and of the device are compared once.
    Origin origin{.mark = table->mark(device.index()), .time = 0};
    origin.mark->wait();
    origin.time = trace_clock();
    origins_.emplace(device.index(), std::move(origin));
  }
  return table->mark(device.index());
}

void TraceHook::start(const FunctionNode& function, const Array* first,
                      std::string detail) {
  if (!is_tracing()) return;
  Call call{.begin = 0,
            .detail = std::move(detail),
            .outer_task = exchange_trace_task(std::string(function.label())),
            .device = std::nullopt,
            .mark = nullptr};
  if (first != nullptr) {
    call.device = first->device();
    call.mark = mark(first->device());
  }
  call.begin = trace_clock();
  running_.begin(&function, std::move(call));
}

void TraceHook::stop(const FunctionNode& function, const char* category) {
  const int64_t end = trace_clock();
  auto call = running_.end(&function);
  if (!call) return;
  exchange_trace_task(std::move(call->outer_task));
  if (call->mark != nullptr) {
    device_spans_.push_back({.category = category,
                             .name = std::string(function.label()),
                             .detail = call->detail,
                             .device = call->device->index(),
                             .begin = call->mark,
                             .end = mark(*call->device)});
  }
  add_trace_span({.category = category,
                  .name = std::string(function.label()),
                  .begin = call->begin,
                  .end = end,
                  .detail = std::move(call->detail)});
  count_memory();
}

void TraceHook::forward_preprocess(const FunctionNode& function,
                                   const Arrays& inputs) {
  std::string detail;
  for (const Array& input : inputs) {
    if (!is_tracing()) break;
    detail += (detail.empty() ? "" : ", ") +
              (input.defined() ? text_of(input) : std::string("none"));
  }
  start(function, inputs.empty() ? nullptr : &inputs[0], std::move(detail));
}

void TraceHook::forward_postprocess(const FunctionNode& function,
                                    const Arrays& /*inputs*/) {
  stop(function, "forward");
}

void TraceHook::backward_preprocess(const FunctionNode& function,
                                    const Variables& grad_outputs) {
  std::string detail;
  const Array* first = nullptr;
  for (const Variable& gradient : grad_outputs) {
    if (!is_tracing()) break;
    if (gradient.defined() && first == nullptr) first = &gradient.array();
    detail +=
        (detail.empty() ? "" : ", ") +
        (gradient.defined() ? text_of(gradient.array()) : std::string("none"));
  }
  start(function, first, std::move(detail));
}

void TraceHook::backward_postprocess(const FunctionNode& function,
                                     const Variables& /*grad_outputs*/) {
  stop(function, "backward");
}

void TraceHook::deleted(FunctionNode* /*function*/) {
  try {
    finish();
  } catch (const Error&) {
    device_spans_.clear();
  }
}

void TraceHook::finish() {
  for (DeviceSpan& span : std::exchange(device_spans_, {})) {
    const Origin& origin = origins_.at(span.device);
    span.end->wait();
    const auto time = [&](const DeviceMark& mark) {
      return origin.time + mark.nanoseconds_since(*origin.mark);
    };
    add_trace_span({.category = span.category,
                    .name = std::move(span.name),
                    .begin = time(*span.begin),
                    .end = time(*span.end),
                    .detail = std::move(span.detail),
                    .row = span.end->stream_name()});
  }
}

}  // namespace catena::function_hooks
