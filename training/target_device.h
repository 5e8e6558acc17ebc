#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catena/links/link.h"

// Where the parameters of models are, and so where minibatches belong.
namespace catena::training {

// A parameter with its name, "main/predictor/l1/W", and its device, or the one
// that it will be initialized on.
struct PlacedParameter {
  std::string name;
  Device device;
  Parameter parameter;
};

// The devices of the parameters of one or several links.
struct Placement {
  std::optional<PlacedParameter> first = std::nullopt;
  // The first parameter on another device than that.
  std::optional<PlacedParameter> other = std::nullopt;

  bool is_split() const { return other.has_value(); }
  // Adds a link; the names of its parameters start with `name`.
  void add(std::string_view name, const Link& link);
};

// The device of all parameters; none if there are no parameters. Throws
// DeviceError when they are on several devices, with two of them; `operation`
// starts the message.
std::optional<Device> one_device(const Placement& placement,
                                 std::string_view operation);

// The device that an updater or evaluator moves minibatches to: the one that it
// was given, or that of its targets' parameters.
class MinibatchDevice {
 public:
  // `operation` must outlive it.
  MinibatchDevice(std::string_view operation,
                  const std::optional<Device>& given)
      : operation_(operation), given_(given) {}

  // one_device of the Placement that find() returns, which is called again only
  // after the targets have moved.
  template <class Find>
  std::optional<Device> get(const Find& find) const {
    if (given_) return given_;
    const bool is_known = first_.defined() && first_.is_initialized() &&
                          found_ == first_.device();
    if (!is_known) {
      const Placement placement = find();
      found_ = one_device(placement, operation_);
      first_ = placement.first ? placement.first->parameter : Parameter();
    }
    return found_;
  }

 private:
  std::string_view operation_;
  std::optional<Device> given_;
  mutable std::optional<Device> found_;
  mutable Parameter first_;
};

}  // namespace catena::training
