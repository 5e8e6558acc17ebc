#pragma once

#include "cub/block/block_threads.h"

namespace cub {

// Scans of the values of all threads, in the order of the threads.
template <class T, int threads>
class BlockScan {
 public:
  using TempStorage = emulation::SharedValues<T, threads>;

  explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  // Several values of each thread. `aggregate` is the reduction of all.
  template <int items, class Op>
  void InclusiveScan(const T (&input)[items], T (&output)[items], Op op,
                     T& aggregate) {
    T own[items];
    own[0] = input[0];
    for (int i = 1; i < items; ++i) own[i] = op(own[i - 1], input[i]);
    const unsigned index = emulation::own_index();
    scan(own[items - 1], op);
    for (int i = 0; i < items; ++i) {
      output[i] = index == 0 ? own[i] : op(storage_.get(index - 1), own[i]);
    }
    aggregate = storage_.total();
  }

  // The output of the first thread is `initial`, which is not in `aggregate`.
  template <class Op>
  void ExclusiveScan(const T& input, T& output, const T& initial, Op op,
                     T& aggregate) {
    const unsigned index = emulation::own_index();
    scan(input, op);
    output = index == 0 ? initial : op(initial, storage_.get(index - 1));
    aggregate = storage_.total();
  }

 private:
  // Leaves the inclusive scan in the storage.
  template <class Op>
  void scan(const T& value, Op op) {
    const unsigned own = emulation::own_index();
    storage_.enter("cub::BlockScan");
    storage_.set(own, value);
    catena::cuda::emulation::wait_for_block();
    if (own == 0) {
      T sum = value;
      for (unsigned i = 1; i < threads; ++i) {
        sum = op(sum, storage_.get(i));
        storage_.set(i, sum);
      }
      storage_.set_total(sum);
    }
    catena::cuda::emulation::wait_for_block();
    storage_.leave();
  }

  TempStorage& storage_;
};

}  // namespace cub
