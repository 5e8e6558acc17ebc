#pragma once

#include <string>
#include <vector>

namespace catena {

// The calls that led to a place of the program.
class CallStack {
 public:
  // The calls that led here. Fast: functions and lines are looked up later.
  static CallStack current();

  bool empty() const { return addresses_.empty(); }
  // One line per call, the innermost first: function, file and line. Lines are
  // known where the program has debug information (-g) and addr2line, of
  // Debian's binutils, is installed.
  std::string to_string() const;
  // The innermost call by a function that is not catena's, as in to_string.
  // Empty if unknown.
  std::string caller() const;

 private:
  std::vector<void*> addresses_;  // of the instructions that call
};

}  // namespace catena
