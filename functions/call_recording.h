#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "catena/array/shape.h"
#include "catena/autograd/variable.h"

// Records the arguments of function calls. The graph knows which function
// computed a variable but not its options, which exporters such as
// caffe::export_caffe need.
namespace catena::functions {

// A value of an option of a function.
using CallOption = std::variant<int64_t, double, Shape>;

// A call of a function with its options, from which exporters make a layer.
struct RecordedCall {
  std::string_view function;  // "convolution"
  std::vector<Variable> inputs;
  Variable output;
  std::vector<std::pair<std::string_view, CallOption>> options;

  // Throws ValueError when there is no such option.
  int64_t integer(std::string_view option) const;
  double number(std::string_view option) const;
  const Shape& sizes(std::string_view option) const;
};

// Until destroyed, records this thread's calls of functions that support it
// (convolutions, pooling, normalization, ...). With nested recordings, the
// innermost gets the calls. Keeps inputs and outputs alive.
class [[nodiscard]] CallRecording {
 public:
  CallRecording();
  ~CallRecording();
  CallRecording(const CallRecording&) = delete;
  CallRecording& operator=(const CallRecording&) = delete;

  // The innermost active recording, or null.
  static CallRecording* current() { return current_; }

  void add(RecordedCall call) { calls_.push_back(std::move(call)); }
  // The call that returned this output, or null.
  const RecordedCall* find(const VariableNode* output) const;

 private:
  static constinit thread_local CallRecording* current_;

  CallRecording* previous_;
  std::vector<RecordedCall> calls_;
};

}  // namespace catena::functions
