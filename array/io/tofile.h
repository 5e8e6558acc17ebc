#pragma once

#include <string>

#include "catena/array/array.h"

namespace catena::array {

struct TofileOptions {
  // What stands between the elements of a text file; a binary file when empty.
  std::string sep = "";
};

// Writes the elements in C order and nothing else, copied from their device:
// their bytes, or, with a separator, each as Python prints it ("1", "0.5",
// "True"; floats by their float64 value). The file appears complete or not at
// all. IoError.
void tofile(const Array& a, const std::string& path,
            const TofileOptions& options = {});

}  // namespace catena::array
