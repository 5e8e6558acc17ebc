#include "catena/tests/support/program.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "catena/array/core/error.h"
#include "catena/tests/support/runfiles.h"

namespace catena::testing {
namespace {

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

Program::Program(const std::string& program, const Arguments& arguments,
                 const TempFolder& folder, const std::string& input,
                 const Variables& variables)
    : out_(folder.file("stdout")), err_(folder.file("stderr")) {
  constexpr int kCannotStart = 127;
  const std::string in = folder.file("stdin");
  write_file(in, input);
  const bool is_runfile = program.find('/') != std::string::npos;
  Arguments words = {is_runfile ? runfile(program) : program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);  // or the child would write what is buffered again
  process_ = ::fork();
  if (process_ == 0) {
    if (std::freopen(in.c_str(), "r", stdin) == nullptr) ::_exit(kCannotStart);
    if (std::freopen(out_.c_str(), "w", stdout) == nullptr) {
      ::_exit(kCannotStart);
    }
    if (std::freopen(err_.c_str(), "w", stderr) == nullptr) {
      ::_exit(kCannotStart);
    }
    for (const auto& [name, value] : variables) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    ::execvp(argv[0], argv.data());
    ::_exit(kCannotStart);
  }
}

Program::~Program() {
  if (!is_running()) return;
  kill_at_once();
  wait();
}

void Program::kill_at_once() const { ::kill(process_, SIGKILL); }
void Program::interrupt() const { ::kill(process_, SIGINT); }

int Program::wait() const {
  if (!status_) {
    int status = 0;
    ::waitpid(process_, &status, 0);
    status_ = code_of(status);
  }
  return *status_;
}

bool Program::is_running() const {
  int status = 0;
  if (!status_ && ::waitpid(process_, &status, WNOHANG) != 0) {
    status_ = code_of(status);
  }
  return !status_;
}

bool Program::wait_for_output(size_t bytes) const {
  while (true) {
    const bool was_running = is_running();
    std::error_code ignored;
    const auto size = std::filesystem::file_size(out_, ignored);
    if (!ignored && size >= bytes) return true;
    if (!was_running) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::vector<pid_t> Program::children() const {
  std::ifstream file(str("/proc/", process_, "/task/", process_, "/children"));
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) {
    if (testing::is_running(child)) children.push_back(child);
  }
  return children;
}

bool is_running(pid_t process) {
  std::ifstream file(str("/proc/", process, "/stat"));
  std::string text;
  if (!std::getline(file, text)) return false;
  // The state follows the name, which may have any characters.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) {
    return false;
  }
  const char state = text[name_end + 2];
  return state != 'Z' && state != 'X';
}

}  // namespace catena::testing
