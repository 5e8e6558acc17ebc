#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {

// A program as a child process, started as a user would, with stdout and stderr
// in files. One that has not ended is killed when the object is destroyed.
class Program {
 public:
  using Arguments = std::vector<std::string>;
  using Variables = std::map<std::string, std::string>;

  // `program` is a runfile, "examples/mnist/train_mnist", or without a slash a
  // program in PATH; it reads `input`, and the outputs go to the files stdout
  // and stderr in `folder`, replacing previous ones. The environment is that of
  // the test and `variables`.
  Program(const std::string& program, const Arguments& arguments,
          const TempFolder& folder, const std::string& input = "",
          const Variables& variables = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void kill_at_once() const;
  void interrupt() const;

  // The exit code, or the negative number of the signal that ended it; 127 if
  // it could not be started.
  int wait() const;
  // Waits until it has written so many bytes to stdout; false if it ended
  // before.
  bool wait_for_output(size_t bytes) const;
  // Whether it has not ended.
  bool is_running() const;
  // The processes that it has started and that have not ended.
  std::vector<pid_t> children() const;

  std::string out() const { return read_file(out_); }
  std::string err() const { return read_file(err_); }

 private:
  std::string out_;
  std::string err_;
  pid_t process_;
  mutable std::optional<int> status_;  // once it has ended
};

// Whether there is a process that has not ended.
bool is_running(pid_t process);

}  // namespace catena::testing
