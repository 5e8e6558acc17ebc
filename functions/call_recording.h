#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "catena/array/shape.h"
#include "catena/autograd/variable.h"

// What functions were called with. The graph knows which function made a
// variable, but not its options, which whoever writes a network down
// (caffe::export_caffe) must know.
namespace catena::functions {

using CallOption = std::variant<int64_t, double, Shape>;

struct RecordedCall {
  std::string_view function;  // "convolution"
  std::vector<Variable> inputs;
  Variable output;
  std::vector<std::pair<std::string_view, CallOption>> options;

  // ValueError when there is no such option.
  int64_t integer(std::string_view option) const;
  double number(std::string_view option) const;
  const Shape& sizes(std::string_view option) const;
};

// Records this thread's calls of functions with options, as far as they take
// part (convolutions, pooling, normalization, ...), until it is destroyed. When
// recordings are nested, the inner one gets them. It keeps inputs and outputs
// alive.
class [[nodiscard]] CallRecording {
 public:
  CallRecording();
  ~CallRecording();
  CallRecording(const CallRecording&) = delete;
  CallRecording& operator=(const CallRecording&) = delete;

  // Null where nothing is recorded.
  static CallRecording* current() { return current_; }

  void add(RecordedCall call) { calls_.push_back(std::move(call)); }
  // The call that the variable is the output of, or null.
  const RecordedCall* find(const VariableNode* output) const;

 private:
  static constinit thread_local CallRecording* current_;

  CallRecording* previous_;
  std::vector<RecordedCall> calls_;
};

}  // namespace catena::functions
