#pragma once

#include <string>

#include "catena/array/array.h"

namespace catena::array {

struct TofileOptions {
  // The separator of elements in a text file; empty for a binary file.
  std::string sep = "";
};

// Writes the elements in C order without a header, from any device: as bytes
// or, with a separator, as Python prints them ("1", "0.5", "True"; floats as
// float64). The write is atomic. Throws IoError.
void tofile(const Array& a, const std::string& path,
            const TofileOptions& options = {});

}  // namespace catena::array
