#pragma once

#include <string>
#include <string_view>

namespace catena::cuda {

// A library that is not part of the CUDA toolkit, loaded when it is needed:
// programs start without it.
class VendorLibrary {
 public:
  struct Need {
    std::string_view name;  // for errors
    std::string file;       // as for dlopen
    const char* version_function;
    // Calls that function. 10000 * major + 100 * minor + patch.
    size_t (*version)(void* function);
    size_t least_version;
  };
  explicit VendorLibrary(const Need& need);

  // Why its functions cannot be called: what was looked for, what was found and
  // what is needed. Empty if they can.
  const std::string& problem() const { return problem_; }

  // The address of a function. Throws DeviceError when there is none.
  void* address(std::string_view function) const;

 private:
  const std::string name_;
  void* const handle_;
  std::string problem_;
};

// The name of a function that begins with `prefix`, which the compiler knows.
template <auto function>
constexpr std::string_view function_name(std::string_view prefix) {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.rfind(prefix));
  return text.substr(0, text.find_first_of(";], )"));
}

}  // namespace catena::cuda
