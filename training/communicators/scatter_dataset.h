#pragma once

#include <cstdint>
#include <optional>

#include "catena/dataset/dataset.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

struct ScatterDatasetOptions {
  // Whether examples are put in a random order first, the one of rank `root`.
  bool shuffle = false;
  // The seed of that order; defaults to one from native:0's generator.
  std::optional<uint64_t> seed = std::nullopt;
  int root = 0;
  // Whether all parts have the same length, some examples being in two of them
  // if need be. Ranks whose parts differ in length do not end an epoch
  // together.
  bool force_equal_length = true;
};

// A rank's part of a dataset: examples of another, by index.
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

// This rank's part of a dataset that every rank has, or can read: as large as
// those of the others, neighbours in the dataset's order or in a random one.
// Nothing but the order travels. ValueError for an empty dataset or a root that
// is no rank; CommunicatorError when ranks have datasets of different sizes.
ScatteredDataset scatter_dataset(const dataset::Dataset& dataset,
                                 Communicator& communicator,
                                 const ScatterDatasetOptions& options = {});

}  // namespace catena::training::communicators
