#include "catena/training/communicators/mpi_session.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "catena/array/core/error.h"
#include "catena/training/communicators/communicator.h"
#include "catena/training/communicators/wait_limit.h"

#ifdef __SANITIZE_ADDRESS__
// Open MPI leaks memory at exit, and has unloaded the plugins that allocated it
// by then, so leaks cannot be suppressed by name.
extern "C" int __lsan_is_turned_off() { return 1; }
#endif

namespace catena::training::communicators {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLeaveTag = 1;
// How often a waiting rank checks for ranks that have left, and how long it
// keeps waiting then: they may have left after completing the operation.
constexpr std::chrono::milliseconds kLookInterval(200);
constexpr std::chrono::seconds kPatience(5);
// How much longer a rank that ends waits for the others than they for it, so
// that they can say what they wait for.
constexpr std::chrono::seconds kTimeToTell(2);
// How long MPI_Abort may take, and MPI_Finalize at least, for which all ranks
// are there.
constexpr std::chrono::seconds kEndLimit(5);

}  // namespace

void check_mpi(int status, std::string_view call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  raise<CommunicatorError>(call, ": expected success, got ",
                           std::string(text, length));
}

MpiSession& MpiSession::instance(std::chrono::seconds timeout) {
  // Never destroyed: atexit handlers use it.
  static MpiSession& session = *[timeout] {
    auto* made = new MpiSession(timeout);
    std::atexit([] { instance().end(); });
    return made;
  }();
  return session;
}

MpiSession::MpiSession(std::chrono::seconds timeout) {
  const WaitLimit limit("MPI_Init", "a rank", timeout);
  int initialized = 0;
  check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
  if (initialized == 0) {
    // Open MPI 5 and 6 abort a process without HOME, such as a Bazel test.
    setenv("HOME", "/", /*overwrite=*/0);
    int provided = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided),
              "MPI_Init_thread");
    is_owner_ = true;
  }
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &control_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(control_, MPI_ERRORS_RETURN),
            "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(control_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(control_, &size_), "MPI_Comm_size");
}

std::string MpiSession::name() const {
  return str("rank ", rank_, " of ", size_);
}

int MpiSession::find_left() {
  int found = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kLeaveTag, control_, &found, &status),
            "MPI_Iprobe");
  return found != 0 ? status.MPI_SOURCE : -1;
}

void MpiSession::wait_until(const std::function<bool()>& done,
                            std::string_view operation,
                            std::chrono::seconds timeout) {
  longest_timeout_ = std::max(longest_timeout_, timeout);
  constexpr int kFirstTries = 50;
  for (int i = 0; i < kFirstTries; ++i) {
    if (done()) return;
  }
  const auto start = Clock::now();
  auto next_look = start + kLookInterval;
  auto give_up = start + timeout;
  int left = -1;
  while (!done()) {
    sched_yield();
    const auto now = Clock::now();
    if (now >= give_up) {
      note_failure();  // or the end of the program would wait again
      const auto waited =
          std::chrono::duration_cast<std::chrono::seconds>(now - start).count();
      if (left >= 0) {
        raise<CommunicatorError>(operation, ": rank ", rank_,
                                 " waits for rank ", left,
                                 ", which has ended; it has waited ", waited,
                                 " seconds; all ranks must do the same steps");
      }
      raise<CommunicatorError>(operation, ": ", name(), " waited ", waited,
                               " seconds for the others");
    }
    if (now < next_look) continue;
    next_look = now + kLookInterval;
    if (left < 0 && (left = find_left()) >= 0) {
      give_up = std::min(give_up, now + kPatience);
    }
  }
}

void MpiSession::end() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  if (has_failed_ && size_ > 1) {
    std::fprintf(stderr,
                 "catena: %s has ended with an error, so all ranks end\n",
                 name().c_str());
    abort();
  }
  try {
    end_in_good_order();
  } catch (const Error& error) {
    std::fprintf(stderr, "catena: %s\n", error.what());
    abort();
  }
}

void MpiSession::abort() const {
  std::optional<WaitLimit> limit;
  try {
    limit.emplace("MPI_Abort", name(), kEndLimit);
  } catch (const Error&) {
    // Without a thread that watches it, MPI_Abort still nearly always ends.
  }
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

void MpiSession::end_in_good_order() {
  std::vector<MPI_Request> requests(2 * static_cast<size_t>(size_),
                                    MPI_REQUEST_NULL);
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, other, kLeaveTag, control_,
                        &requests[other]),
              "MPI_Isend");
  }
  // Other ranks may get here much later. Messages are not received before, so
  // that every rank can see which ranks have left.
  const auto limit =
      (longest_timeout_ > std::chrono::seconds(0) ? longest_timeout_
                                                  : std::chrono::seconds(60)) +
      kTimeToTell;
  const auto give_up = Clock::now() + limit;
  const auto wait = [&](const std::function<bool()>& done) {
    while (!done()) {
      if (Clock::now() >= give_up) {
        raise<CommunicatorError>("end of the program: ", name(), " waited ",
                                 limit.count(), " seconds for the others");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  MPI_Request barrier = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(control_, &barrier), "MPI_Ibarrier");
  wait([&] {
    int done = 0;
    check_mpi(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, other, kLeaveTag, control_,
                        &requests[size_ + other]),
              "MPI_Irecv");
  }
  wait([&] {
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(),
                          &done, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    return done != 0;
  });
  if (!is_owner_) return;
  const auto rest =
      std::chrono::ceil<std::chrono::seconds>(give_up - Clock::now());
  const WaitLimit watch("MPI_Finalize", name(), std::max(rest, kEndLimit));
  check_mpi(MPI_Finalize(), "MPI_Finalize");
}

}  // namespace catena::training::communicators
