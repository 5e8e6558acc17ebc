#pragma once

#include "cub/device/device_call.h"

namespace cub {

struct DeviceSelect {
  // Writes the inputs whose flag is set, in order, and how many there are.
  template <class Input, class Flags, class Output, class Count, class N>
  static cudaError_t Flagged(void* storage, size_t& storage_bytes, Input input,
                             Flags flags, Output output, Count count, N size,
                             cudaStream_t stream = nullptr) {
    using emulation::Range;
    const Range ins[] = {{input, size}, {flags, size}};
    // How long the output is, is not known yet.
    const Range outs[] = {{output, size > 0 ? 1 : 0}, {count, 1}};
    bool valid = size >= 0;
    for (const Range& out : outs) {
      for (const Range& in : ins) valid = valid && !out.overlaps(in);
    }
    return emulation::run_with_storage(storage, storage_bytes, valid, stream,
                                       [=] {
                                         N selected = 0;
                                         for (N i = 0; i < size; ++i) {
                                           if (!flags[i]) continue;
                                           output[selected] = input[i];
                                           ++selected;
                                         }
                                         *count = selected;
                                       });
  }
};

}  // namespace cub
