#pragma once

#include <string>
#include <vector>

namespace catena::training::communicators::testing {

struct RunResult {
  // The exit code, or minus the signal that ended it.
  int code = 0;
  // What all ranks and mpirun itself wrote.
  std::string output;
};

// Runs a program as `ranks` processes under mpirun, on this machine, whatever
// the number of its cores, and waits for the end.
RunResult mpirun(int ranks, const std::string& program,
                 const std::vector<std::string>& arguments = {});

}  // namespace catena::training::communicators::testing
