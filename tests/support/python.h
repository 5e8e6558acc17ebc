#pragma once

#include <optional>
#include <string>
#include <vector>

namespace catena::testing {

// A Python 3 that can import these modules ("numpy, h5py"); nullopt if there is
// none.
std::optional<std::string> python_with(const std::string& modules);
// Tests that need NumPy skip with kNoNumPy if it is missing.
std::optional<std::string> python_with_numpy();
inline constexpr char kNoNumPy[] = "no python3 with NumPy on this machine";

struct PythonResult {
  int status = 0;      // 0 if the script succeeded
  std::string output;  // stdout and stderr together
};

// Runs a script with `arguments` as sys.argv[1:].
PythonResult run_python(const std::string& python, const std::string& script,
                        const std::vector<std::string>& arguments = {});

}  // namespace catena::testing
