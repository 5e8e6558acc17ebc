#include "catena/array/user_kernel/host_compiler.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <optional>
#include <sstream>

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

// A temporary folder, removed with its contents at the end of the scope.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code failure;
    path_ = std::filesystem::temp_directory_path(failure).string() +
            "/catena_kernel_XXXXXX";
    if (failure || ::mkdtemp(path_.data()) == nullptr) {
      raise<IoError>("compile: cannot create the folder ", path_, ": ",
                     std::strerror(errno));
    }
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Waits up to a second for a process to end. Returns whether it did, or cannot
// be waited for.
bool ends_soon(pid_t child) {
  const int file = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  if (file < 0) return true;  // Linux before 5.3
  pollfd ended = {file, POLLIN, 0};
  const int count = ::poll(&ended, 1, 1000);
  ::close(file);
  return count != 0;
}

// Runs a program with stdout and stderr redirected to a file. Returns its exit
// status, or -1 if it was killed by a signal. `notice` is printed to a terminal
// if it takes longer than a second.
int run(const std::vector<std::string>& command, const std::string& output,
        const std::string& notice = "") {
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, arguments[0], &files, nullptr,
                                     arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    raise<IoError>("compile: cannot start ", command[0], ": ",
                   std::strerror(failure));
  }
  if (!notice.empty() && ::isatty(STDERR_FILENO) && !ends_soon(child)) {
    std::cerr << notice << std::endl;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::optional<HostCompiler> try_compiler(std::vector<std::string> command) {
  const ScratchFolder scratch;
  const std::string answer = scratch.file("version");
  std::vector<std::string> question = command;
  question.push_back("--version");
  try {
    if (run(question, answer) != 0) return std::nullopt;
  } catch (const IoError&) {
    return std::nullopt;
  }
  const std::string text = read_text(answer);
  return HostCompiler{std::move(command), text.substr(0, text.find('\n'))};
}

HostCompiler find_compiler(const std::string& kernel) {
  const char* wish = std::getenv("CXX");
  if (wish != nullptr && !words_of(wish).empty()) {
    if (auto found = try_compiler(words_of(wish))) return *found;
    raise<NotImplementedError>(kernel,
                               ": a user-defined kernel on the CPU needs a C++ "
                               "compiler, and CXX='",
                               wish, "' does not run");
  }
  for (const char* name : {"c++", "g++", "clang++"}) {
    if (auto found = try_compiler({name})) return *found;
  }
  raise<NotImplementedError>(
      kernel,
      ": a user-defined kernel on the CPU needs a C++ compiler, and there is "
      "no c++, g++ or clang++ on PATH; install one, or name it in CXX. "
      "array::elementwise takes C++ lambdas and needs none");
}

}  // namespace

const HostCompiler& host_compiler(const std::string& kernel) {
  static std::mutex mutex;
  static std::optional<HostCompiler> found;
  const std::lock_guard lock(mutex);
  if (!found) found = find_compiler(kernel);  // asked again after a failure
  return *found;
}

Compilation compile_shared_object(const HostCompiler& compiler,
                                  const std::string& kernel,
                                  const std::string& source,
                                  const std::vector<std::string>& options) {
  const ScratchFolder scratch;
  const std::string source_file = scratch.file("kernel.cc");
  const std::string object_file = scratch.file("kernel.so");
  const std::string output_file = scratch.file("output");
  std::ofstream(source_file, std::ios::binary) << source;
  std::vector<std::string> command = compiler.command;
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(),
                 {"-shared", "-fPIC", "-o", object_file, source_file});
  Compilation result;
  result.ok = run(command, output_file,
                  "catena: compiling the kernel " + kernel + " with " +
                      compiler.command[0] + " ...") == 0;
  result.output = read_text(output_file);
  if (result.ok) result.binary = read_text(object_file);
  return result;
}

}  // namespace catena::array
