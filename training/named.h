#pragma once

#include <map>
#include <string>
#include <string_view>

#include "catena/array/error.h"

namespace catena::training {

// The object of that name. If there is none, ValueError, starting with
// `operation` and listing the existing names.
template <class T>
T& find_named(const std::map<std::string, T*, std::less<>>& objects,
              std::string_view name, std::string_view operation,
              std::string_view kind) {
  if (const auto it = objects.find(name); it != objects.end()) {
    return *it->second;
  }
  std::string names;
  for (const auto& [other, unused] : objects) {
    names += (names.empty() ? "'" : ", '") + other + "'";
  }
  raise<ValueError>(operation, ": expected the name of an ", kind, " (", names,
                    "), got '", name, "'");
}

}  // namespace catena::training
