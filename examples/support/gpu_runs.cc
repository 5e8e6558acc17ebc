#include "catena/examples/support/gpu_runs.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "catena/array/core/backend.h"
#include "catena/array/core/device.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/gpu_limit.h"

namespace catena::examples {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Program;

// The computing time of all programs that have ended.
double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Programs that are started in the scope find no GPU, emulated or real.
class WithoutGpus {
 public:
  WithoutGpus() {
    if (const char* visible = ::getenv(kVisible)) visible_ = visible;
    ::setenv(kVisible, "", 1);
    ::setenv(kEmulated, "0", 1);
  }
  ~WithoutGpus() {
    ::unsetenv(kEmulated);
    ::unsetenv(kVisible);
    if (visible_) ::setenv(kVisible, visible_->c_str(), 1);
  }
  WithoutGpus(const WithoutGpus&) = delete;
  WithoutGpus& operator=(const WithoutGpus&) = delete;

 private:
  static constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
  static constexpr const char* kEmulated = "CATENA_EMULATED_DEVICES";
  std::optional<std::string> visible_;
};

// The argument with devices of the host in place of GPUs.
std::string with_host_devices(std::string argument) {
  for (const auto& [gpu, host] :
       {std::pair("cuda:0", "native:1"), std::pair("cuda:1", "native:2")}) {
    const size_t at = argument.find(gpu);
    if (at != std::string::npos) {
      argument.replace(at, std::string_view(gpu).size(), host);
    }
  }
  return argument;
}

}  // namespace

bool GpuRunsTest::is_on_host() {
  return ::getenv("CATENA_EXAMPLES_ON_HOST") != nullptr;
}

bool GpuRunsTest::has_gpus(int count) {
  const BackendTable* cuda = backend_table(Backend::kCuda);
  return is_on_host() ||
         (cuda != nullptr &&
          testing::gpus_for_tests(cuda->device_count()) >= count);
}

std::string GpuRunsTest::run(const std::string& example, const Arguments& given,
                             const std::string& input) const {
  constexpr double kLimit = 60;
  const std::string program = "examples/" + example;
  SCOPED_TRACE(program);
  Arguments arguments = given;
  if (is_on_host()) {
    std::ranges::transform(given, arguments.begin(), with_host_devices);
  } else {
    const WithoutGpus scope;
    testing::expect_error_line(Program(program, arguments, folder_, input),
                               "cuda:0");
  }
  const double start = cpu_seconds();
  const Program process(program, arguments, folder_, input);
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_LT(cpu_seconds() - start, kLimit);
  EXPECT_THAT(process.err(), Not(HasSubstr("warning")));
  return process.out();
}

}  // namespace catena::examples
