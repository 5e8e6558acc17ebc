#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"

namespace catena::array {

// A list of existing names for the message about a missing one: all of them, up
// to 20; of more, those most similar to it: "'l1/W', 'l1/b' and 40 others".
// "none" if there are none.
std::string list_names(std::span<const std::string> names,
                       std::string_view missing);

// "; did you mean 'l1/W'?" if a name resembles the missing one, else nothing.
std::string suggest_name(std::span<const std::string> names,
                         std::string_view missing);

// The names of entries (name, ...) of a container.
template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.first);
  return names;
}

// Throws ValueError: "<operation>: expected the name of <kind> (those that
// exist), got '<missing>'".
[[noreturn]] void throw_unknown_name(std::string_view operation,
                                     std::string_view kind,
                                     std::span<const std::string> names,
                                     std::string_view missing);

}  // namespace catena::array
