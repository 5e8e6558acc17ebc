#include "catena/array/core/host_memory_limit.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string_view>

namespace catena::cpu {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

// The number at the start of a text; kNone for "max" and anything else.
int64_t number_in(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number > 0 ? number : kNone;
}

int64_t number_in_file(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return number_in(line);
}

// The least limit of a control group and of those that it is in. A container
// may see the path of its group outside, of which only the last, "/", is there.
int64_t limit_of_group(const std::string& folder, std::string path,
                       const std::string& file) {
  int64_t limit = kNone;
  for (;;) {
    limit = std::min(limit, number_in_file(folder + path + "/" + file));
    if (path.empty()) return limit;
    path.resize(path.rfind('/'));
  }
}

int64_t physical_memory(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  const std::string field = "MemTotal:";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(field)) continue;
    const size_t digits = line.find_first_not_of(' ', field.size());
    if (digits == std::string::npos) break;
    const int64_t kib = number_in(std::string_view(line).substr(digits));
    return kib < kNone / 1024 ? kib * 1024 : kNone;
  }
  return kNone;
}

bool names_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == "memory") return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

}  // namespace

int64_t host_memory_limit(const std::string& root) {
  int64_t limit = physical_memory(root);
  const std::string groups = root + "/sys/fs/cgroup";
  std::ifstream file(root + "/proc/self/cgroup");
  // "4:memory:/path" for version 1, "0::/path" for version 2.
  for (std::string line; std::getline(file, line);) {
    const size_t controllers = line.find(':') + 1;
    const size_t end = line.find(':', controllers);
    if (controllers == 0 || end == std::string::npos) continue;
    std::string path = line.substr(end + 1);
    if (path == "/") path.clear();
    if (!path.empty() && path.front() != '/') continue;
    if (end == controllers) {
      limit = std::min(limit, limit_of_group(groups, path, "memory.max"));
    } else if (names_memory(std::string_view(line).substr(controllers,
                                                          end - controllers))) {
      limit = std::min(limit, limit_of_group(groups + "/memory", path,
                                             "memory.limit_in_bytes"));
    }
  }
  return limit == kNone ? 0 : limit;
}

}  // namespace catena::cpu
