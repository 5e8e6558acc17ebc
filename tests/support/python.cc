#include "catena/tests/support/python.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "catena/array/core/error.h"

extern char** environ;

namespace catena::testing {
namespace {

std::string read_to_end(int file) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t count = ::read(file, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, count);
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::optional<std::string> python_with(const std::string& modules) {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    if (run_python(python, "import " + modules).status == 0) return python;
  }
  return std::nullopt;
}

std::optional<std::string> python_with_numpy() { return python_with("numpy"); }

PythonResult run_python(const std::string& python, const std::string& script,
                        const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {python, "-c", script};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) raise<IoError>("run_python: no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  PythonResult result;
  result.output = read_to_end(ends[0]);
  ::close(ends[0]);
  result.status = error == 0 ? wait_for(child) : error;
  return result;
}

}  // namespace catena::testing
