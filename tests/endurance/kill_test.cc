// Training that is killed at any moment, or runs out of disk space, resumes
// from its last snapshot with identical results.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/io/npz.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/snapshot.h"

namespace catena {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::IsArray;
using ::testing::Not;
using testing::read_file;
using testing::runfile;
using testing::TempFolder;

constexpr int kIterations = 40;

// killed_program as a child process.
class Program {
 public:
  Program(const std::vector<std::string>& arguments, const std::string& err) {
    std::vector<std::string> words = {
        runfile("tests/endurance/killed_program")};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      if (std::freopen(err.c_str(), "w", stderr) == nullptr) _exit(99);
      execv(argv[0], argv.data());
      _exit(99);
    }
    close(ends[1]);
    dots_ = ends[0];
  }
  ~Program() { close(dots_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Waits for a number of iterations; false if the program ended before.
  bool wait_for_iterations(int count) const {
    char dot;
    for (; count > 0; --count) {
      if (read(dots_, &dot, 1) != 1) return false;
    }
    return true;
  }
  void kill_at_once() const { kill(process_, SIGKILL); }
  // The exit code, or the negative number of the signal that ended it.
  int wait() const {
    int status = 0;
    waitpid(process_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t process_ = -1;
  int dots_ = -1;
};

class KillTest : public ::testing::Test {
 protected:
  // A separate folder for each run.
  std::string new_run() {
    const std::string path = folder.file(std::to_string(runs_++));
    std::filesystem::create_directory(path);
    return path;
  }
  int run_to_end(std::vector<std::string> arguments) {
    return Program(arguments, err).wait();
  }

  // Every snapshot file is complete and readable.
  static int check_snapshots(const std::string& run) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(run)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("snapshot_")) continue;
      EXPECT_THAT(name, Not(HasSubstr(".tmp")));
      const array::NpzReader reader(entry.path().string());
      EXPECT_GT(reader.keys().size(), 10u);
      for (const std::string& key : reader.keys()) reader.read(key);
      ++count;
    }
    return count;
  }

  // The log without time-dependent values.
  static nlohmann::json log(const std::string& run) {
    nlohmann::json log = nlohmann::json::parse(read_file(run + "/log"));
    for (nlohmann::json& entry : log) entry.erase("elapsed_time");
    return log;
  }

  static void check_same_result(const std::string& run,
                                const std::string& whole) {
    EXPECT_EQ(log(run), log(whole));
    const auto expected = array::load_npz(whole + "/final.npz");
    const auto actual = array::load_npz(run + "/final.npz");
    ASSERT_EQ(actual.size(), expected.size());
    for (const auto& [name, value] : expected) {
      // As bytes, for an exact comparison.
      EXPECT_THAT(actual.at(name).array().view(Dtype::kUInt8),
                  IsArray(value.array().view(Dtype::kUInt8)))
          << name;
    }
  }

  TempFolder folder;
  std::string err = folder.file("err");

 private:
  int runs_ = 0;
};

TEST_F(KillTest, FiftyKillsChangeNothing) {
  using Clock = std::chrono::steady_clock;
  const std::string whole = new_run();
  const auto start = Clock::now();
  ASSERT_EQ(run_to_end({whole}), 0) << read_file(err);
  const auto iteration = (Clock::now() - start) / kIterations;
  EXPECT_EQ(log(whole).size(), kIterations / 4u);
  EXPECT_EQ(check_snapshots(whole), kIterations);

  constexpr int kKills = 50;
  std::mt19937 random(20);
  int kills = 0;
  while (kills < kKills) {
    const std::string run = new_run();
    for (bool ended = false; !ended;) {
      const Program program({run}, err);
      // After some iterations, kill at a random moment within the next two.
      const bool kill = kills < kKills && program.wait_for_iterations(
                                              static_cast<int>(random() % 10));
      if (kill) {
        std::this_thread::sleep_for(iteration * (random() % 2000) / 1000);
        program.kill_at_once();
      }
      const int status = program.wait();
      ended = status == 0;
      if (!ended) {
        ASSERT_EQ(status, -SIGKILL) << read_file(err);
        ++kills;
      }
      check_snapshots(run);
      if (std::filesystem::exists(run + "/log")) log(run);  // it is valid
    }
    check_same_result(run, whole);
  }
}

TEST_F(KillTest, AFullDiskLeavesTheLastGoodSnapshot) {
  const std::string whole = new_run();
  ASSERT_EQ(run_to_end({whole}), 0) << read_file(err);
  const auto size = std::filesystem::file_size(whole + "/snapshot_iter_7");
  for (const uintmax_t bytes : {uintmax_t{0}, uintmax_t{1}, uintmax_t{100},
                                size / 2, size - size / 10}) {
    SCOPED_TRACE("room for " + std::to_string(bytes) + " of " +
                 std::to_string(size) + " bytes");
    const std::string run = new_run();
    // The snapshot after iteration 7 is the first that does not fit on the
    // disk.
    EXPECT_EQ(run_to_end({run, "7", std::to_string(bytes)}), 1);
    EXPECT_THAT(read_file(err), HasSubstr("snapshot_iter_7"));
    EXPECT_THAT(read_file(err), HasSubstr("cannot write: File too large"));
    EXPECT_EQ(check_snapshots(run), 6);
    EXPECT_THAT(training::extensions::latest_snapshot(run),
                EndsWith("snapshot_iter_6"));
    for (const auto& entry : std::filesystem::directory_iterator(run)) {
      EXPECT_THAT(entry.path().string(), Not(EndsWith(".tmp")));
    }
    // Once there is space again, training continues.
    ASSERT_EQ(run_to_end({run}), 0) << read_file(err);
    check_same_result(run, whole);
  }
}

}  // namespace
}  // namespace catena
