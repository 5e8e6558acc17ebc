#include "catena/array/core/deferred_errors.h"

#include <gmock/gmock.h>

#include <string>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;

std::string describe(std::string_view operation, const int64_t* numbers) {
  return str(operation, ": bad number ", numbers[0]);
}
constexpr DeferredError kBadNumber = {describe, throw_error<ValueError>};
constexpr DeferredError kBadIndex = {describe, throw_error<IndexError>};

// A device whose memory is the host's.
constexpr Device kDevice(Backend::kCuda, kMaxDevices - 1);
constexpr Device kOther(Backend::kCuda, kMaxDevices - 2);

// What a kernel does.
void report(const ErrorReporter& to, int64_t number) {
  to.report->numbers[0] = number;
  to.report->state = DeferredReport::kComplete;
  *to.any = 1;
}

class DeferredErrorsTest : public ::testing::Test {
 protected:
  DeferredErrorsTest() {
    table_.allocate_reports = [](Device) { return new DeferredReports; };
    set_backend_table(Backend::kCuda, &table_);
  }
  ~DeferredErrorsTest() override {
    set_backend_table(Backend::kCuda, previous_);
  }

 private:
  const BackendTable* previous_ = backend_table(Backend::kCuda);
  BackendTable table_ = *backend_table(Backend::kNative);
};

TEST_F(DeferredErrorsTest, ThrowsWhatWasReportedOnce) {
  raise_deferred_errors(kDevice);
  const ErrorReporter reporter = error_reporter(kDevice, "f", kBadNumber);
  raise_deferred_errors(kDevice);
  for (const int64_t number : {3, -4}) {
    report(reporter, number);
    raise_deferred_errors(kOther);
    EXPECT_THAT(error_of<ValueError>([] { raise_deferred_errors(kDevice); }),
                str("f: bad number ", number,
                    " (found on cuda:63 after the "
                    "call)"));
    raise_deferred_errors(kDevice);
  }
}

TEST_F(DeferredErrorsTest, KeepsTheReporterOfAnOperation) {
  const ErrorReporter a = error_reporter(kDevice, "a", kBadNumber);
  const ErrorReporter b = error_reporter(kDevice, "b", kBadNumber);
  EXPECT_NE(a.report, b.report);
  EXPECT_NE(a.report, error_reporter(kDevice, "a", kBadIndex).report);
  EXPECT_NE(a.report, error_reporter(kOther, "a", kBadNumber).report);
  EXPECT_EQ(a.report, error_reporter(kDevice, "a", kBadNumber).report);
}

TEST_F(DeferredErrorsTest, NamesAllOperationsThatReported) {
  const ErrorReporter first = error_reporter(kDevice, "first", kBadIndex);
  const ErrorReporter second = error_reporter(kDevice, "second", kBadNumber);
  report(second, 2);
  report(first, 1);
  EXPECT_THAT(error_of<IndexError>([] { raise_deferred_errors(kDevice); }),
              "first: bad number 1; second: bad number 2 (found on "
              "cuda:63 after the call)");
  raise_deferred_errors(kDevice);
}

TEST_F(DeferredErrorsTest, LeavesAReportThatIsBeingWritten) {
  const ErrorReporter reporter = error_reporter(kDevice, "slow", kBadNumber);
  reporter.report->state = DeferredReport::kBeingWritten;
  *reporter.any = 1;
  raise_deferred_errors(kDevice);
  report(reporter, 5);
  EXPECT_THROW(raise_deferred_errors(kDevice), ValueError);
}

TEST_F(DeferredErrorsTest, RefusesOneOperationTooMany) {
  EXPECT_THROW(
      {
        for (int i = 0; i <= DeferredReports::kCapacity; ++i) {
          error_reporter(kDevice, str("operation ", i), kBadNumber);
        }
      },
      NotImplementedError);
}

}  // namespace
}  // namespace catena
