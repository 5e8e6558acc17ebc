// The code of caffe.md: compiled, run, and compared with the page.

#include "catena/docs/caffe_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;

std::string lenet() {
  return catena::testing::runfile("tests/golden/caffe/lenet.caffemodel");
}

TEST(CaffePageTest, RunsANet) {
  const std::string path = lenet();
  caffe::CaffeFunction model(path);
  Variable x(xp::ones({2, 1, 28, 28}, Dtype::kFloat32));
  Variable y = model({{"data", x}}, {"prob"}, {.train = false})[0];
  EXPECT_EQ(y.shape(), Shape({2, 10}));

  std::vector<Variable> blobs = model({{"data", x}}, {"pool1", "ip1"});
  Variable again = model({{"pool1", blobs[0]}}, {"ip1"})[0];
  EXPECT_THAT(again.data(), IsArray(blobs[1].data()));
}

TEST(CaffePageTest, PlansAnImport) {
  const std::string path = lenet();
  caffe::ImportPlan plan = caffe::import_plan(path);
  std::cout << to_string(plan);  // a line for each layer
  EXPECT_THAT(to_string(plan), ::testing::HasSubstr("conv1"));

  caffe::CaffeFunction lenient(path, {.strict = false});
  bool all = lenient.plan().is_complete();
  EXPECT_TRUE(all);
}

TEST(CaffePageTest, ModelsAreChains) {
  const std::string out = ::testing::TempDir() + "/caffe_page.npz";
  caffe::CaffeFunction model(lenet());
  auto& conv1 = dynamic_cast<L::ConvolutionND&>(model["conv1"]);
  Shape filters = conv1.W.shape();
  caffe::CaffeFunction twin = model;  // parameters of its own
  serializers::save_npz(out, model);  // keys "conv1/W", "conv1/b", ...
  serializers::load_npz(out, twin);
  EXPECT_EQ(filters, Shape({8, 1, 5, 5}));
  EXPECT_THAT(twin["conv1"].param("W").data(), IsArray(conv1.W.data()));
}

class FineTuned : public Chain<FineTuned> {
 public:
  FineTuned(const std::string& file, int64_t classes)
      : net(this, "net", file), fc(this, "fc", classes) {}

  Variable forward(const Variable& x) {
    return fc((*net)({{"data", x}}, {"ip1"})[0]);
  }

  Child<caffe::CaffeFunction> net;
  Child<L::Linear> fc;
};

TEST(CaffePageTest, FineTunesTheLastLayer) {
  const std::string path = lenet();
  FineTuned model(path, 3);
  optimizers::MomentumSGD optimizer({.lr = 0.01});
  optimizer.setup(model);
  model.net->disable_update();  // only fc learns

  const Variable x(xp::ones({2, 1, 28, 28}, Dtype::kFloat32));
  const Array conv1 = model.net->operator[]("conv1").param("W").data().copy();
  Variable y = model.forward(x);
  const Array fc = model.fc->W.data().copy();
  y.set_grad(xp::ones_like(y.data()));
  model.cleargrads();
  y.backward();
  optimizer.update();
  EXPECT_THAT(model.net->operator[]("conv1").param("W").data(), IsArray(conv1));
  EXPECT_THAT(model.fc->W.data(), ::testing::Not(IsClose(fc)));
}

TEST(CaffePageTest, ConvertingNamesWhatIsMissing) {
  EXPECT_THROW(
      {
        caffe::convert_caffemodel_to_npz<L::GoogLeNet>(
            "bvlc_googlenet.caffemodel", "bvlc_googlenet.npz");
      },
      IoError);
}

TEST(CaffePageTest, ExportsALink) {
  const std::string folder = ::testing::TempDir() + "/exported";
  L::Linear mlp(4, 3);
  Variable x(xp::ones({2, 4}, Dtype::kFloat32));
  caffe::export_caffe(mlp, x, folder);
  caffe::CaffeFunction net(folder + "/chainer_model.caffemodel");
  EXPECT_THAT(net({{"data", x}}, {"linear-1"})[0].data(),
              IsClose(mlp(x).data()));
}

TEST(CaffePageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/caffe.md", "docs/caffe_md_test.cc",
                                       10);
}

}  // namespace
