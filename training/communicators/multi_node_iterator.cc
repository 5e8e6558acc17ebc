#include "catena/training/communicators/multi_node_iterator.h"

namespace catena::training::communicators {

MultiNodeIterator::MultiNodeIterator(dataset::Iterator& iterator,
                                     Communicator& communicator)
    : iterator_(iterator),
      rank_(communicator.rank()),
      size_(communicator.size()) {
  if (!iterator.repeat()) {
    raise<ValueError>(
        "MultiNodeIterator: expected an iterator that repeats, so that all "
        "minibatches are full; to evaluate, use scatter_dataset");
  }
  if (iterator.batch_size() % size_ != 0) {
    raise<ValueError>(
        "MultiNodeIterator: expected a batch_size divisible by the number of "
        "ranks, ",
        size_, ", got ", iterator.batch_size());
  }
  communicator.bcast_state(iterator_);
}

dataset::NextBatch MultiNodeIterator::next() {
  const dataset::NextBatch batch = iterator_.next();
  if (!batch) return std::nullopt;
  return batch->share(rank_, size_);
}

}  // namespace catena::training::communicators
