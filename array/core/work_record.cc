#include "catena/array/core/work_record.h"

#include <algorithm>
#include <cstring>

namespace catena {
namespace {

// The steps of FNV-1a, by words, with the upper bits mixed in.
constexpr uint64_t kBasis = 0xcbf29ce484222325;
constexpr uint64_t kPrime = 0x100000001b3;

constexpr uint64_t mix(uint64_t hash, uint64_t number) {
  hash = (hash ^ number) * kPrime;
  return hash ^ hash >> 32;
}

}  // namespace

namespace internal {
constinit thread_local WorkRecord* record_of_thread = nullptr;
}  // namespace internal

uint64_t work_hash(std::initializer_list<uint64_t> numbers) {
  uint64_t hash = kBasis;
  for (const uint64_t number : numbers) hash = mix(hash, number);
  return hash;
}

void WorkRecord::add_entry(uint64_t hash, bool is_function) {
  entries_.push_back({hash, is_function, place_});
}

void WorkRecord::add(std::initializer_list<uint64_t> numbers) {
  add_entry(work_hash(numbers), /*is_function=*/false);
}

void WorkRecord::add_bytes(const void* data, size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  uint64_t hash = mix(kBasis, bytes);
  while (bytes > 0) {
    uint64_t word = 0;
    const size_t size = std::min(bytes, sizeof(word));
    std::memcpy(&word, from, size);
    hash = mix(hash, word);
    from += size;
    bytes -= size;
  }
  add_entry(hash, /*is_function=*/false);
}

void WorkRecord::enter(std::string_view function, uint64_t hash) {
  outer_.push_back(place_);
  place_ = static_cast<uint32_t>(places_.size());
  places_.push_back("in '" + std::string(function) + "'");
  for (const char c : function) hash = mix(hash, static_cast<uint64_t>(c));
  add_entry(hash, /*is_function=*/true);
}

void WorkRecord::leave() {
  if (outer_.size() > 1) {
    place_ = outer_.back();
  } else {
    // What comes next is best described by what was before.
    std::string after = "after" + places_[place_].substr(2);
    place_ = static_cast<uint32_t>(places_.size());
    places_.push_back(std::move(after));
  }
  if (!outer_.empty()) outer_.pop_back();
}

void WorkRecord::forbid(std::string_view reason) {
  if (!forbidden_.empty()) return;
  forbidden_ = std::string(reason) + ", " + places_[place_];
}

std::string WorkRecord::describe(size_t entry) const {
  if (entry < entries_.size()) return places_[entries_[entry].place];
  return entries_.empty() ? places_[0] : places_[place_];
}

std::optional<std::string> WorkRecord::difference(const WorkRecord& later,
                                                  bool is_first_call) const {
  size_t mine = 0;
  for (size_t i = 0; i < later.entries_.size(); ++i, ++mine) {
    const Entry& wanted = later.entries_[i];
    while (is_first_call && mine < entries_.size() &&
           entries_[mine].hash != wanted.hash && !entries_[mine].is_function) {
      ++mine;
    }
    if (mine == entries_.size() || entries_[mine].hash != wanted.hash) {
      return later.describe(i);
    }
  }
  while (is_first_call && mine < entries_.size() &&
         !entries_[mine].is_function) {
    ++mine;
  }
  if (mine < entries_.size()) return describe(mine);
  return std::nullopt;
}

}  // namespace catena
