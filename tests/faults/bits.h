#pragma once

#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/npz.h"
#include "catena/array/io/text_table.h"
#include "catena/dataset/example.h"
#include "catena/links/link.h"

// Everything that a value holds, as bytes to compare.
namespace catena::testing {

// With dtype and shape.
std::string bits_of(const Array& a);
std::string bits_of(const std::vector<std::string>& texts);
std::string bits_of(const array::NpzContents& contents);
std::string bits_of(const array::TextTable& table);
std::string bits_of(const dataset::Example& example);
// The parameters, with their names.
std::string bits_of(Link& link);

}  // namespace catena::testing
