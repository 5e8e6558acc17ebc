#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/autograd/variable.h"

namespace catena {

// Fills a new array with a parameter's initial values. Links take one for each
// of their parameters; see links/initializers.
using InitializerFunction = std::function<void(const Array& out)>;

// Fills new parameters.
class Initializer {
 public:
  // Zeros, in config().dtype.
  Initializer() = default;
  // All elements equal `value`.
  Initializer(Scalar value);
  // The values of an array on any device, which is broadcast to the parameter's
  // shape. Initializing the parameter throws ShapeError when it cannot be.
  Initializer(Array values);
  template <class T>
  requires Element<T> Initializer(T value) : Initializer(Scalar(value)) {}
  // Any callable that fills an array, e.g. initializers::Normal(0.01).
  template <class F>
  requires std::invocable<const F&, const Array&> Initializer(
      F fill, std::optional<Dtype> dtype = std::nullopt)
      : fill_(std::move(fill)), dtype_(dtype) {}

  void operator()(const Array& out) const;
  // The parameter's dtype, if the initializer determines it.
  std::optional<Dtype> dtype() const { return dtype_; }

 private:
  InitializerFunction fill_;
  std::optional<Dtype> dtype_;
};

class Parameter;

// Undoes, if an exception ends the scope, what was initialized in it on its
// thread, so that a first call with a wrong input leaves parameters as they
// were. Scopes within another do nothing.
class [[nodiscard]] InitializationScope {
 public:
  InitializationScope();
  ~InitializationScope();
  InitializationScope(const InitializationScope&) = delete;
  InitializationScope& operator=(const InitializationScope&) = delete;

  // Says how to undo an initialization; nothing outside of scopes.
  static void add(std::function<void()> undo);

 private:
  bool is_outermost_;
  std::vector<std::function<void()>> undo_;
};

// What an optimizer attaches to a parameter to update it.
class UpdateRuleBase {
 public:
  virtual ~UpdateRuleBase() = default;
  // Changes the parameter by its gradient.
  virtual void update(const Parameter& parameter) = 0;

  // A disabled rule leaves its parameter unchanged.
  bool enabled() const { return enabled_; }
  void set_enabled(bool enabled) { enabled_ = enabled; }

 private:
  bool enabled_ = true;
};

// A variable that a link owns and an optimizer changes. Its shape may be left
// open until the first use; until then, data and gradient are undefined.
class Parameter : public Variable {
 public:
  Parameter() = default;
  // Without a shape, initialize() sets it later.
  explicit Parameter(Initializer initializer,
                     std::optional<Shape> shape = std::nullopt,
                     std::string name = {});
  // Initialized with these values.
  explicit Parameter(const Array& data, std::string name = {});

  bool is_initialized() const { return data().defined(); }
  // Allocates and fills the data on the parameter's device. If already
  // initialized, only checks the shape, and throws ShapeError when it differs.
  void initialize(const Shape& shape) const;
  // Takes `data` over without calling the initializer, as the array that a file
  // had. Throws ValueError when already initialized, DeviceError unless it is
  // on the parameter's device.
  void initialize(const Array& data) const;
  const Initializer& initializer() const;

  // Before initialization, sets the device to initialize on.
  void to_device(Device device) const;
  // Reorders data of four or more axes, and its gradient, in memory so that
  // axis 1 is last (array/channels_last.h), before initialization once it has a
  // shape. Copies, moved data and gradients stay so.
  void to_channels_last() const;
  // As for any variable. Before initialization, zerograd() takes effect in
  // initialize(); a frozen parameter stays without a gradient.
  void cleargrad() const;
  void zerograd() const;
  // Copies the elements of `other`. A parameter that is not initialized gets
  // the shape and data of `other`, without calling the initializer; if `other`
  // is not, it is initialized first. Throws ShapeError when shapes differ.
  void copydata(const Parameter& other) const;

  // Whether backward passes compute a gradient and optimizers update the data;
  // a new parameter has both. freeze() clears the gradient. Both take effect
  // from the next forward pass on: a graph that was recorded before must not be
  // used for gradients any more.
  void freeze() const;
  void unfreeze() const;
  bool is_frozen() const { return !requires_grad(); }

  // Calls the update rule, if there is one.
  void update() const;
  const std::shared_ptr<UpdateRuleBase>& update_rule() const;
  void set_update_rule(std::shared_ptr<UpdateRuleBase> rule) const;

  // Counts changes of the data, so that values derived from it can be cached.
  int64_t version() const;
  void bump_version() const;

  // How to copy a parameter into a new one with the same name and initializer.
  enum class CopyMode {
    kShare,  // the same array
    kInit,   // initialized again
    kCopy,   // a copy of the array
  };
  Parameter clone(CopyMode mode) const;

 private:
  struct Node;
  Node& parameter_node() const;
  void initialize_with(const Shape& shape,
                       const InitializerFunction& fill) const;
};

}  // namespace catena
