#include "catena/training/extension.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "catena/array/error.h"

namespace catena::training {

std::string Extension::default_name() const {
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, nullptr),
      &std::free);
  const std::string name = text ? text.get() : "Extension";
  return name.substr(name.rfind(':') + 1);
}

FunctionExtension make_extension(std::function<void(Trainer&)> function,
                                 const MakeExtensionOptions& options) {
  if (!function) {
    raise<ValueError>("make_extension: expected a function, got none");
  }
  return {std::move(function), options};
}

}  // namespace catena::training
