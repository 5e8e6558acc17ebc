#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/name_list.h"

namespace catena::training {

// Objects by name.
template <class T>
using NameMap = std::map<std::string, T*, std::less<>>;

// The object of that name. Throws ValueError, starting with `operation` and
// listing the existing names, when there is none.
template <class T>
T& find_named(const NameMap<T>& objects, std::string_view name,
              std::string_view operation, std::string_view kind) {
  if (const auto it = objects.find(name); it != objects.end()) {
    return *it->second;
  }
  array::throw_unknown_name(operation, str("an ", kind),
                            array::names_of(objects), name);
}

// The default object: "main" or the only one; null if there is neither.
template <class T>
T* main_or_null(const NameMap<T>& objects) {
  const auto it = objects.find("main");
  if (it != objects.end()) return it->second;
  return objects.size() == 1 ? objects.begin()->second : nullptr;
}

// The default object. Throws ValueError, starting with `operation` and listing
// the existing names, when there is none.
template <class T>
T& find_main(const NameMap<T>& objects, std::string_view operation,
             std::string_view kind) {
  if (T* const object = main_or_null(objects)) return *object;
  raise<ValueError>(operation, ": expected an ", kind,
                    " named 'main', or only one, got ",
                    array::list_names(array::names_of(objects), "main"));
}

}  // namespace catena::training
