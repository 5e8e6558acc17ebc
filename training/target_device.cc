#include "catena/training/target_device.h"

#include <utility>
#include <vector>

#include "catena/array/core/error.h"

namespace catena::training {
namespace {

// The device of the link that owns a parameter, on which it will be
// initialized. Children come after their parents.
Device device_of_owner(const std::vector<std::pair<std::string, Link*>>& links,
                       std::string_view param) {
  Device device;
  for (const auto& [path, link] : links) {
    if (path == "/" || param.starts_with(path + "/")) device = link->device();
  }
  return device;
}

}  // namespace

void Placement::add(std::string_view name, const Link& link) {
  // Traversal does not change the link.
  const auto links = const_cast<Link&>(link).namedlinks();
  for (const auto& [path, param] : link.namedparams()) {
    const Device device =
        param.is_initialized() ? param.device() : device_of_owner(links, path);
    if (first && (other || device == first->device)) continue;
    (first ? other : first) = PlacedParameter{str(name, path), device, param};
  }
}

std::optional<Device> one_device(const Placement& placement,
                                 std::string_view operation) {
  const auto& [first, other] = placement;
  if (!first) return std::nullopt;
  if (!other) return first->device;
  raise<DeviceError>(
      operation,
      ": expected to be told a device for minibatches, since the parameters "
      "are on several: ",
      first->name, " on ", first->device, ", ", other->name, " on ",
      other->device);
}

}  // namespace catena::training
