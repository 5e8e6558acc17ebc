#include "catena/dataset/loaded_library.h"

#include <dlfcn.h>

#include "catena/array/core/error.h"

namespace catena::dataset {
namespace {

void* or_throw(std::string_view name, void* found) {
  if (found == nullptr) {
    raise<IoError>(name, " cannot be loaded: ", dlerror());
  }
  return found;
}

}  // namespace

LoadedLibrary::LoadedLibrary(std::string_view name, const char* file)
    : name_(name), library_(or_throw(name, dlopen(file, RTLD_NOW))) {}

void* LoadedLibrary::address_of(const char* function_name) const {
  return or_throw(name_, dlsym(library_, function_name));
}

}  // namespace catena::dataset
