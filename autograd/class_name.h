#pragma once

#include <string>
#include <typeinfo>

namespace catena {

// The readable name of a class, without its namespaces.
std::string class_name(const std::type_info& type);

}  // namespace catena
