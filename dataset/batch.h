#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "catena/dataset/dataset.h"

namespace catena::dataset {

// A list of examples, as an iterator yields it and a converter takes it. It
// holds examples, or arrays in which they lie stacked, or a dataset with
// indices from which they are read when they are asked for.
class Batch {
 public:
  Batch(std::vector<Example> examples) : source_(std::move(examples)) {}
  // `indices` is 1-d, int64, on native:0, each in [0, dataset.size()).
  Batch(Dataset dataset, Array indices);
  // The rows of these arrays, (N, ...) each. ValueError when there are none,
  // ShapeError when their first axes differ.
  static Batch of_rows(Example stacked);

  int64_t size() const;
  // IndexError; negative indices count from the end.
  Example operator[](int64_t index) const;
  std::vector<Example> examples() const;

  // The examples first, first + step, first + 2 step, ...: the share of one of
  // `step` workers. ValueError unless 0 <= first and 1 <= step.
  Batch share(int64_t first, int64_t step) const;

  // The examples with their arrays stacked, when there is a faster way than one
  // by one. Arrays in which they lie stacked are given out as they are.
  std::optional<Example> gather() const;

 private:
  struct View {
    Dataset dataset;
    Array indices;
  };
  struct Rows {
    Example stacked;
    Example row(int64_t index) const;
  };

  explicit Batch(Rows rows) : source_(std::move(rows)) {}

  std::variant<std::vector<Example>, View, Rows> source_;
};

}  // namespace catena::dataset
