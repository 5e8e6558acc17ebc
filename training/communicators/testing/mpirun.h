#pragma once

#include <string>
#include <vector>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::training::communicators::testing {

struct RunResult {
  // The exit code, or the negative number of the signal that ended it.
  int code = 0;
  // The output of all ranks and of mpirun.
  std::string output;
};

// The program at a path as `ranks` processes under mpirun on this machine, even
// with fewer cores.
class MpiRun {
 public:
  MpiRun(int ranks, const std::string& program,
         const std::vector<std::string>& arguments = {});
  ~MpiRun();
  MpiRun(const MpiRun&) = delete;
  MpiRun& operator=(const MpiRun&) = delete;

  // mpirun, whose children are the ranks.
  const catena::testing::Program& process() const { return process_; }
  RunResult wait() const;

 private:
  catena::testing::TempFolder folder_;
  std::string session_;
  catena::testing::Program process_;
};

// The same, to the end.
RunResult mpirun(int ranks, const std::string& program,
                 const std::vector<std::string>& arguments = {});

}  // namespace catena::training::communicators::testing
