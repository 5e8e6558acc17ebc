#include "catena/autograd/config_entry.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>

#include "catena/array/core/error.h"

namespace catena::internal {
namespace {

struct Entries {
  std::mutex mutex;
  std::map<std::string, const ShownSetting*, std::less<>> by_name;
  int64_t made = 0;
};
Entries& entries() {
  static Entries& instance = *new Entries;  // outlives global objects
  return instance;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  });
}

bool is_setting_of_config(const std::string& name) {
  std::ostringstream os;
  os << '\n';
  Config().show(os);
  return os.str().find('\n' + name + ' ') != std::string::npos;
}

}  // namespace

ShownSetting::ShownSetting(std::string name) : name_(std::move(name)) {
  if (!is_name(name_)) {
    raise<ValueError>(
        "ConfigEntry: expected a name of letters, digits and _, "
        "got '",
        name_, "'");
  }
  const bool is_in_config = is_setting_of_config(name_);
  const std::lock_guard lock(entries().mutex);
  if (is_in_config || !entries().by_name.emplace(name_, this).second) {
    raise<ValueError>("ConfigEntry: expected a new name, got '", name_,
                      "', which another setting has");
  }
  number_ = entries().made++;
}

ShownSetting::~ShownSetting() { remove(); }

void ShownSetting::remove() {
  const std::lock_guard lock(entries().mutex);
  const auto found = entries().by_name.find(name_);
  if (found != entries().by_name.end() && found->second == this) {
    entries().by_name.erase(found);
  }
}

void show_entries(std::ostream& os) {
  const std::lock_guard lock(entries().mutex);
  for (const auto& [name, entry] : entries().by_name) {
    os << name << ' ';
    entry->show_value(os);
    os << '\n';
  }
}

}  // namespace catena::internal
