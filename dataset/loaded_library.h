#pragma once

#include <string>
#include <string_view>

namespace catena::dataset {

// A shared library that is loaded when it is needed: linking it would delay
// every start of a program. It stays loaded.
class LoadedLibrary {
 public:
  // Loads `file`. Throws IoError, naming the library, when that fails.
  LoadedLibrary(std::string_view name, const char* file);

  // Sets `function` to the library's. Throws IoError when it has none of that
  // name.
  template <class Function>
  void find(const char* function_name, Function*& function) const {
    function = reinterpret_cast<Function*>(address_of(function_name));
  }

 private:
  void* address_of(const char* function_name) const;

  std::string name_;
  void* library_;
};

}  // namespace catena::dataset
