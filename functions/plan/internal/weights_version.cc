#include "catena/functions/plan/internal/weights_version.h"

#include <algorithm>

#include "catena/array/core/parallel.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/functions/plan/internal/weights_checksum.h"

namespace catena::functions {
namespace {

constexpr int64_t kPartBytes = int64_t{1} << 18;
constexpr int64_t kLine = 64;
constexpr int kSampleStep = 16;

}  // namespace

int WeightsVersion::add(const Array& array) {
  const int number = static_cast<int>(entries_.size());
  const int parts =
      static_cast<int>((array.nbytes() + kPartBytes - 1) / kPartBytes);
  entries_.push_back({.array = array});
  entries_.back().sums.resize(parts);
  for (int part = 0; part < parts; ++part) {
    parts_.push_back({number, part, bytes_});
    bytes_ += std::min(kPartBytes, array.nbytes() - part * kPartBytes);
  }
  return number;
}

void WeightsVersion::replace(int number, const Array& array) {
  entries_[number].array = array;
  entries_[number].is_new = true;
}

std::vector<int> WeightsVersion::changes() {
  std::vector<const char*> data;
  std::vector<Array> dense;
  for (const Entry& entry : entries_) {
    dense.push_back(entry.array.contiguous());
    data.push_back(dense.back().raw_data());
  }
  std::vector<char> changed(parts_.size());
  const auto checksum = kernel_slot<WeightsChecksum>.on(native_device()).run;
  const int64_t step = sampled_ ? kSampleStep * kLine : kLine;
  const auto check = [&](size_t i) {
    Entry& entry = entries_[parts_[i].entry];
    const int64_t first = parts_[i].part * kPartBytes;
    const int64_t bytes = std::min(kPartBytes, entry.array.nbytes() - first);
    const uint64_t sum = checksum(data[parts_[i].entry] + first, bytes, step);
    uint64_t& known = entry.sums[parts_[i].part];
    changed[i] = sum != known;
    known = sum;
  };
  // Threads divide the bytes, since most parts are small and at the start.
  const int64_t grain = kPartBytes * (sampled_ ? 16 : 2);
  cpu::parallel_for(bytes_, grain, [&](int64_t begin, int64_t end) {
    const auto first =
        std::ranges::lower_bound(parts_, begin, {}, &Part::start);
    for (auto i = static_cast<size_t>(first - parts_.begin());
         i < parts_.size() && parts_[i].start < end; ++i) {
      check(i);
    }
  });
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (changed[i] != 0) entries_[parts_[i].entry].is_new = true;
  }
  std::vector<int> result;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].is_new) continue;
    entries_[i].is_new = false;
    result.push_back(static_cast<int>(i));
  }
  return result;
}

}  // namespace catena::functions
