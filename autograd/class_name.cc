#include "catena/autograd/class_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace catena {

std::string class_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  std::string_view name = demangled ? demangled.get() : type.name();
  // Template arguments contain colons too.
  const size_t colons = name.substr(0, name.find('<')).rfind("::");
  if (colons != name.npos) name.remove_prefix(colons + 2);
  return std::string(name);
}

}  // namespace catena
