#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

// What a thread submits to a GPU, as a list of hashes: kernels and their grids,
// numbers that the host passes to them, and what it copies to the device. Two
// records tell whether code did the same twice, on other data. Not recorded
// are the addresses and contents of arrays on the device, and what is meant to
// change: places in streams of random numbers, and hyperparameters.
//
//   WorkRecord record;
//   {
//     const WorkRecordScope scope(&record);
//     step();
//   }
class WorkRecord {
 public:
  // Adds a piece of work: numbers, such as the address of a kernel or sizes.
  void add(std::initializer_list<uint64_t> numbers);
  // Adds numbers that the work uses.
  void add_bytes(const void* data, size_t bytes);

  // From here to leave(), work belongs to a function; `hash` stands for its
  // arguments. Functions nest.
  void enter(std::string_view function, uint64_t hash);
  void leave();

  // Notes work that a graph of captured work can't contain. The first reason is
  // kept, with the function that it is in.
  void forbid(std::string_view reason);
  // The reason, or empty.
  const std::string& forbidden() const { return forbidden_; }

  size_t size() const { return entries_.size(); }

  // Where `later` differs from this record: "in 'relu'"; nothing if they are
  // equal. Where this is the first call of some code, it may have done more,
  // outside of functions or in them: what makes parameters and caches.
  std::optional<std::string> difference(const WorkRecord& later,
                                        bool is_first_call) const;

 private:
  struct Entry {
    uint64_t hash;
    bool is_function;
    uint32_t place;  // in places_
  };

  void add_entry(uint64_t hash, bool is_function);
  std::string describe(size_t entry) const;

  std::vector<Entry> entries_;
  std::vector<std::string> places_ = {"before the first function"};
  std::vector<uint32_t> outer_;  // places around the present function
  uint32_t place_ = 0;
  std::string forbidden_;
};

// Combines the numbers of a function's arguments and the like.
uint64_t work_hash(std::initializer_list<uint64_t> numbers);

namespace internal {
extern constinit thread_local WorkRecord* record_of_thread;
}  // namespace internal

// The record of this thread's work, or null.
inline WorkRecord* current_work_record() { return internal::record_of_thread; }

// Records this thread's work in a scope; null: does not record it.
class WorkRecordScope {
 public:
  explicit WorkRecordScope(WorkRecord* record)
      : outer_(internal::record_of_thread) {
    internal::record_of_thread = record;
  }
  ~WorkRecordScope() { internal::record_of_thread = outer_; }
  WorkRecordScope(const WorkRecordScope&) = delete;
  WorkRecordScope& operator=(const WorkRecordScope&) = delete;

 private:
  WorkRecord* outer_;
};

// The work of a scope, as that of a function; does nothing without a record.
class RecordedFunction {
 public:
  explicit RecordedFunction(std::string_view name)
      : record_(current_work_record()) {
    if (record_ != nullptr) record_->enter(name, 0);
  }
  ~RecordedFunction() {
    if (record_ != nullptr) record_->leave();
  }
  RecordedFunction(const RecordedFunction&) = delete;
  RecordedFunction& operator=(const RecordedFunction&) = delete;

 private:
  WorkRecord* record_;
};

}  // namespace catena
