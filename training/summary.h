#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catena/links/observation.h"
#include "catena/serializers/serializer.h"

namespace catena::training {

// Streaming mean and standard deviation.
class Summary {
 public:
  // Adds a number, or a 0-d array or variable, with a weight. Throws ValueError
  // for other values. Arrays on GPUs are read later, all in one copy, to wait
  // for the GPU once.
  void add(const ObservedValue& value, double weight = 1);

  // NaN when nothing was added.
  double compute_mean() const;
  // Mean and population standard deviation.
  struct Statistics {
    double mean;
    double std;
  };
  Statistics make_statistics() const;

  // Keys: _x, _x2 and _n.
  void serialize(const Serializer& serializer);

 private:
  friend class DictSummary;
  struct Sums {
    double x = 0;
    double x2 = 0;
    double n = 0;

    void add(double value, double weight) {
      x += weight * value;
      x2 += weight * value * value;
      n += weight;
    }
  };
  // Adds the pending arrays of all of them.
  static void read(std::span<const Summary* const> summaries);
  // The sums, including pending arrays.
  const Sums& sums() const;

  mutable Sums sums_;
  mutable std::vector<std::pair<Array, double>> waiting_;
};

// A Summary for each name, whose arrays are read together.
class DictSummary {
 public:
  // Adds the scalar values with their weights, and ignores the others.
  void add(const Observation& values);

  bool empty() const { return summaries_.empty(); }
  // The mean of each name, in order of first appearance.
  Observation compute_mean() const;
  // The mean of each name, and its standard deviation as NAME.std.
  Observation make_statistics() const;

  void serialize(const Serializer& serializer);

 private:
  Summary& summary_of(std::string_view name);
  void read() const;

  std::vector<std::pair<std::string, Summary>> summaries_;
};

}  // namespace catena::training
