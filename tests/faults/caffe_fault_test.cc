// Readers and writers of Caffe's files while each of their calls fails.

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/io/npy.h"
#include "catena/caffe/caffe_function.h"
#include "catena/caffe/export_caffe.h"
#include "catena/caffe/mean_file.h"
#include "catena/caffe/testing/net_builder.h"
#include "catena/links/connection/linear.h"
#include "catena/tests/faults/bits.h"
#include "catena/tests/faults/fault_matrix.h"
#include "catena/tests/faults/writing_trial.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

TEST(CaffeFaultTest, ANetIsReadOrAnErrorIsGiven) {
  const TempFolder folder;
  const std::string path = folder.file("net.caffemodel");
  NetBuilder builder("data", {1, 3});
  builder
      .layer("ip", "InnerProduct", {"data"}, {"ip"},
             {made_up({2, 3}), made_up({2})})
      .mutable_inner_product_param()
      ->set_num_output(2);
  builder.save(path);
  expect_faults_do_no_harm({"CaffeFunction", reading([&] {
                              caffe::CaffeFunction net(path);
                              const NoFaults suspended;
                              return bits_of(net);
                            })});
}

TEST(CaffeFaultTest, AMeanIsReadOrAnErrorIsGiven) {
  const TempFolder folder;
  array::save_npy(folder.file("mean.npy"), array::ones({3, 2, 2}));
  // A BlobProto: num, channels, height and width of 1, and one number.
  std::ofstream(folder.file("mean.binaryproto"))
      << "\x08\x01\x10\x01\x18\x01\x20\x01\x2a\x04"
      << "abcd";
  for (const std::string name : {"mean.npy", "mean.binaryproto"}) {
    const std::string path = folder.file(name);
    expect_faults_do_no_harm({name, reading([&] {
                                const Array mean = caffe::read_mean_file(path);
                                const NoFaults suspended;
                                return bits_of(mean);
                              })});
  }
}

// The text and the weights are each whole, but one may be there without the
// other.
TEST(CaffeFaultTest, AnExportedNetIsTheOldFileOrTheNew) {
  links::Linear link(3, 2);
  const Variable x(array::ones({1, 3}, Dtype::kFloat32));
  const std::vector<Variable> outputs = {link(x)};
  expect_faults_do_no_harm(writer(
      "export_caffe", "chainer_model.prototxt", [&](const std::string& path) {
        std::string folder;
        {
          const NoFaults suspended;
          folder = path.substr(0, path.rfind('/'));
        }
        caffe::export_caffe(outputs, folder, {.export_params = false});
      }));
}

}  // namespace
}  // namespace catena::testing
