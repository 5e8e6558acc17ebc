#pragma once

#include <cstdint>
#include <vector>

#include "catena/array/array.h"

namespace catena::functions {

// Notices changes of the elements of arrays on the CPU, by checksums.
class WeightsVersion {
 public:
  // `sampled`: of one cache line in 16.
  explicit WeightsVersion(bool sampled) : sampled_(sampled) {}

  // Returns the array's number.
  int add(const Array& array);
  // Another array in the place of one; the next check says that it changed.
  void replace(int number, const Array& array);
  // The numbers of the arrays that have changed since the last call, with all
  // of them for the first one. Uses all threads.
  std::vector<int> changes();

 private:
  struct Entry {
    Array array;
    bool is_new = true;
    std::vector<uint64_t> sums = {};  // of parts
  };
  struct Part {
    int entry;
    int part;
    int64_t start;  // the bytes of all parts before it
  };

  bool sampled_;
  std::vector<Entry> entries_;
  std::vector<Part> parts_;
  int64_t bytes_ = 0;
};

}  // namespace catena::functions
