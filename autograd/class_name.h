#pragma once

#include <string>
#include <typeinfo>

namespace catena {

// The name of a class for people, without its namespaces.
std::string class_name(const std::type_info& type);

}  // namespace catena
