#pragma once

#include <string>
#include <vector>

// The C++ compiler of this machine, for kernels that are compiled at run time.
namespace catena::array {

struct HostCompiler {
  // The program, and arguments that always come first.
  std::vector<std::string> command;
  // The first line of what it answers to --version.
  std::string version;
};

// $CXX (words as in "ccache g++"), else c++, g++ or clang++, whichever is on
// PATH first. Found once a process; NotImplementedError naming `kernel` and
// what was looked for when there is none.
const HostCompiler& host_compiler(const std::string& kernel);

struct Compilation {
  bool ok = false;
  std::string output;  // the compiler's messages
  std::string binary;  // the shared object
};

// Compiles C++20 source text into a shared object, in a scratch folder that is
// gone afterwards. IoError when there is no place for that folder or the
// compiler cannot be started.
Compilation compile_shared_object(const HostCompiler& compiler,
                                  const std::string& source,
                                  const std::vector<std::string>& options);

}  // namespace catena::array
