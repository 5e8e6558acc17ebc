#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "catena/links/observation.h"
#include "catena/serializers/serializer.h"

namespace catena::training {

// Mean and standard deviation of numbers that come one by one and are not kept.
class Summary {
 public:
  // Adds a number, or a 0-d array or variable, `weight` times. ValueError on
  // others. An array on a GPU is looked at later, so that nobody waits for it.
  void add(const ObservedValue& value, double weight = 1);

  // NaN when nothing was added.
  double compute_mean() const;
  // Mean and standard deviation of all values (not of a sample).
  struct Statistics {
    double mean;
    double std;
  };
  Statistics make_statistics() const;

  // _x, _x2 and _n.
  void serialize(const Serializer& serializer);

 private:
  struct Sums {
    double x = 0;
    double x2 = 0;
    double n = 0;
  };
  // The sums with everything that waits.
  const Sums& sums() const;

  mutable Sums sums_;
  mutable std::vector<std::pair<Array, double>> waiting_;
};

// A Summary for each name.
class DictSummary {
 public:
  // Adds the values that stand for one number, and leaves out the others.
  void add(const Observation& values);

  bool empty() const { return summaries_.empty(); }
  // The mean of each name, in the order in which the names came.
  Observation compute_mean() const;
  // The mean of each name and its standard deviation under NAME.std.
  Observation make_statistics() const;

  void serialize(const Serializer& serializer);

 private:
  Summary& summary_of(std::string_view name);

  std::vector<std::pair<std::string, Summary>> summaries_;
};

}  // namespace catena::training
