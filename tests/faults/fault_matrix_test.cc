#include "catena/tests/faults/fault_matrix.h"

#include <fcntl.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <string>

#include "catena/array/core/error.h"

namespace catena::testing {
namespace {

constexpr const char* kText = "a text too long for the inside of a string";

std::string copy_or_error() {
  try {
    return kText;
  } catch (const std::bad_alloc&) {
    raise<OutOfMemoryError>("copy: no memory");
  }
}

const FaultSubject kGood{"a copy", reading(copy_or_error)};

TEST(FaultMatrixTest, CountsTheFaultsOfWhatHandlesThem) {
  const int64_t before = faults_injected();
  expect_faults_do_no_harm(kGood);
  EXPECT_GE(faults_injected(), before + 1);
}

TEST(FaultMatrixTest, NoticesAnExceptionOfAnotherClass) {
  static const FaultSubject subject{"a copy",
                                    reading([] { return std::string(kText); })};
  EXPECT_NONFATAL_FAILURE(expect_faults_do_no_harm(subject),
                          "throws a std::bad_alloc, not an Error");
}

TEST(FaultMatrixTest, NoticesALeak) {
  static const FaultSubject subject{"a leak", reading([] {
                                      auto* leak = new (std::nothrow) int;
                                      std::string text = copy_or_error();
                                      delete leak;
                                      return text;
                                    })};
  EXPECT_NONFATAL_FAILURE(expect_faults_do_no_harm(subject, {Fault::kNew}),
                          "bytes of the heap");
}

TEST(FaultMatrixTest, NoticesAnOpenFile) {
  static const FaultSubject subject{"a file", reading([] {
                                      const int file =
                                          ::open("/dev/null", O_RDONLY);
                                      std::string text = copy_or_error();
                                      ::close(file);
                                      return text;
                                    })};
  EXPECT_NONFATAL_FAILURE(expect_faults_do_no_harm(subject, {Fault::kNew}),
                          "open files");
}

TEST(FaultMatrixTest, NoticesWrongBits) {
  static const FaultSubject subject{
      "a silent failure", reading([] {
        const std::unique_ptr<int> number(new (std::nothrow) int(1));
        return std::string(number == nullptr ? "wrong" : "right");
      })};
  EXPECT_NONFATAL_FAILURE(expect_faults_do_no_harm(subject, {Fault::kNew}),
                          "wrong bits");
}

class HalfChange final : public FaultTrial {
 public:
  void run() override {
    ++steps_;
    text_ = copy_or_error();
    ++steps_;
  }
  std::string state() override { return std::to_string(steps_); }

 private:
  int steps_ = 0;
  std::string text_;
};

TEST(FaultMatrixTest, NoticesAHalfChangedState) {
  static const FaultSubject subject{
      "half a change", [] { return std::make_unique<HalfChange>(); }};
  EXPECT_NONFATAL_FAILURE(expect_faults_do_no_harm(subject, {Fault::kNew}),
                          "half-changed state");
}

}  // namespace
}  // namespace catena::testing
