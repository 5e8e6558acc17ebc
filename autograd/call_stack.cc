#include "catena/autograd/call_stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>

#include "absl/debugging/symbolize.h"
#include "catena/array/core/error.h"

namespace catena {
namespace {

std::string function_at(const void* address) {
  std::array<char, 1024> name{};
  if (!absl::Symbolize(address, name.data(), name.size())) return {};
  return name.data();
}

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

// "file:line", empty if unknown.
std::string line_of(const void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (::dladdr1(address, &info, reinterpret_cast<void**>(&map),
                RTLD_DL_LINKMAP) == 0 ||
      map == nullptr) {
    return {};
  }
  std::string file = map->l_name;
  if (file.empty()) {  // the program itself
    std::array<char, PATH_MAX> path{};
    if (::readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) {
      return {};
    }
    file = path.data();
  }
  std::array<char, 32> offset{};
  std::snprintf(offset.data(), offset.size(), "%#zx",
                reinterpret_cast<uintptr_t>(address) - map->l_addr);
  const std::string command =
      str("addr2line -e ", quoted(file), " ", offset.data(), " 2>/dev/null");
  const std::unique_ptr<FILE, int (*)(FILE*)> output(
      ::popen(command.c_str(), "r"), &::pclose);
  std::array<char, 4096> text{};
  if (output == nullptr ||
      std::fgets(text.data(), text.size(), output.get()) == nullptr) {
    return {};
  }
  std::string line = text.data();
  // "file:12 (discriminator 2)"
  line.resize(std::min(line.size(), line.find_first_of(" \n")));
  return line.starts_with("?") || line.ends_with("?") ? std::string() : line;
}

std::string describe(const void* address, const std::string& function) {
  const std::string line = line_of(address);
  const std::string name = function.empty() ? "an unknown function" : function;
  return line.empty() ? name : str(name, " at ", line);
}

// What stands between a user's code and catena's.
bool is_library(std::string_view function) {
  for (const std::string_view prefix :
       {"catena::", "std::", "testing::", "absl::", "__"}) {
    if (function.starts_with(prefix)) return true;
  }
  return function.empty();
}

}  // namespace

CallStack CallStack::current() {
  constexpr int kDepth = 64;
  std::array<void*, kDepth> returns{};
  const int count = ::backtrace(returns.data(), kDepth);
  CallStack stack;
  // Without this function. A call ends before the instruction to return to.
  for (int i = 1; i < count; ++i) {
    stack.addresses_.push_back(static_cast<char*>(returns[i]) - 1);
  }
  return stack;
}

std::string CallStack::to_string() const {
  std::string text;
  for (const void* address : addresses_) {
    text += describe(address, function_at(address)) + "\n";
  }
  return text;
}

std::string CallStack::caller() const {
  for (const void* address : addresses_) {
    const std::string function = function_at(address);
    if (!is_library(function)) return describe(address, function);
  }
  return {};
}

}  // namespace catena
