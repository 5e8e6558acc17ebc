#pragma once

#include <hdf5.h>

#include <string>

#include "catena/array/array.h"

namespace catena::serializers::hdf5 {

// Fills a contiguous array from the chunks of a dataset of its shape and dtype,
// taking nothing from the file on trust: the library would copy a chunk whose
// data are too short together with what lies behind them in memory. Filters are
// gzip, shuffle and fletcher32; every chunk has to be there. IoError starting
// with `where`.
void read_chunks(hid_t dataset, hid_t type, hid_t creation, const Array& array,
                 const std::string& where);

}  // namespace catena::serializers::hdf5
