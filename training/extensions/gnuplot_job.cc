#include "catena/training/extensions/gnuplot_job.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <set>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/training/extensions/gnuplot_style.h"

extern char** environ;

namespace catena::training::extensions {
namespace {

constexpr const char* kProgram = "gnuplot";

void write_script(std::string_view operation, const std::string& path,
                  const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text << std::flush)) {
    raise<IoError>(operation, ": cannot write '", path, "'");
  }
}

// Without a shell, silent, and immune to Ctrl-C in the terminal, which is meant
// for the training program.
pid_t spawn(std::string_view operation, const std::string& script) {
  std::string program = kProgram;
  std::string argument = script;
  const std::array<char*, 3> arguments = {program.data(), argument.data(),
                                          nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR,
                                     0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  const int error = ::posix_spawnp(&process, kProgram, &actions, &attributes,
                                   arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    raise<IoError>(operation, ": cannot start gnuplot: ", std::strerror(error));
  }
  return process;
}

// Warns once per operation and process.
void warn_without_gnuplot(const std::string& operation) {
  static std::mutex mutex;
  static std::set<std::string> warned;
  if (has_gnuplot()) return;
  const std::lock_guard lock(mutex);
  if (!warned.insert(operation).second) return;
  std::cerr << operation
            << ": gnuplot is not installed, so nothing is plotted\n";
}

}  // namespace

bool has_gnuplot() {
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : "";
  while (!folders.empty()) {
    const size_t end = std::min(folders.find(':'), folders.size());
    const std::string file =
        std::string(folders.substr(0, end)) + "/" + kProgram;
    if (::access(file.c_str(), X_OK) == 0) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

GnuplotJob::GnuplotJob(std::string_view operation, const std::string& script,
                       const std::string& image)
    : image_(image),
      folder_(std::filesystem::path(image).parent_path().string(), ".plot.",
              operation) {
  write_script(operation, folder_.path() + "/script",
               "set output " + gnuplot_string(folder_.path() + "/image") +
                   "\n" + script);
  process_ = spawn(operation, folder_.path() + "/script");
}

GnuplotJob::~GnuplotJob() { wait(); }

bool GnuplotJob::is_done() {
  if (process_ < 0) return true;
  int status = 0;
  const pid_t result = ::waitpid(process_, &status, WNOHANG);
  if (result == 0) return false;
  finish(result == process_ ? status : -1);
  return true;
}

void GnuplotJob::wait() {
  if (process_ < 0) return;
  int status = 0;
  pid_t result = -1;
  do {
    result = ::waitpid(process_, &status, 0);
  } while (result < 0 && errno == EINTR);
  finish(result == process_ ? status : -1);
}

void GnuplotJob::finish(int status) {
  process_ = -1;
  // After a failed run, there is no image or the previous one.
  if (status == 0) {
    namespace fs = std::filesystem;
    const std::string made = folder_.path() + "/image";
    std::error_code ignored;
    const fs::file_status old = fs::status(image_, ignored);
    if (fs::exists(old)) fs::permissions(made, old.permissions(), ignored);
    fs::rename(made, image_, ignored);
  }
  folder_.remove();
}

void BackgroundPlot::begin(std::string image) {
  warn_without_gnuplot(operation_);
  image_ = std::move(image);
  last_start_ = std::chrono::steady_clock::now();
}

void BackgroundPlot::update(const MakeScript& make_script) {
  is_current_ = false;
  const auto now = std::chrono::steady_clock::now();
  const bool is_early = now - last_start_ < shortest_pause_;
  if (!is_early && (job_ == nullptr || job_->is_done())) start(make_script);
}

void BackgroundPlot::start(const MakeScript& make_script) {
  job_ = nullptr;
  if (!has_gnuplot()) return;
  const std::string script = make_script();
  if (script.empty()) return;
  job_ = std::make_unique<GnuplotJob>(operation_, script, image_);
  last_start_ = std::chrono::steady_clock::now();
  is_current_ = true;
}

void BackgroundPlot::finish(const MakeScript& make_script) {
  if (!is_current_) start(make_script);
  job_ = nullptr;
}

}  // namespace catena::training::extensions
