// Training that is killed at any moment, or runs out of disk space, resumes
// from its last snapshot with identical results.
//
//   ./bazelw run //tests/endurance:kill_test -- --kills=1000
//
// The kills are spread over the variants of training; the test has 50.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/io/npz.h"
#include "catena/tests/endurance/kill_options.h"
#include "catena/tests/support/program.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/communicators/testing/mpirun.h"
#include "catena/training/extensions/snapshot.h"

namespace catena {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::Program;
using testing::read_file;
using testing::runfile;
using testing::TempFolder;
using training::communicators::testing::MpiRun;
using Clock = std::chrono::steady_clock;

constexpr int kIterations = 40;
const std::string kProgram = "tests/endurance/killed_program";

// A variant of killed_program.
struct Variant {
  std::string name;
  int ranks = 1;
  bool needs_gpu = false;
  int64_t weight = 2;  // its part of the kills

  friend void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.name;
  }
};
const std::vector<Variant> kVariants = {
    {"plain"},
    {"multithread"},
    {"threads", 2},
    {.name = "mpi", .ranks = 2, .weight = 1},  // which takes long to start
    {.name = "captured", .needs_gpu = true}};

bool has_gpu() {
  const BackendTable* const cuda = backend_table(Backend::kCuda);
  return cuda != nullptr && cuda->device_count() > 0;
}

// This variant's part of the kills.
int64_t kills_of(const std::string& name) {
  int64_t weights = 0;
  int64_t before = 0;
  int64_t own = 0;
  for (const Variant& each : kVariants) {
    if (each.needs_gpu && !has_gpu()) continue;
    if (each.name == name) {
      before = weights;
      own = each.weight;
    }
    weights += each.weight;
  }
  const int64_t all = testing::kills_wanted(50);
  return all * (before + own) / weights - all * before / weights;
}

// A child process that trains.
class Training {
 public:
  Training(const Variant& variant, const std::string& run,
           const TempFolder& outputs) {
    if (variant.name == "mpi") {
      mpi_ =
          std::make_unique<MpiRun>(variant.ranks, runfile(kProgram),
                                   std::vector<std::string>{variant.name, run});
    } else {
      alone_ = std::make_unique<Program>(
          kProgram, Program::Arguments{variant.name, run}, outputs);
    }
  }

  // Waits for a number of iterations; false if the program ended before.
  bool wait_for_iterations(size_t count) const {
    return process().wait_for_output(count);
  }
  // Kills the process, or of several a random one: a rank or mpirun.
  void kill_at_once(std::mt19937& random) const {
    if (mpi_ == nullptr) return alone_->kill_at_once();
    const std::vector<pid_t> ranks = process().children();
    const size_t choice = random() % (ranks.size() + 1);
    if (choice < ranks.size()) {
      ::kill(ranks[choice], SIGKILL);
      return;
    }
    process().kill_at_once();
    // They end by themselves, but would write to the same folder until then.
    const auto limit = Clock::now() + std::chrono::seconds(30);
    for (const pid_t rank : ranks) {
      while (testing::is_running(rank)) {
        ASSERT_LT(Clock::now(), limit) << "a rank does not end without mpirun";
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }
  // The exit code, or the negative number of the signal that ended it.
  int wait() const { return process().wait(); }
  std::string output() const { return process().out() + process().err(); }

 private:
  const Program& process() const {
    return mpi_ != nullptr ? mpi_->process() : *alone_;
  }

  std::unique_ptr<MpiRun> mpi_;
  std::unique_ptr<Program> alone_;
};

class KillTest : public ::testing::TestWithParam<Variant> {
 protected:
  // A separate folder for each run.
  std::string new_run() {
    const std::string path = folder.file(std::to_string(runs_++));
    std::filesystem::create_directory(path);
    return path;
  }

  // Every snapshot file is complete and readable.
  static int check_snapshots(const std::string& run) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(run)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("snapshot_")) continue;
      const array::NpzReader reader(entry.path().string());
      EXPECT_GT(reader.keys().size(), 10u);
      for (const std::string& key : reader.keys()) reader.read(key);
      ++count;
    }
    return count;
  }

  // What is not a snapshot, the log or a model.
  static std::vector<std::string> unfinished_files(const std::string& run) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("snapshot_iter_") || name == "log" ||
          (name.starts_with("final_") && name.ends_with(".npz"))) {
        continue;
      }
      names.push_back(name);
    }
    return names;
  }

  // The log without time-dependent values.
  static nlohmann::json log(const std::string& run) {
    nlohmann::json log = nlohmann::json::parse(read_file(run + "/log"));
    for (nlohmann::json& entry : log) entry.erase("elapsed_time");
    return log;
  }

  static void check_same_result(const std::string& run,
                                const std::string& whole, int ranks = 1) {
    EXPECT_EQ(log(run), log(whole));
    EXPECT_THAT(unfinished_files(run), ::testing::IsEmpty());
    for (int rank = 0; rank < ranks; ++rank) {
      const std::string name = str("/final_", rank, ".npz");
      const auto expected = array::load_npz(whole + name);
      const auto actual = array::load_npz(run + name);
      ASSERT_EQ(actual.size(), expected.size());
      for (const auto& [key, value] : expected) {
        // As bytes, for an exact comparison.
        EXPECT_THAT(actual.at(key).array().view(Dtype::kUInt8),
                    IsArray(value.array().view(Dtype::kUInt8)))
            << key << ", rank " << rank;
      }
    }
  }

  // Kills a run again and again until it comes to its end, or there were so
  // many kills; returns how many.
  int64_t train_and_kill(const std::string& run, int64_t most,
                         Clock::duration iteration) {
    int64_t kills = 0;
    for (bool ended = false; !ended;) {
      const Training training(GetParam(), run, folder);
      // After some iterations, kill at a random moment within the next two.
      const bool kill =
          kills < most && training.wait_for_iterations(random_() % 10);
      if (kill) {
        std::this_thread::sleep_for(iteration * (random_() % 2000) / 1000);
        training.kill_at_once(random_);
      }
      const int status = training.wait();
      ended = status == 0;
      if (!ended) {
        EXPECT_TRUE(kill) << training.output();
        if (!kill) return most;
        if (GetParam().ranks == 1) {
          EXPECT_EQ(status, -SIGKILL) << training.output();
        }
        ++kills;
        left_over_ += std::ssize(unfinished_files(run));
      }
      // A rank writes one file at a time.
      EXPECT_LE(std::ssize(unfinished_files(run)), GetParam().ranks);
      check_snapshots(run);
      if (std::filesystem::exists(run + "/log")) log(run);  // it is valid
    }
    return kills;
  }

  TempFolder folder;
  int64_t left_over_ = 0;  // files that kills have left
  std::mt19937 random_{static_cast<uint32_t>(testing::kill_seed())};

 private:
  int runs_ = 0;
};

TEST_P(KillTest, KilledAtAnyMomentItEndsWithTheSameBits) {
  if (GetParam().needs_gpu && !has_gpu()) {
    GTEST_SKIP() << "needs a GPU: with --config=cuda_emulated there is one";
  }
  const std::string whole = new_run();
  const auto start = Clock::now();
  {
    const Training training(GetParam(), whole, folder);
    ASSERT_EQ(training.wait(), 0) << training.output();
  }
  const auto iteration = (Clock::now() - start) / kIterations;
  EXPECT_EQ(log(whole).size(), kIterations / 4u);
  EXPECT_GT(check_snapshots(whole), 0);
  EXPECT_THAT(unfinished_files(whole), ::testing::IsEmpty());

  const int64_t most = kills_of(GetParam().name);
  int64_t kills = 0;
  while (kills < most && !HasFailure()) {
    const std::string run = new_run();
    kills += train_and_kill(run, most - kills, iteration);
    if (!HasFailure()) check_same_result(run, whole, GetParam().ranks);
    std::filesystem::remove_all(run);
  }
  std::cout << GetParam().name << ": " << kills << " kills, " << left_over_
            << " files left by them" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Variants, KillTest, ::testing::ValuesIn(kVariants),
                         [](const auto& info) { return info.param.name; });

using FullDiskTest = KillTest;

TEST_P(FullDiskTest, LeavesTheLastGoodSnapshot) {
  const auto train = [&](const std::string& run, const std::string& iteration,
                         const std::string& bytes) {
    Program::Arguments arguments = {GetParam().name, run};
    if (!iteration.empty()) {
      arguments.insert(arguments.end(), {iteration, bytes});
    }
    const Program program(kProgram, arguments, folder);
    const int code = program.wait();
    return std::pair(code, program.err());
  };
  const std::string whole = new_run();
  ASSERT_EQ(train(whole, "", ""), std::pair(0, std::string()));
  EXPECT_EQ(check_snapshots(whole), kIterations);
  const auto size = std::filesystem::file_size(whole + "/snapshot_iter_7");
  for (const uintmax_t bytes : {uintmax_t{0}, uintmax_t{1}, uintmax_t{100},
                                size / 2, size - size / 10}) {
    SCOPED_TRACE("room for " + std::to_string(bytes) + " of " +
                 std::to_string(size) + " bytes");
    const std::string run = new_run();
    // The snapshot after iteration 7 is the first that does not fit on the
    // disk.
    const auto [code, err] = train(run, "7", std::to_string(bytes));
    EXPECT_EQ(code, 1);
    EXPECT_THAT(err, HasSubstr("snapshot_iter_7"));
    EXPECT_THAT(err, HasSubstr("cannot write: File too large"));
    EXPECT_EQ(check_snapshots(run), 6);
    EXPECT_THAT(training::extensions::latest_snapshot(run),
                EndsWith("snapshot_iter_6"));
    EXPECT_THAT(unfinished_files(run), ::testing::IsEmpty());
    // Once there is space again, training continues.
    ASSERT_EQ(train(run, "", ""), std::pair(0, std::string()));
    check_same_result(run, whole);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, FullDiskTest,
                         ::testing::Values(Variant{"plain"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace catena

int main(int argc, char** argv) {
  return catena::testing::run_kill_test(argc, argv);
}
