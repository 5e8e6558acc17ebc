#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "catena/serializers/hdf5_messages.h"
#include "catena/serializers/hdf5_object.h"

// What objects have names for: the links of groups, and attributes.
namespace catena::serializers::hdf5 {

struct Link {
  // Whether it leads to an object in this file, by its address; links to a
  // path, or to another file, do not.
  bool is_hard = false;
  uint64_t address = kNoAddress;
};
using Links = std::map<std::string, Link, std::less<>>;

// Whether an object is a group.
bool is_group(const ObjectHeader& object);

// All links of a group, old or new. Throws IoError when they are damaged, or
// two have one name.
Links read_links(Walk& walk, const ObjectHeader& group);

// The attribute of this name, if the object has it. Throws IoError when it is
// damaged.
std::optional<Attribute> find_attribute(Walk& walk, const ObjectHeader& object,
                                        std::string_view name);

}  // namespace catena::serializers::hdf5
