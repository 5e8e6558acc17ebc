// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/array/creation.h"
#include "catena/dataset/image_file.h"
#include "catena/examples/support/gpu_runs.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

class CaffeGpuTest : public GpuRunsTest {
 protected:
  // A gray image.
  std::string make_image(const std::string& name, float gray) const {
    dataset::write_image(file(name), array::full({28, 28}, gray));
    return file(name);
  }
};

std::string net(const std::string& name) {
  return "--model=" +
         testing::runfile("tests/golden/caffe/" + name + ".caffemodel");
}

TEST_F(CaffeGpuTest, Classifies) {
  run("caffe/classify",
      {"--device=cuda:0", net("alexnet_like"), "--resize=0",
       "--image=" + make_image("image.png", 0.5f), "--mean=104,117,123"});
}

TEST_F(CaffeGpuTest, Evaluates) {
  make_image("image.png", 0.5f);
  testing::write_file(file("val.txt"), "image.png 3\nimage.png 4\n");
  run("caffe/evaluate", {"--device=cuda:0", net("lenet"), "--resize=0",
                         "--images=" + file("val.txt")});
}

TEST_F(CaffeGpuTest, FineTunes) {
  std::string list;
  for (const char* digit : {"0", "1", "2", "3"}) {
    const std::string name = std::string("image") + digit + ".png";
    make_image(name, 0.2f * static_cast<float>(*digit - '0'));
    list += name + " " + (*digit < '2' ? "0\n" : "1\n");
  }
  testing::write_file(file("list.txt"), list);
  for (const std::string all : {"0", "1"}) {
    run("caffe/fine_tune",
        {"--device=cuda:0", net("lenet"), "--feature=ip1", "--resize=0",
         "--mean=120", "--batchsize=2", "--epoch=2", "--all=" + all,
         "--images=" + file("list.txt"), "--out=" + file("result")});
  }
}

}  // namespace
}  // namespace catena::examples
