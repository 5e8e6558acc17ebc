#pragma once

#include <hdf5.h>

#include <string>

#include "catena/array/array.h"

namespace catena::serializers::hdf5 {

// Fills a contiguous array from the chunks of a dataset of the same shape and
// dtype. Chunk sizes are checked here, because the library would read past the
// end of a chunk whose data is too short. Supports the filters gzip, shuffle
// and fletcher32; every chunk must be present. IoError starting with `where`.
void read_chunks(hid_t dataset, hid_t type, hid_t creation, const Array& array,
                 const std::string& where);

}  // namespace catena::serializers::hdf5
