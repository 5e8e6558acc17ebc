#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "catena/dataset/dataset_mixin.h"

namespace catena::dataset {

// A list of examples, returned by an iterator and passed to a converter. It
// holds examples, or arrays of stacked examples, or a dataset and indices from
// which examples are read on demand.
class Batch {
 public:
  Batch(std::vector<Example> examples);
  // `indices` is 1-d, int64, on native:0, each in [0, dataset.size()).
  Batch(Dataset dataset, Array indices);
  // The rows of these arrays, (N, ...) each. Throws ValueError when there are
  // no arrays, ShapeError when their first axes differ.
  static Batch of_rows(Example stacked);

  int64_t size() const;
  // Throws IndexError when there is no such example; negative indices count
  // from the end.
  Example operator[](int64_t index) const;
  std::vector<Example> examples() const;
  // The same examples, said to be those of a dataset at `indices`: size()
  // numbers, as above.
  Batch with_indices(Array indices) const;
  // The index in the dataset of an example in [0, size()), for messages;
  // nullopt if the batch does not know it.
  std::optional<int64_t> index_in_dataset(int64_t index) const;

  // The examples first, first + step, first + 2 step, ...: the part of one of
  // `step` workers. Throws ValueError unless 0 <= first and 1 <= step.
  Batch share(int64_t first, int64_t step) const;

  // The examples with their arrays stacked, if that is faster than reading them
  // one by one, otherwise nullopt. Arrays that are already stacked are returned
  // without a copy.
  std::optional<Example> gather() const;

 private:
  struct Source;

  explicit Batch(std::shared_ptr<const Source> source);

  // Copies of a batch share it.
  std::shared_ptr<const Source> source_;
  Array indices_;  // of the examples in the dataset, if they are known
};

}  // namespace catena::dataset
