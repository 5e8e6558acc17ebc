#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {

// A program of this repository as a child process, started as a user would,
// with stdout and stderr in files.
class Program {
 public:
  using Arguments = std::vector<std::string>;

  // `program` is a runfile, "examples/mnist/train_mnist"; it reads `input`, and
  // the outputs go to the files stdout and stderr in `folder`, replacing
  // previous ones.
  Program(const std::string& program, const Arguments& arguments,
          const TempFolder& folder, const std::string& input = "");

  void kill_at_once() const;
  void interrupt() const;

  // The exit code, or the negative number of the signal that ended it.
  int wait() const;

  std::string out() const { return read_file(out_); }
  std::string err() const { return read_file(err_); }

 private:
  std::string out_;
  std::string err_;
  pid_t process_;
};

}  // namespace catena::testing
