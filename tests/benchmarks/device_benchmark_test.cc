#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/tests/support/program.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Program;
using ::testing::StartsWith;

class DeviceBenchmarkTest : public testing::DeviceTest {
 protected:
  // The exit code.
  int run(Program::Arguments arguments) {
    Program program("tests/benchmarks/device_benchmark", arguments, folder_);
    const int status = program.wait();
    out_ = program.out();
    err_ = program.err();
    return status;
  }

  testing::TempFolder folder_;
  std::string out_, err_;
};

TEST_P(DeviceBenchmarkTest, MeasuresEachCaseThatFits) {
  const std::string file = folder_.path() + "/results";
  // ResNet-50 takes seconds on a CPU.
  ASSERT_EQ(
      run({"--device=" + str(device()), "--small", "--out=" + file,
           "--cases=launch,ops*,copy,add,multiply_add*,exp,from*,s*,max*,arg*,"
           "prod*,mean*,var*,all*,log*,layer*,cross*,batch*,*pooling*,conc*,"
           "matmul,conv*,take,cumsum,mlp*,*lstm*,*gru*,*rnn*,word2vec*,"
           "transformer*,gpt2_generate,adam*"}),
      0)
      << out_ << err_;
  EXPECT_THAT(out_, HasSubstr("transformer_train                   float32"));
  const std::string results = testing::read_file(file);
  std::istringstream stream(results);
  int lines = 0;
  for (std::string line; std::getline(stream, line); ++lines) {
    EXPECT_THAT(line, StartsWith("{\"program\": \"catena\", \""));
    EXPECT_THAT(line, EndsWith("}"));
    EXPECT_THAT(line, Not(HasSubstr("error")));
  }
  EXPECT_GE(lines, 60);
  EXPECT_THAT(results, HasSubstr("\"unit\": \"B/s\""));
  if (device().backend() != Backend::kCuda) return;
  for (const char* name :
       {"launch", "mlp_train", "lstm_train", "nstep_lstm_train",
        "nstep_gru_train", "nstep_rnn_train", "word2vec_train",
        "transformer_train", "adam_step"}) {
    EXPECT_THAT(results, HasSubstr(str("\"case\": \"", name,
                                       "\", \"dtype\": \"float32\", "
                                       "\"variant\": \"captured\", \"sec")));
  }
  EXPECT_THAT(results, HasSubstr("\"variant\": \"one_call captured\", \"sec"));
  for (const char* name : {"batch_normalization_residual_both_ways",
                           "max_pooling_both_ways", "concat"}) {
    EXPECT_THAT(results,
                HasSubstr(str("\"case\": \"", name,
                              "\", \"dtype\": \"float16\", "
                              "\"variant\": \"channels_last\", \"sec")));
  }
  EXPECT_THAT(results, HasSubstr("\"memory\": "));
}

TEST_P(DeviceBenchmarkTest, AConvolutionalNetwork) {
  ASSERT_EQ(run({"--device=" + str(device()), "--small", "--cases=lenet_train",
                 "--dtypes=float32,float16", "--batch=1", "--workspaces=1"}),
            0)
      << out_ << err_;
  EXPECT_THAT(out_, HasSubstr("lenet_train                         float16"));
  EXPECT_THAT(out_, HasSubstr("workspace 1 MiB"));
  if (device().backend() == Backend::kCuda) {
    for (const char* variant : {"channels_last captured ", "graph ",
                                "channels_last graph captured "}) {
      EXPECT_THAT(out_,
                  HasSubstr(str("lenet_train                         float16  ",
                                variant)));
    }
  }
}

TEST_P(DeviceBenchmarkTest, APlan) {
  ASSERT_EQ(run({"--device=" + str(device()), "--small", "--workspaces=1024",
                 "--cases=resnet50_infer_one", "--dtypes=float32"}),
            0)
      << out_ << err_;
  EXPECT_THAT(out_,
              HasSubstr("resnet50_infer_one                  float32  plan"));
}

INSTANTIATE_TEST_SUITE_P(DeviceBenchmark, DeviceBenchmarkTest,
                         testing::every_device(), testing::device_name);

class DeviceBenchmarkFlagsTest : public DeviceBenchmarkTest {};

TEST_P(DeviceBenchmarkFlagsTest, AreChecked) {
  EXPECT_EQ(run({"--device=cuda:9"}), 1);
  EXPECT_THAT(err_, StartsWith("error: "));
  EXPECT_EQ(run({"--cases=lenet,copy"}), 1);
  EXPECT_EQ(err_,
            "error: --cases: no case matches 'lenet'; --list prints their "
            "names\n");
  EXPECT_EQ(run({"--dtypes=float64"}), 1);
  EXPECT_EQ(err_,
            "error: --dtypes: expected float32, tf32, float16 or bfloat16, "
            "got 'float64'\n");
  EXPECT_EQ(run({"--workspaces=8,x"}), 1);
  EXPECT_EQ(err_, "error: --workspaces: expected numbers of MiB, got 'x'\n");
  EXPECT_EQ(run({"--rounds=0"}), 1);
  EXPECT_EQ(err_, "error: --rounds: expected at least 1, got 0\n");
}

TEST_P(DeviceBenchmarkFlagsTest, InferenceIsAlsoPlanned) {
  ASSERT_EQ(run({"--small", "--cases=resnet50_infer_one"}), 0) << out_ << err_;
  EXPECT_THAT(out_,
              HasSubstr("resnet50_infer_one                  float32  plan"));
}

TEST_P(DeviceBenchmarkFlagsTest, ListNamesTheCases) {
  EXPECT_EQ(run({"--list"}), 0);
  EXPECT_THAT(out_, HasSubstr("resnet50_train\n"));
}

INSTANTIATE_TEST_SUITE_P(DeviceBenchmark, DeviceBenchmarkFlagsTest,
                         ::testing::Values(native_device()),
                         testing::device_name);

}  // namespace
}  // namespace catena
