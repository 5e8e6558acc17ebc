#include "catena/training/communicators/scatter_dataset.h"

#include <string>
#include <utility>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/take.h"

namespace catena::training::communicators {
namespace {

Array random_order(int64_t n, std::optional<uint64_t> seed) {
  if (!seed) return array::random::permutation(n, native_device());
  return array::random::Generator(*seed, native_device()).permutation(n);
}

}  // namespace

ScatteredDataset::ScatteredDataset(dataset::Dataset dataset, Array indices)
    : dataset_(std::move(dataset)), indices_(indices.contiguous()) {}

dataset::Example ScatteredDataset::get_example(int64_t i) const {
  return dataset_[indices_.data<int64_t>()[i]];
}

std::optional<dataset::Example> ScatteredDataset::gather(
    const Array& indices) const {
  return dataset_->gather(array::take(indices_, indices, 0));
}

ScatteredDataset scatter_dataset(const dataset::Dataset& dataset,
                                 Communicator& communicator,
                                 const ScatterDatasetOptions& options) {
  const int64_t n = dataset.size();
  const int64_t ranks = communicator.size();
  const int64_t rank = communicator.rank();
  if (n == 0) {
    raise<ValueError>("scatter_dataset: expected examples, got none");
  }
  const std::vector<std::string> sizes =
      communicator.allgather_bytes(std::to_string(n));
  for (int64_t other = 0; other < ranks; ++other) {
    if (sizes[other] == sizes[rank]) continue;
    raise<CommunicatorError>(
        "scatter_dataset: expected the same dataset on all ranks, but rank ",
        rank, " has ", n, " examples and rank ", other, " has ", sizes[other]);
  }
  Array order = array::arange(n, Dtype::kInt64, native_device());
  if (options.shuffle) {
    if (rank == options.root) order = random_order(n, options.seed);
    order = communicator.bcast(order, options.root);
  }
  const int64_t begin = n * rank / ranks;
  const int64_t end = n * (rank + 1) / ranks;
  std::vector<Array> parts = {order[{Slice(begin, end)}]};
  // A part is at most one example short.
  const bool is_short = end - begin < (n + ranks - 1) / ranks;
  if (options.force_equal_length && is_short) {
    const int64_t next = end % n;
    parts.push_back(order[{Slice(next, next + 1)}]);
  }
  return ScatteredDataset(dataset, array::concatenate(parts));
}

}  // namespace catena::training::communicators
