#pragma once

#include "catena/array/io/npy_value.h"
#include "catena/serializers/serializer.h"

// How entries are stored in .npz files.
namespace catena::serializers {

// bfloat16, which the format lacks, becomes float32.
array::NpyValue to_npy_value(SerializedValue value);

// Throws DtypeError for an array of several strings.
SerializedValue from_npy_value(const array::NpyValue& value);

}  // namespace catena::serializers
