#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "catena/array/array.h"

namespace catena::datasets {

// Words and their ids.
using Vocabulary = std::map<std::string, int32_t, std::less<>>;

// The words of a text: 1-d int32 arrays of ids in a vocabulary.
struct WordSets {
  Array train;
  Array valid;
  Array test;
};

}  // namespace catena::datasets
