#pragma once

#include <functional>

#include "catena/array/array.h"
#include "catena/dataset/example.h"

// Internals of concat_examples and ConcatWithAsyncTransfer.
namespace catena::dataset {

// The same fields on a device, each array copied by `copy`. The arrays of a
// list are copied in one piece if they have the same dtype and device, since
// every copy to a GPU takes some time to start; they become views of it.
Example copy_fields(const Example& example, Device device,
                    const std::function<Array(const Array&)>& copy);

}  // namespace catena::dataset
