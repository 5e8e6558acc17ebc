// The code of profiling.md: compiled, run, and compared with the page.

#include "catena/docs/profiling_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ProfilingMdTest, HasTheCodeOfThePage) {
  catena::testing::expect_code_of_page("docs/profiling.md",
                                       "docs/profiling_md_test.cc", 4);
}

TEST(ProfilingMdTest, ATrainerWritesATrace) {
  const catena::testing::TempFolder folder;
  L::Classifier model(L::Linear(10));
  optimizers::SGD optimizer;
  optimizer.setup(model);
  const auto [train, test] = datasets::get_digits();
  iterators::SerialIterator iterator(train, 20);
  training::StandardUpdater updater(iterator, optimizer);
  training::Trainer trainer(updater, {20, "iteration"}, {.out = folder.path()});
  trainer.extend(extensions::TraceReport({.skip = 5, .iterations = 10}));
  trainer.run();
  EXPECT_THAT(catena::testing::read_file(folder.file("trace.json")),
              AllOf(HasSubstr(R"({"name":"update","ph":"X")"),
                    HasSubstr(R"({"name":"host memory, used","ph":"C")"),
                    HasSubstr("float32 (20, 64)")));
}

TEST(ProfilingMdTest, AHookAndASpanFillATrace) {
  const catena::testing::TempFolder temp;
  const std::string& folder = temp.path();
  L::Linear model(3);
  const Variable x(array::ones({2, 4}, Dtype::kFloat32));
  Trace trace;
  {
    function_hooks::TraceHook hook;
    const FunctionHookScope scope(hook);
    const TraceSpan span("my program", "one step");
    F::sum(model(x)).backward();
  }
  trace.stop();
  std::ofstream file(folder + "/step.json");
  trace.write(file);
  file.close();
  EXPECT_THAT(catena::testing::read_file(temp.file("step.json")),
              AllOf(HasSubstr(R"("name":"one step")"),
                    HasSubstr(R"("cat":"my program")"),
                    HasSubstr(R"("name":"linear")")));
}

TEST(ProfilingMdTest, ATimerSumsUp) {
  std::ostringstream table;
  L::Linear model(3);
  const Variable x(array::ones({2, 4}, Dtype::kFloat32));
  function_hooks::TimerHook timer;
  {
    const FunctionHookScope scope(timer);
    F::sum(model(x)).backward();
  }
  timer.print_report(table);
  EXPECT_THAT(table.str(), HasSubstr("linear"));
}

}  // namespace
