#include "catena/dataset/datasets/mnist.h"

#include "catena/dataset/datasets/idx_images.h"

namespace catena::datasets {
namespace {

// SHA-256 of the four compressed files.
constexpr IdxImages::Hashes kMnist = {{
    "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}};
constexpr IdxImages::Hashes kFashion = {{
    "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
    "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
    "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
    "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
}};
constexpr IdxImages::Hashes kKuzushiji = {{
    "51467d22d8cc72929e2a028a0428f2086b092bb31cfb79c69cc0a90ce135fde4",
    "e38f9ebcd0f3ebcdec7fc8eabdcdaef93bb0df8ea12bee65224341c8183d8e17",
    "edd7a857845ad6bb1d0ba43fe7e794d164fe2dce499a1694695a792adfac43c5",
    "20bb9a0ef54c7db3efc55a92eef5582c109615df22683c380526788f98e42a1c",
}};

}  // namespace

std::pair<TupleDataset, TupleDataset> get_mnist(
    const GetMnistOptions& options) {
  return get_idx_images(
      {.operation = "get_mnist",
       .folder = "mnist",
       .servers = {"https://ossci-datasets.s3.amazonaws.com/mnist/",
                   "https://storage.googleapis.com/cvdf-datasets/mnist/"},
       .sha256 = kMnist},
      options);
}

std::pair<TupleDataset, TupleDataset> get_fashion_mnist(
    const GetMnistOptions& options) {
  return get_idx_images(
      {.operation = "get_fashion_mnist",
       .folder = "fashion-mnist",
       .servers =
           {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
            "https://raw.githubusercontent.com/zalandoresearch/"
            "fashion-mnist/master/data/fashion/"},
       .sha256 = kFashion},
      options);
}

std::vector<std::string> get_fashion_mnist_labels() {
  return {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
          "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
}

std::pair<TupleDataset, TupleDataset> get_kuzushiji_mnist(
    const GetMnistOptions& options) {
  return get_idx_images(
      {.operation = "get_kuzushiji_mnist",
       .folder = "kuzushiji-mnist",
       .servers = {"http://codh.rois.ac.jp/kmnist/dataset/kmnist/"},
       .sha256 = kKuzushiji},
      options);
}

std::vector<std::string> get_kuzushiji_mnist_labels() {
  return {"o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"};
}

}  // namespace catena::datasets
