#pragma once

#include <cstdint>
#include <optional>

#include "catena/dataset/dataset_mixin.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

struct ScatterDatasetOptions {
  NamedFieldsOnly keywords = {};
  // Whether to shuffle the examples first, in the random order of rank `root`.
  bool shuffle = false;
  // The seed of that order; defaults to one drawn from native:0's generator.
  std::optional<uint64_t> seed = std::nullopt;
  int root = 0;
  // Whether to give all parts the same length by putting some examples in two
  // parts. Ranks with parts of different lengths do not finish epochs together.
  bool force_equal_length = true;
};

// A rank's part of a dataset, given by indices.
class ScatteredDataset final : public dataset::DatasetMixin {
 public:
  // `indices` are 1-d, int64, and within the dataset.
  ScatteredDataset(dataset::Dataset dataset, Array indices);

  int64_t size() const override { return indices_.size(); }
  dataset::Example get_example(int64_t i) const override;
  std::optional<dataset::Example> gather(const Array& indices) const override;

 private:
  dataset::Dataset dataset_;
  Array indices_;
};

// This rank's part of a dataset that every rank has or can read: consecutive
// examples in the dataset's order or in a random order. Only the order is sent.
// Throws ValueError for an empty dataset or a root that is not a rank;
// CommunicatorError when the sizes of the ranks' datasets differ.
ScatteredDataset scatter_dataset(const dataset::Dataset& dataset,
                                 Communicator& communicator,
                                 const ScatterDatasetOptions& options = {});

}  // namespace catena::training::communicators
