#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/links/observation.h"

namespace catena::training::extensions {

// Warns of keys that an extension was asked for but that nothing reports, such
// as misspelt ones: once, on standard error, naming them and the keys that were
// observed. It does so when an epoch has passed, by which time an evaluator has
// usually run, or at the end of a shorter run that did not fail; but never if
// the run ended before anything was written, such as an entry of a log.
class MissingKeys {
 public:
  // `operation` starts the warning.
  MissingKeys(std::string_view operation, std::vector<std::string> keys)
      : operation_(operation), missing_(std::move(keys)) {}

  // Training starts in this epoch.
  void begin(int64_t epoch) { first_epoch_ = epoch; }
  // These keys were observed.
  void add(const Observation& values);
  // Something was written: warns if an epoch has passed.
  void check(int64_t epoch) {
    has_written_ = true;
    if (epoch > first_epoch_) warn();
  }
  // Training ends.
  void end() {
    if (has_written_) warn();
  }
  // No warning any more, since training failed.
  void cancel() { missing_.clear(); }

 private:
  void warn();

  std::string operation_;
  std::vector<std::string> missing_;  // empty once there was a warning
  std::set<std::string, std::less<>> observed_;
  int64_t first_epoch_ = 0;
  bool has_written_ = false;
};

}  // namespace catena::training::extensions
