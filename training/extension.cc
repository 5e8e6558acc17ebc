#include "catena/training/extension.h"

#include <typeinfo>

#include "catena/array/core/error.h"
#include "catena/autograd/class_name.h"

namespace catena::training {

std::string Extension::default_name() const {
  const std::string name = qualified_class_name(typeid(*this));
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
