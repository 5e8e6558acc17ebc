#pragma once

#include <cstdint>

#include "catena/array/kernel_slot.h"
#include "catena/array/take.h"

// The slots behind take.h. Indices are contiguous int64 on args.device.
namespace catena::array {

// An array seen as (outer, extent, inner): the axes before the indexed one,
// that axis, and contiguous bytes.
struct IndexedArgs {
  Device device;
  IndexMode mode;  // kRaise promises that every index is in range
  int64_t outer;
  int64_t extent;        // at least 1
  int64_t inner_bytes;   // of one slice, a multiple of the item's size
  int64_t outer_stride;  // bytes
  int64_t axis_stride;   // bytes
  char* array;
  const int64_t* indices;
  int64_t count;
  // (outer, count, inner), contiguous: what take writes and scatter reads.
  char* values;
};

using TakeKernel = void(const IndexedArgs& args, int64_t item_size);
// The position of the first index outside [-extent, extent), or -1.
using FindBadIndexKernel = int64_t(Device device, const int64_t* indices,
                                   int64_t count, int64_t extent);
// The values of one element are applied in the order of the indices.
using ScatterKernel = void(const IndexedArgs& args);
using ScatterTable = DtypeTable<ScatterKernel>;

extern KernelSlot<TakeKernel> take_slot;
extern KernelSlot<FindBadIndexKernel> find_bad_index_slot;
extern KernelSlot<ScatterTable> scatter_add_slot;
extern KernelSlot<ScatterTable> scatter_update_slot;

// The slice that an index means; `mode` as in IndexedArgs.
CATENA_HOST_DEVICE int64_t resolve_index(int64_t index, int64_t extent,
                                         IndexMode mode) {
  if (mode == IndexMode::kWrap) {
    index %= extent;
  } else if (mode == IndexMode::kClip) {
    return index < 0 ? 0 : (index < extent ? index : extent - 1);
  }
  return index < 0 ? index + extent : index;
}

}  // namespace catena::array
