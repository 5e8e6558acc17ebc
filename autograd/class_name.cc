#include "catena/autograd/class_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace catena {

std::string qualified_class_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return demangled ? demangled.get() : type.name();
}

std::string class_name(const std::type_info& type) {
  const std::string name = qualified_class_name(type);
  // Template arguments contain colons too.
  const size_t colons = name.substr(0, name.find('<')).rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

}  // namespace catena
