#include "catena/array/core/name_list.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "catena/array/core/quote.h"

namespace catena::array {
namespace {

constexpr size_t kMaxListed = 20;
constexpr size_t kSimilar = 5;
// Names beyond these limits are not compared, since that takes time.
constexpr size_t kMaxCompared = 10000;
constexpr size_t kMaxLength = 100;

// Levenshtein's distance.
size_t distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMaxLength);
  b = b.substr(0, kMaxLength);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string list_names(std::span<const std::string> names,
                       std::string_view missing) {
  if (names.empty()) return "none";
  std::vector<std::string_view> listed(names.begin(), names.end());
  if (names.size() > kMaxListed) {
    std::vector<std::pair<size_t, std::string_view>> nearest;
    for (const std::string& name :
         names.first(std::min(names.size(), kMaxCompared))) {
      nearest.emplace_back(distance(name, missing), name);
    }
    std::ranges::partial_sort(nearest, nearest.begin() + kSimilar);
    listed.clear();
    for (size_t i = 0; i < kSimilar; ++i) listed.push_back(nearest[i].second);
  }
  std::string text;
  for (const std::string_view name : listed) {
    text += (text.empty() ? "" : ", ") + quote(name);
  }
  if (listed.size() < names.size()) {
    text += " and " + std::to_string(names.size() - listed.size()) + " others";
  }
  return text;
}

std::string suggest_name(std::span<const std::string> names,
                         std::string_view missing) {
  std::pair<size_t, std::string_view> nearest(missing.size() / 3 + 2, "");
  for (const std::string& name :
       names.first(std::min(names.size(), kMaxCompared))) {
    nearest = std::min(nearest, {distance(name, missing), name});
  }
  if (nearest.second.empty() || nearest.first >= missing.size()) return "";
  return "; did you mean " + quote(nearest.second) + "?";
}

void throw_unknown_name(std::string_view operation, std::string_view kind,
                        std::span<const std::string> names,
                        std::string_view missing) {
  raise<ValueError>(operation, ": expected the name of ", kind, " (",
                    list_names(names, missing), "), got ", quote(missing),
                    suggest_name(names, missing));
}

}  // namespace catena::array
