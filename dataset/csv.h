#pragma once

#include <cstdint>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::dataset {

struct ReadCsvOptions {
  char delimiter = ',';
  int64_t skip_header = 0;  // lines to leave out at the start
  LoadLimits limits = {};
};

// A table of numbers as float64 (rows, columns), from a text file that may be
// compressed by gzip. Numbers are written as in C++, whatever the locale; lines
// end with LF or CRLF; empty lines at the end are left out. IoError naming
// file, line, expected and actual.
Array read_csv(const std::string& path, const ReadCsvOptions& options = {});

}  // namespace catena::dataset
