#pragma once

#include <string>
#include <typeinfo>

namespace catena {

// The readable name of a class, "catena::links::Linear", and without its
// namespaces, "Linear".
std::string qualified_class_name(const std::type_info& type);
std::string class_name(const std::type_info& type);

}  // namespace catena
