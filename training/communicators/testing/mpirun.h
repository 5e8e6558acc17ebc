#pragma once

#include <string>
#include <vector>

namespace catena::training::communicators::testing {

struct RunResult {
  // The exit code, or the negative number of the signal that ended it.
  int code = 0;
  // The output of all ranks and of mpirun.
  std::string output;
};

// Runs a program as `ranks` processes under mpirun on this machine, even with
// fewer cores, and waits for it.
RunResult mpirun(int ranks, const std::string& program,
                 const std::vector<std::string>& arguments = {});

}  // namespace catena::training::communicators::testing
