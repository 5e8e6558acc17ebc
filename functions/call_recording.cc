#include "catena/functions/call_recording.h"

#include "catena/array/error.h"

namespace catena::functions {
namespace {

template <class T>
const T& option_of(const RecordedCall& call, std::string_view option) {
  for (const auto& [name, value] : call.options) {
    const T* const typed = std::get_if<T>(&value);
    if (name == option && typed != nullptr) return *typed;
  }
  raise<ValueError>(call.function, ": the call has no option '", option, "'");
}

}  // namespace

int64_t RecordedCall::integer(std::string_view option) const {
  return option_of<int64_t>(*this, option);
}
double RecordedCall::number(std::string_view option) const {
  return option_of<double>(*this, option);
}
const Shape& RecordedCall::sizes(std::string_view option) const {
  return option_of<Shape>(*this, option);
}

constinit thread_local CallRecording* CallRecording::current_ = nullptr;

CallRecording::CallRecording() : previous_(std::exchange(current_, this)) {}
CallRecording::~CallRecording() { current_ = previous_; }

const RecordedCall* CallRecording::find(const VariableNode* output) const {
  // Nested calls are recorded before the outer one.
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    if (call->output.node() == output) return &*call;
  }
  return nullptr;
}

}  // namespace catena::functions
