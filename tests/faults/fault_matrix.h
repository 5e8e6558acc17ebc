#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/tests/faults/fault_injection.h"

// Runs code once for each of its calls that can fail, and lets that call fail.
namespace catena::testing {

// One run of code under test, on objects of its own.
class FaultTrial {
 public:
  virtual ~FaultTrial() = default;
  // The code under test, whose calls are counted. It may run again after an
  // exception.
  virtual void run() = 0;
  // All that run() changes or returns, as bytes.
  virtual std::string state() = 0;
};
using MakeTrial = std::function<std::unique_ptr<FaultTrial>()>;

// A trial whose state is what `read` returns: nothing before it has succeeded.
MakeTrial reading(std::function<std::string()> read);

// A name, and trials of it.
struct FaultSubject {
  std::string name;
  MakeTrial make;
};

using Faults = std::vector<Fault>;
// Those of the system.
extern const Faults kAllFaults;
// Without operator new, for what uses nlohmann's JSON: its values need memory
// to be destroyed, and end the process where there is none.
extern const Faults kFaultsButNew;

// Lets each call of a trial fail in each way, one at a time. The run must
// succeed with the right state or throw an Error that leaves the state as it
// was, or as it is after success; then the same trial must succeed. An Error
// for want of memory is an OutOfMemoryError, and any other has the name of the
// call, if that is known. Nothing may be left: no memory, no open file. Of more
// than `most` calls of one kind, every second, third, ... fails, so that `most`
// do or fewer. Prints how many faults there were.
void expect_faults_do_no_harm(const FaultSubject& subject,
                              const Faults& faults = kAllFaults,
                              int64_t most = 3000);

// Adds to what a trial may not hold longer than it lives: the heap, the pool
// and files are there from the beginning.
void watch_holding(std::string name, std::function<int64_t()> count);

// The same for several subjects.
void expect_faults_do_no_harm(const std::vector<FaultSubject>& subjects);

// The faults so far of this program.
int64_t faults_injected();

}  // namespace catena::testing
