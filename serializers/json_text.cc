#include "catena/serializers/json_text.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace catena::serializers {

nlohmann::ordered_json parse_json(std::string_view text, int max_depth,
                                  JsonFaults& faults) {
  using nlohmann::ordered_json;
  using Event = ordered_json::parse_event_t;
  // At each depth, those of the object that is being read.
  std::vector<std::set<std::string>> names(static_cast<size_t>(max_depth) + 1);
  const auto check = [&](int depth, Event event, ordered_json& value) {
    const bool opens =
        event == Event::object_start || event == Event::array_start;
    faults.is_deep |= opens && depth >= max_depth;
    if (faults.is_deep) return false;
    const auto level = static_cast<size_t>(depth);
    if (event == Event::object_start) names[level + 1].clear();
    if (event == Event::key) {
      faults.has_doubles |=
          !names[level].insert(value.get<std::string>()).second;
    }
    return true;
  };
  return ordered_json::parse(text, check, /*allow_exceptions=*/false);
}

}  // namespace catena::serializers
