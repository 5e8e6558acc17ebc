#pragma once

#include <optional>
#include <string>
#include <vector>

namespace catena::testing {

// A Python 3 that can import these modules ("numpy, h5py"), or nothing where
// there is none.
std::optional<std::string> python_with(const std::string& modules);
// Tests that ask NumPy skip with kNoNumPy where there is none.
std::optional<std::string> python_with_numpy();
inline constexpr char kNoNumPy[] = "no python3 with NumPy on this machine";

struct PythonResult {
  int status = 0;      // 0 when the script ran to its end
  std::string output;  // stdout and stderr together
};

// Runs a script, which finds `arguments` in sys.argv[1:].
PythonResult run_python(const std::string& python, const std::string& script,
                        const std::vector<std::string>& arguments = {});

}  // namespace catena::testing
