#pragma once

#include "cub/block/block_threads.h"

namespace cub {

// The reduction of a value of each thread, in the order of the threads.
template <class T, int threads>
class BlockReduce {
 public:
  using TempStorage = emulation::SharedValues<T, threads>;

  explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  // Only thread 0 gets the result; the others' are undefined.
  template <class Op>
  T Reduce(const T& value, Op op) {
    const unsigned own = emulation::own_index();
    storage_.enter("cub::BlockReduce");
    storage_.set(own, value);
    catena::cuda::emulation::wait_for_block();
    storage_.leave();
    if (own != 0) return value;
    T sum = value;
    for (unsigned i = 1; i < threads; ++i) sum = op(sum, storage_.get(i));
    return sum;
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
