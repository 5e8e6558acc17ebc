#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "catena/dataset/dataset.h"

namespace catena::dataset {

// A list of examples, as an iterator yields it and a converter takes it. It
// holds examples, or a dataset with indices from which they are read when they
// are asked for.
class Batch {
 public:
  Batch(std::vector<Example> examples) : source_(std::move(examples)) {}
  // `indices` is 1-d, int64, on native:0, each in [0, dataset.size()).
  Batch(Dataset dataset, Array indices);

  int64_t size() const;
  // IndexError; negative indices count from the end.
  Example operator[](int64_t index) const;
  std::vector<Example> examples() const;

  // The examples with their arrays stacked, when the dataset has a faster way
  // than one by one.
  std::optional<Example> gather() const;

 private:
  struct View {
    Dataset dataset;
    Array indices;
  };

  std::variant<std::vector<Example>, View> source_;
};

}  // namespace catena::dataset
