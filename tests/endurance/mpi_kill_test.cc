// When one rank under mpirun fails in any way at any moment, all others end in
// time, with a message.
//
//   ./bazelw run //tests/endurance:mpi_kill_test -- --kills=200
//
// Without --kills each way fails once at each moment. This test must not
// initialize MPI itself, because mpirun would inherit that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/endurance/kill_options.h"
#include "catena/tests/support/program.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/communicators/testing/mpirun.h"

namespace catena {
namespace {

using testing::read_file;
using testing::TempFolder;
using training::communicators::testing::MpiRun;
using training::communicators::testing::RunResult;
using Clock = std::chrono::steady_clock;

// failing_rank's timeout, the ten seconds after it, and what a busy machine may
// take besides.
constexpr auto kLimit = std::chrono::seconds(5 + 10 + 10);
// What mpirun and the ranks may take to start.
constexpr auto kStartLimit = std::chrono::minutes(2);

// Cases at the same time: they wait most of the time.
constexpr int kAtOnce = 6;

// What the others are doing, and how they call it.
struct Moment {
  std::string name;
  std::string operation;
};
const std::vector<Moment> kMoments = {
    {"connect", "MPI_Init"},
    {"allreduce", "allreduce"},
    {"bcast", "bcast"},
    {"barrier", "barrier"},
    {"step", "(allreduce|allgather|bcast)"},
    {"checkpoint", "(barrier|allreduce|allgather|bcast)"},
    {"exit", "end of the program"},
    {"finalize", "MPI_Finalize"}};

// How a rank fails, and what is said then; OP stands for the operation, FAILED
// for the rank.
struct Way {
  std::string name;
  std::string message;
};
const std::string kHasEnded =
    "(OP: rank [01] waits for rank FAILED, which has ended; it has waited "
    "[0-9]+ seconds|(end of the program: rank FAILED of 2|a rank) waited "
    "[0-9]+ seconds|exiting improperly)";
const std::vector<Way> kWays = {
    {"kill", "on signal 9"},
    {"stop", "OP: (rank [01] of 2|a rank) waited [0-9]+ seconds"},
    {"_exit", "(exiting improperly|a rank waited [0-9]+ seconds)"},
    {"uncaught", "(on signal 6|this rank fails on purpose)"},
    {"throw",
     "(rank FAILED of 2 has ended with an error, so all ranks end|"
     "error: this rank fails on purpose)"},
    {"catch", kHasEnded},
    {"exit", kHasEnded}};

struct Case {
  Moment moment;
  Way way;
  int rank = 0;  // the one that fails
  int64_t microseconds = 0;

  std::string text() const {
    return str(moment.name, ", ", way.name, ", rank ", rank, " after ",
               microseconds, " us");
  }
  // A main that catches its own error after all work ends as any other.
  bool is_no_failure() const {
    return moment.name == "exit" && way.name == "catch";
  }
  std::string message() const {
    // While ranks connect, mpirun does not always see how one has ended.
    if (moment.name == "connect" && way.name == "kill") {
      return "(" + way.message + "|1 process returned)";
    }
    std::string text = way.message;
    for (const auto& [name, value] :
         {std::pair("OP", moment.operation),
          std::pair("FAILED", std::to_string(rank))}) {
      for (size_t at = text.find(name); at != std::string::npos;
           at = text.find(name, at + value.size())) {
        text.replace(at, std::string(name).size(), value);
      }
    }
    return text;
  }
};

// All combinations that differ: an exception that nobody catches, and exit(),
// are the same in every operation, and in MPI_Finalize all exceptions are.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Moment& moment : kMoments) {
    for (const Way& way : kWays) {
      const auto is_any_of = [](const std::string& name,
                                const std::vector<std::string>& names) {
        return std::ranges::find(names, name) != names.end();
      };
      if (way.name == "exit" && moment.name != "barrier") continue;
      if (way.name == "uncaught" &&
          is_any_of(moment.name, {"bcast", "barrier", "step"})) {
        continue;
      }
      if (moment.name == "finalize" &&
          is_any_of(way.name, {"throw", "catch"})) {
        continue;
      }
      cases.push_back({moment, way});
    }
  }
  return cases;
}

std::vector<Case> chosen_cases() {
  const std::vector<Case> all = all_cases();
  std::mt19937_64 random(testing::kill_seed());
  std::vector<Case> chosen;
  const int64_t count = testing::kills_wanted(std::ssize(all));
  while (std::ssize(chosen) < count) {
    Case next = all[chosen.size() % all.size()];
    next.rank = static_cast<int>(random() % 2);
    next.microseconds = static_cast<int64_t>(random() % 100'000);
    chosen.push_back(std::move(next));
  }
  return chosen;
}

// The ranks that have not ended, as far as they have written their numbers.
std::vector<pid_t> ranks_left(const std::string& folder) {
  std::vector<pid_t> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("rank_")) continue;
    const std::string number = read_file(entry.path().string());
    if (number.empty()) continue;
    const auto process = static_cast<pid_t>(std::stol(number));
    if (testing::is_running(process)) left.push_back(process);
  }
  return left;
}

void expect_all_end(const Case& one) {
  SCOPED_TRACE(one.text());
  const TempFolder folder;
  const MpiRun run(2, testing::runfile("tests/endurance/failing_rank"),
                   {one.moment.name, one.way.name, std::to_string(one.rank),
                    std::to_string(one.microseconds), folder.path()});
  bool has_failed = false;
  auto limit = Clock::now() + kStartLimit;
  const auto have_ended = [&] {
    return !run.process().is_running() && ranks_left(folder.path()).empty();
  };
  while (!have_ended() && Clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (!has_failed && std::filesystem::exists(folder.file("failed"))) {
      has_failed = true;
      limit = Clock::now() + kLimit;
    }
  }
  const bool in_time = have_ended();
  if (!in_time) {
    run.process().kill_at_once();
    for (const pid_t rank : ranks_left(folder.path())) ::kill(rank, SIGKILL);
  }
  const RunResult result = run.wait();
  EXPECT_TRUE(std::filesystem::exists(folder.file("failed"))) << result.output;
  EXPECT_TRUE(in_time) << "not all have ended: " << result.output;
  if (one.is_no_failure()) {
    EXPECT_EQ(result.code, 0) << result.output;
    return;
  }
  EXPECT_NE(result.code, 0) << result.output;
  // mpirun breaks its lines, and each version in other places.
  std::string output = result.output;
  std::ranges::replace(output, '\n', ' ');
  EXPECT_THAT(output, ::testing::ContainsRegex(one.message()));
}

TEST(MpiKillTest, WhenARankFailsAllOthersEndInTimeWithAMessage) {
  const std::vector<Case> cases = chosen_cases();
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kAtOnce; ++i) {
    threads.emplace_back([&] {
      for (size_t i = next++; i < cases.size(); i = next++) {
        expect_all_end(cases[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace catena

int main(int argc, char** argv) {
  return catena::testing::run_kill_test(argc, argv);
}
