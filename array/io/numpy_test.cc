// NumPy reads what catena writes, and the reverse. Skipped without NumPy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/array.h"
#include "catena/array/io/npy.h"
#include "catena/array/io/npz.h"
#include "catena/tests/support/python.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using testing::IsArray;
using testing::PythonResult;
using testing::run_python;
using testing::TempFolder;

// 0, 1, 2, ... of any dtype.
Array counted(const Shape& shape, Dtype dtype) {
  const Array a = empty(shape, dtype);
  visit_dtype(dtype, [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < a.size(); ++i) {
      a.data<T>()[i] = static_cast<T>(static_cast<float>(i));
    }
  });
  return a;
}

class NumPyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto python = testing::python_with_numpy();
    if (!python) GTEST_SKIP() << testing::kNoNumPy;
    python_ = *python;
  }
  // Runs a script, with the folder as sys.argv[1].
  void run(const std::string& script) {
    const PythonResult result = run_python(
        python_, "import sys, zipfile\nimport numpy as np\n" + script,
        {folder_.path()});
    EXPECT_EQ(result.status, 0) << result.output;
  }

  TempFolder folder_;
  std::string python_;
};

TEST_F(NumPyTest, ReadsEveryDtypeWeWrite) {
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (dtype == Dtype::kBFloat16) continue;
    save_npy(folder_.file(to_string(dtype) + ".npy"), counted({2, 3}, dtype));
  }
  run(R"(
for name in ('bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 '
             'float16 float32 float64').split():
    a = np.load('%s/%s.npy' % (sys.argv[1], name))
    assert a.dtype == name and a.shape == (2, 3), (name, a.dtype, a.shape)
    assert (a == np.arange(6).reshape(2, 3).astype(name)).all(), a
)");
}

TEST_F(NumPyTest, WritesTheSameBytes) {
  save_npy(folder_.file("ours.npy"), counted({3, 1, 4}, Dtype::kFloat32));
  run(R"(
a = np.arange(12, dtype='f4').reshape(3, 1, 4)
np.save(sys.argv[1] + '/theirs.npy', a)
ours = open(sys.argv[1] + '/ours.npy', 'rb').read()
assert ours == open(sys.argv[1] + '/theirs.npy', 'rb').read(), ours
)");
}

TEST_F(NumPyTest, ReadsOurArchives) {
  const NpzItems items = {{"l1/W", counted({2, 2}, Dtype::kFloat32)},
                          {"\xc3\xa9", counted({}, Dtype::kInt64)},
                          {"log", std::string("h\xc3\xa9llo")},
                          {"none", NpyNone{}}};
  savez(folder_.file("stored.npz"), items);
  savez_compressed(folder_.file("deflated.npz"), items);
  run(R"(
for name in ('stored', 'deflated'):
    path = '%s/%s.npz' % (sys.argv[1], name)
    assert zipfile.ZipFile(path).testzip() is None
    z = np.load(path, allow_pickle=True)
    assert z.files == ['l1/W', '\u00e9', 'log', 'none'], z.files
    assert z['l1/W'].tolist() == [[0, 1], [2, 3]]
    assert z['\u00e9'].shape == () and z['\u00e9'].dtype == 'i8'
    assert str(z['log']) == 'h\u00e9llo', z['log']
    assert z['none'].shape == () and z['none'].item() is None
)");
}

TEST_F(NumPyTest, ReadsOurArchivesWith64BitFields) {
  std::string bytes;
  StringSink sink(&bytes);
  ZipWriter zip(sink, /*zip64_from=*/0);
  write_npy(zip.begin_member("x.npy", 6), counted({5}, Dtype::kInt32), "test");
  zip.end_member();
  zip.finish();
  testing::write_file(folder_.file("a.npz"), bytes);
  run(R"(
path = sys.argv[1] + '/a.npz'
assert zipfile.ZipFile(path).testzip() is None
assert np.load(path)['x'].tolist() == [0, 1, 2, 3, 4]
)");
}

TEST_F(NumPyTest, WritesArchivesThatWeRead) {
  run(R"(
items = {'a/b': np.arange(6, dtype='>i2').reshape(2, 3).T,
         't': np.array(['x', 'yz']), 'none': np.array(None)}
np.savez(sys.argv[1] + '/stored.npz', **items)
np.savez_compressed(sys.argv[1] + '/deflated.npz', **items)
# To a stream that cannot seek, so that descriptors follow the data.
class Stream:
    def __init__(self): self.bytes = b''
    def write(self, b): self.bytes += bytes(b); return len(b)
    def flush(self): pass
stream = Stream()
with zipfile.ZipFile(stream, 'w', zipfile.ZIP_DEFLATED) as z:
    with zipfile.ZipFile(sys.argv[1] + '/stored.npz') as source:
        for member in source.namelist():
            z.writestr(member, source.read(member))
open(sys.argv[1] + '/stream.npz', 'wb').write(stream.bytes)
)");
  for (const char* name : {"stored.npz", "deflated.npz", "stream.npz"}) {
    const NpzReader reader(folder_.file(name));
    EXPECT_THAT(reader.read_array("a/b"),
                IsArray(counted({2, 3}, Dtype::kInt16).transpose()));
    EXPECT_EQ(reader.read("t").strings(), NpyString({2}, {"x", "yz"}));
    EXPECT_TRUE(reader.read("none").is_none());
  }
}

}  // namespace
}  // namespace catena::array
