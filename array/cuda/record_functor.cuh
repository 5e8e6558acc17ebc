#pragma once

#include <type_traits>

#include "catena/array/work_record.h"

namespace catena::cuda {

// Adds a kernel's functor, whose numbers come from the host, to this thread's
// record of its work.
template <class Op>
void record_functor([[maybe_unused]] const void* op) {
  if constexpr (!std::is_empty_v<Op>) {
    if (WorkRecord* record = current_work_record()) {
      Op numbers = *static_cast<const Op*>(op);
      __builtin_clear_padding(&numbers);
      record->add_bytes(&numbers, sizeof(Op));
    }
  }
}

}  // namespace catena::cuda
