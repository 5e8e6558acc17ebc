#include "catena/tests/support/program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "catena/tests/support/runfiles.h"

namespace catena::testing {

Program::Program(const std::string& program, const Arguments& arguments,
                 const TempFolder& folder, const std::string& input)
    : out_(folder.file("stdout")), err_(folder.file("stderr")) {
  const std::string in = folder.file("stdin");
  write_file(in, input);
  Arguments words = {runfile(program)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);  // or the child would write what is buffered again
  process_ = ::fork();
  if (process_ == 0) {
    if (std::freopen(in.c_str(), "r", stdin) == nullptr) ::_exit(99);
    if (std::freopen(out_.c_str(), "w", stdout) == nullptr) ::_exit(99);
    if (std::freopen(err_.c_str(), "w", stderr) == nullptr) ::_exit(99);
    ::execv(argv[0], argv.data());
    ::_exit(99);
  }
}

void Program::kill_at_once() const { ::kill(process_, SIGKILL); }
void Program::interrupt() const { ::kill(process_, SIGINT); }

int Program::wait() const {
  int status = 0;
  ::waitpid(process_, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace catena::testing
