#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace catena::serializers {

// What JSON allows, but our readers do not.
struct JsonFaults {
  bool has_doubles = false;  // two entries of one name in an object
  bool is_deep = false;      // more levels than max_depth
};

// Parses a value with unique names; otherwise returns a discarded value. What
// is nested too deep is not kept, since printing it would take a stack frame
// for each level.
nlohmann::ordered_json parse_json(std::string_view text, int max_depth,
                                  JsonFaults& faults);

}  // namespace catena::serializers
