#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "catena/array/array.h"
#include "catena/array/storage.h"

namespace catena {

class FunctionNode;
class Variable;
class VariableNode;

using Arrays = absl::InlinedVector<Array, 2>;
using Variables = absl::InlinedVector<Variable, 2>;

struct VariableOptions {
  std::string name = {};
  bool requires_grad = true;
};

struct BackwardOptions {
  // Keeps the gradients of intermediate variables, which otherwise go as soon
  // as they have been used.
  bool retain_grad = false;
  // Records the backward computation, so that gradients can be differentiated.
  bool enable_double_backprop = false;
  // Multiplies the gradient of 1 that backward starts with.
  std::optional<double> loss_scale = std::nullopt;
};

// An array in a computation that remembers how it was made. A Variable is a
// handle: copies share data and gradient, as in Python. A default-constructed
// one is undefined and stands for None; using its data throws ValueError.
class Variable {
 public:
  Variable() = default;
  explicit Variable(Array data, const VariableOptions& options = {});

  bool defined() const { return node_ != nullptr; }

  // The array; undefined where a parameter has no shape yet.
  const Array& data() const;
  const Array& array() const { return data(); }
  // Replaces the array, not its elements. A gradient that does not fit goes.
  void set_data(Array data) const;

  // The gradient as an array, undefined when there is none, and as a variable,
  // which carries a graph after backward({.enable_double_backprop = true}).
  Array grad() const;
  Variable grad_var() const;
  // The gradient for changes in place: another array takes its place first when
  // anything else holds its memory.
  Array mutable_grad() const;
  // ShapeError, DtypeError or DeviceError unless the gradient is like the data.
  void set_grad(const Array& grad) const;
  void set_grad_var(const Variable& grad) const;
  void cleargrad() const;
  // Fills the gradient with zeros.
  void zerograd() const;
  // Adds the gradient of `other`, moved to this device; none counts as zero.
  void addgrad(const Variable& other) const;
  // Copies the elements of `other`, from any device. ShapeError.
  void copydata(const Variable& other) const;

  const Shape& shape() const { return data().shape(); }
  int ndim() const { return data().ndim(); }
  int64_t size() const { return data().size(); }
  // The length of the first axis. ShapeError for 0-d.
  int64_t len() const;
  Dtype dtype() const { return data().dtype(); }
  Device device() const { return data().device(); }

  const std::string& name() const;
  void set_name(std::string name) const;
  // "(2, 3), float32", with the name in front if there is one.
  std::string label() const;
  // Several lines: device, shape, dtype, and mean, standard deviation, least
  // and largest element of data and gradient.
  std::string debug_print() const;
  // The longest path from here to a leaf.
  int rank() const;
  bool requires_grad() const;
  // The function that made this variable, or null.
  FunctionNode* creator_node() const;
  VariableNode* node() const { return node_; }

  // Propagates gradients from here to all leaves, where they are added to what
  // is there. The gradient here starts as 1 when the data has one element,
  // otherwise set_grad must have been called (GradientError).
  void backward(const BackwardOptions& options = {}) const;
  // Cuts the link to the function that made this variable, or all links behind
  // it too. Data stay.
  void unchain() const;
  void unchain_backward() const;

  // Moves data and gradient; handles and graph stay.
  void to_device(Device device) const;

  // Whether both are handles of one variable.
  bool is_same(const Variable& other) const { return node_ == other.node_; }

  Variable(const Variable& other) noexcept;
  Variable(Variable&& other) noexcept
      : node_(std::exchange(other.node_, nullptr)) {}
  Variable& operator=(Variable other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Variable();

  // A variable without a name; the short way for functions.
  static Variable from_data(Array data, bool requires_grad);
  // A handle to a node of the graph.
  static Variable from_node(VariableNode* node);

 protected:
  // Takes over a node whose handle count is 1.
  explicit Variable(VariableNode* node) : node_(node) {}

  VariableNode& checked_node() const;

 private:
  VariableNode* node_ = nullptr;
};

// A Variable of data that needs no gradient.
Variable as_variable(Array data);

// A variable as an argument: it only refers to it, which spares the handle's
// count, so it must not outlive the call.
class VariableRef {
 public:
  VariableRef(const Variable& variable) : variable_(&variable) {}
  operator const Variable&() const { return *variable_; }
  const Variable& operator*() const { return *variable_; }
  const Variable* operator->() const { return variable_; }

 private:
  const Variable* variable_;
};
inline const Array& as_array(const Variable& variable) {
  return variable.data();
}

std::ostream& operator<<(std::ostream& os, const Variable& variable);

// Propagates from several outputs at once; grad_outputs, where given, stand for
// their gradients (an undefined one means: what the variable has, or 1).
void backward(const std::vector<Variable>& outputs,
              const std::vector<Variable>& grad_outputs = {},
              const BackwardOptions& options = {});

struct GradOptions {
  // Gradients of the outputs; ones where absent or undefined.
  std::vector<Variable> grad_outputs = {};
  // Values the results start from; zero where absent or undefined.
  std::vector<Variable> grad_inputs = {};
  // Also stores the results as the inputs' gradients.
  bool set_grad = false;
  // Also stores the gradients of everything on the way.
  bool retain_grad = false;
  bool enable_double_backprop = false;
  // Multiplies the ones that stand for absent grad_outputs.
  std::optional<double> loss_scale = std::nullopt;
};

// The gradients of the sum of the outputs with respect to the inputs, each
// undefined where no path leads. Only what lies between inputs and outputs is
// computed, and no gradient that is stored anywhere changes, unless asked.
std::vector<Variable> grad(const std::vector<Variable>& outputs,
                           const std::vector<Variable>& inputs,
                           const GradOptions& options = {});

}  // namespace catena
