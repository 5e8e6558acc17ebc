#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {

// A program of this repository as a child process, started as a user does,
// with its two outputs in files.
class Program {
 public:
  using Arguments = std::vector<std::string>;

  // `program` is a runfile, "examples/mnist/train_mnist"; the outputs go to
  // stdout and stderr in `folder`, in place of those of the one before.
  Program(const std::string& program, const Arguments& arguments,
          const TempFolder& folder);

  void kill_at_once() const;
  void interrupt() const;

  // The exit code, or minus the signal that ended it.
  int wait() const;

  std::string out() const { return read_file(out_); }
  std::string err() const { return read_file(err_); }

 private:
  std::string out_;
  std::string err_;
  pid_t process_;
};

}  // namespace catena::testing
