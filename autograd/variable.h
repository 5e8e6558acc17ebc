#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "catena/array/array.h"
#include "catena/array/axis.h"
#include "catena/array/core/storage.h"

namespace catena {

class FunctionNode;
class Variable;
class VariableNode;

namespace functions {
struct AverageOptions;
struct MaxOptions;
struct MinOptions;
struct SumOptions;
struct VariableMethods;  // defined in functions/math/variable_methods.h
}  // namespace functions

// The inputs and outputs of functions. Most functions have one or two.
using Arrays = absl::InlinedVector<Array, 2>;
using Variables = absl::InlinedVector<Variable, 2>;

// What Chainer 1 called volatile: whether functions of a variable leave out the
// graph (on), record it (off), or do as the other inputs say (auto, of arrays
// and parameters). An input that is on and one that is off throw ValueError.
// New programs use no_backprop_mode().
enum class Flag : uint8_t { kAuto = 0, kOff = 1, kOn = 2 };
std::ostream& operator<<(std::ostream& os, Flag flag);

// The flag of what is computed from inputs with these flags.
Flag aggregate_flags(std::span<const Flag> flags);

struct VariableOptions {
  NamedFieldsOnly keywords = {};
  std::string name = {};
  bool requires_grad = true;
  Flag volatility = Flag::kOff;
};

struct BackwardOptions {
  NamedFieldsOnly keywords = {};
  // Keeps the gradients of intermediate variables, which are otherwise freed as
  // soon as they have been used.
  bool retain_grad = false;
  // Records the backward computation, so that gradients can be differentiated.
  bool enable_double_backprop = false;
  // Multiplies the initial gradient of 1.
  std::optional<double> loss_scale = std::nullopt;
};

// An array that remembers how it was computed. A Variable is a handle: copies
// share data and gradient, as in Python. A default-constructed Variable is
// undefined, like None; using its data throws ValueError.
//
//   const Variable x(array);  // gets a gradient
//   F::relu(array);           // an array in place of a variable is a constant
class Variable {
 public:
  Variable() = default;
  explicit Variable(Array data, const VariableOptions& options = {});
  // The conversion of an argument, as by as_variable(): it gets no gradient. An
  // undefined array becomes an undefined variable. (A template, so that
  // Variable(array) is the constructor above.)
  template <int = 0>
  Variable(Array data)
      : Variable(data.defined() ? from_data(std::move(data), false)
                                : Variable()) {}

  bool defined() const { return node_ != nullptr; }

  // The array; undefined for an uninitialized parameter.
  const Array& data() const&;
  Array data() && { return std::as_const(*this).data(); }
  const Array& array() const& { return data(); }
  Array array() && { return std::as_const(*this).data(); }
  // Replaces the array, not its elements. Clears a gradient that does not
  // match.
  void set_data(Array data) const;

  // The gradient as an array, undefined when there is none, and as a variable,
  // which has a graph after backward({.enable_double_backprop = true}).
  Array grad() const;
  Variable grad_var() const;
  // The gradient, for in-place changes; copied first when its memory is shared.
  Array mutable_grad() const;
  // Throws ShapeError, DtypeError or DeviceError unless the gradient has the
  // data's shape, dtype and device.
  void set_grad(const Array& grad) const;
  void set_grad_var(const Variable& grad) const;
  void cleargrad() const;
  // Fills the gradient with zeros.
  void zerograd() const;
  // Adds the gradient of `other`, moved to this device; a missing gradient
  // counts as zero.
  void addgrad(const Variable& other) const;
  void addgrad(const Array&) const = delete;  // an array has no gradient
  // Copies the elements of `other`, from any device. Throws ShapeError when
  // shapes differ.
  void copydata(const Variable& other) const;

  const Shape& shape() const& { return data().shape(); }
  Shape shape() && { return std::as_const(*this).data().shape(); }
  int ndim() const { return data().ndim(); }
  int64_t size() const { return data().size(); }
  // The length of the first axis. Throws ShapeError for 0-d.
  int64_t len() const;
  Dtype dtype() const { return data().dtype(); }
  Device device() const { return data().device(); }
  // The only element, as by Array::item. No gradient flows.
  template <Element T>
  T item() const {
    return data().item<T>();
  }

  // The differentiable functions of the same names. They are defined in
  // functions/math/variable_methods.h, since autograd knows no functions.
  //
  // functions::get_item: x[0], x[{0, Slice(1, 3)}], x[mask], x[indices].
  template <class M = functions::VariableMethods>
  Variable operator[](int64_t index) const {
    return methods<M>().get_item(*this, index);
  }
  template <class M = functions::VariableMethods>
  Variable operator[](
      const std::initializer_list<typename M::Index>& indexes) const {
    return methods<M>().get_item(*this, indexes);
  }
  template <class M = functions::VariableMethods>
  Variable operator[](const Array& indices) const {
    return methods<M>().get_item(*this, indices);
  }
  // x.reshape({2, -1}) or x.reshape(2, -1).
  template <class M = functions::VariableMethods>
  Variable reshape(const Shape& shape) const {
    return methods<M>().reshape(*this, shape);
  }
  template <std::integral First, std::integral... Others>
  Variable reshape(First extent, Others... extents) const {
    return reshape(
        Shape{static_cast<int64_t>(extent), static_cast<int64_t>(extents)...});
  }
  // x.transpose(), x.transpose({1, 0}) or x.transpose(1, 0).
  template <class M = functions::VariableMethods>
  Variable transpose(const Axes& axes = {}) const {
    return methods<M>().transpose(*this, axes);
  }
  template <std::integral First, std::integral... Others>
  Variable transpose(First axis, Others... axes) const {
    return transpose(
        Axes{static_cast<int64_t>(axis), static_cast<int64_t>(axes)...});
  }
  template <class M = functions::VariableMethods>
  Variable T() const {
    return methods<M>().transpose(*this, {});
  }
  // x.sum(), x.sum(0), x.sum({0, 1}), x.sum({.axis = 0, .keepdims = true}).
  Variable sum(const functions::SumOptions& options) const;
  template <class M = functions::VariableMethods>
  Variable sum(const AxisSet& axis = {}) const {
    return methods<M>().sum(*this, {.axis = axis});
  }
  Variable mean(const functions::AverageOptions& options) const;
  template <class M = functions::VariableMethods>
  Variable mean(const AxisSet& axis = {}) const {
    return methods<M>().mean(*this, {.axis = axis});
  }
  Variable max(const functions::MaxOptions& options) const;
  template <class M = functions::VariableMethods>
  Variable max(const AxisSet& axis = {}) const {
    return methods<M>().max(*this, {.axis = axis});
  }
  Variable min(const functions::MinOptions& options) const;
  template <class M = functions::VariableMethods>
  Variable min(const AxisSet& axis = {}) const {
    return methods<M>().min(*this, {.axis = axis});
  }

  // For messages and drawings of graphs.
  const std::string& name() const&;
  std::string name() && { return std::as_const(*this).name(); }
  void set_name(std::string name) const;
  // "(2, 3), float32", prefixed by the name if there is one.
  std::string label() const;
  // Several lines: device, shape, dtype, and the mean, standard deviation,
  // minimum and maximum of data and gradient.
  std::string debug_print() const;
  // The longest path from here to a leaf.
  int rank() const;
  bool requires_grad() const;
  Flag volatility() const;
  // For functions that are applied later.
  void set_volatility(Flag flag) const;
  // The function that computed this variable, or null.
  FunctionNode* creator_node() const;
  VariableNode* node() const { return node_; }

  // Propagates gradients from this variable to all leaves and adds them to the
  // leaves' gradients. Starts with gradient 1 if the data has one element;
  // otherwise throws GradientError when set_grad was not called.
  void backward(const BackwardOptions& options = {}) const;
  // Disconnects this variable from the function that computed it;
  // unchain_backward also disconnects all functions behind it. Data is kept.
  void unchain() const;
  void unchain_backward() const;

  // Moves data and gradient; handles and graph stay valid.
  void to_device(Device device) const;

  // Whether both are handles of the same variable.
  bool is_same(const Variable& other) const { return node_ == other.node_; }

  Variable(const Variable& other) noexcept;
  Variable(Variable&& other) noexcept
      : node_(std::exchange(other.node_, nullptr)) {}
  Variable& operator=(Variable other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  // Inline, since most handles within the library have been moved from.
  ~Variable() {
    if (node_ != nullptr) release(node_);
  }

  // Creates a variable without a name, with less overhead, for functions.
  static Variable from_data(Array data, bool requires_grad);
  // A handle to an existing node of the graph.
  static Variable from_node(VariableNode* node);
  // The same, but undefined if the node has no handle.
  static Variable try_from_node(VariableNode* node);

 protected:
  // Takes over a node whose handle count is 1.
  explicit Variable(VariableNode* node) : node_(node) {}

  VariableNode& checked_node() const;

 private:
  template <class M>
  static constexpr auto methods() {
    static_assert(
        requires { sizeof(M); },
        "x.reshape(), x[0] and other methods of Variable need "
        "#include \"catena/functions/math/variable_methods.h\"");
    return M();
  }

  static void release(VariableNode* node) noexcept;

  VariableNode* node_ = nullptr;
};

// Wraps data as a Variable that does not require a gradient.
Variable as_variable(Array data);

// A reference to a variable, as an argument. It avoids updating the handle
// count, and must not outlive the call.
class VariableRef {
 public:
  VariableRef(const Variable& variable) : variable_(&variable) {}
  operator const Variable&() const { return *variable_; }
  const Variable& operator*() const { return *variable_; }
  const Variable* operator->() const { return variable_; }

 private:
  const Variable* variable_;
};
// The array of a variable, or the array itself.
inline const Array& as_array(const Variable& variable) {
  return variable.data();
}
inline Array as_array(Variable&& variable) { return variable.data(); }

std::ostream& operator<<(std::ostream& os, const Variable& variable);

// Propagates from several outputs at once. grad_outputs, if given, replace
// their gradients; an undefined entry means the variable's own gradient, or 1.
void backward(const std::vector<Variable>& outputs,
              const std::vector<Variable>& grad_outputs = {},
              const BackwardOptions& options = {});

struct GradOptions {
  NamedFieldsOnly keywords = {};
  // Gradients of the outputs; ones where absent or undefined.
  std::vector<Variable> grad_outputs = {};
  // Initial values of the results; zero where absent or undefined.
  std::vector<Variable> grad_inputs = {};
  // Also stores the results as the inputs' gradients.
  bool set_grad = false;
  // Also stores the gradients of all intermediate variables.
  bool retain_grad = false;
  bool enable_double_backprop = false;
  // Multiplies the ones used for absent grad_outputs.
  std::optional<double> loss_scale = std::nullopt;
};

// The gradients of the sum of the outputs with respect to the inputs; undefined
// where an input does not reach the outputs. Computes only what lies between
// inputs and outputs, and changes no stored gradient unless requested.
std::vector<Variable> grad(const std::vector<Variable>& outputs,
                           const std::vector<Variable>& inputs,
                           const GradOptions& options = {});

}  // namespace catena
