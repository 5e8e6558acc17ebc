#pragma once

#include <span>
#include <string>

#include "catena/array/index.h"
#include "catena/array/indexing/getitem.h"

// Indexes as text, for descriptions of functions: "0, 1:3, ..., int64 (2,)".
namespace catena::functions {

std::string text_of(std::span<const Index> indexes);
std::string text_of(std::span<const AdvancedIndex> indexes);

}  // namespace catena::functions
