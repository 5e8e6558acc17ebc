#pragma once

#include <string>

#include "catena/array/array.h"

namespace catena::array {

struct TofileOptions {
  NamedFieldsOnly keywords = {};
  // The separator of elements in a text file; empty for a binary file.
  std::string sep = "";
  // How each element of a text file is written, in the syntax of printf with
  // one conversion: %s as Python prints it, or one of C's for integers (%5d) or
  // floats (%.3f), to which it is cast.
  std::string format = "%s";
};

// Writes the elements in C order without a header, from any device: as bytes
// or, with a separator, as text: by default as Python prints them ("1", "0.5",
// "True"; floats as float64). The write is atomic. Throws IoError, and
// ValueError for a format without exactly one of these conversions.
void tofile(const Array& a, const std::string& path,
            const TofileOptions& options = {});

}  // namespace catena::array
