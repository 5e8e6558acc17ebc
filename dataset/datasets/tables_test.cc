#include "catena/dataset/datasets/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/averages.h"
#include "catena/dataset/dataset_root.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::datasets {
namespace {

using array::arange;
using array::array;
using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;
using testing::TempFolder;
using testing::write_file;

dataset::Example all_of(const TupleDataset& dataset) {
  return dataset.gather(arange(dataset.size())).value();
}

TEST(ShippedTablesTest, AreTheRealOnes) {
  const TupleDataset iris = get_iris();
  ASSERT_EQ(iris.size(), 150);
  EXPECT_THAT(iris[149][0],
              IsClose(array({5.9, 3.0, 5.1, 1.8}, Dtype::kFloat32)));
  EXPECT_THAT(iris[149][1], IsArray(array(2, Dtype::kInt32)));
  const TupleDataset wine = get_wine();
  ASSERT_EQ(wine.size(), 178);
  EXPECT_EQ(wine[0][0].shape(), Shape{13});
  EXPECT_FLOAT_EQ(wine[0][0][12].item<float>(), 1065);
  const TupleDataset cancer = get_breast_cancer();
  ASSERT_EQ(cancer.size(), 569);
  EXPECT_EQ(cancer[0][0].shape(), Shape{30});
  EXPECT_FLOAT_EQ(cancer[0][0][1].item<float>(), 10.38f);
}

TEST(ShippedTablesTest, HaveTheirClasses) {
  const auto counts = [](const TupleDataset& dataset) {
    std::vector<int> counts(4);
    const Array labels = all_of(dataset)[1];
    for (int64_t i = 0; i < labels.size(); ++i) {
      ++counts.at(labels.data<int32_t>()[i]);
    }
    return counts;
  };
  EXPECT_THAT(counts(get_iris()), ElementsAre(50, 50, 50, 0));
  EXPECT_THAT(counts(get_wine()), ElementsAre(59, 71, 48, 0));
  EXPECT_THAT(counts(get_breast_cancer()), ElementsAre(212, 357, 0, 0));
}

TEST(ShippedTablesTest, ComeInTheFormThatIsAskedFor) {
  const TupleDataset alone = get_iris({.withlabel = false});
  EXPECT_EQ(alone[0].size(), 1);
  const TupleDataset other = get_iris({.label_ndim = 1,
                                       .dtype = Dtype::kFloat64,
                                       .label_dtype = Dtype::kInt64});
  EXPECT_THAT(other[0][0], IsArray(array({5.1, 3.5, 1.4, 0.2})));
  EXPECT_THAT(other[0][1], IsArray(array({0})));
  EXPECT_THAT(error_of<ValueError>([] { get_wine({.label_ndim = 2}); }),
              HasSubstr("get_wine: expected label_ndim 0 or 1, got 2"));
}

TEST(ShippedTablesTest, StandardizedColumnsHaveMeanZeroAndVarianceOne) {
  const Array x = all_of(
      get_breast_cancer({.standardize = true, .dtype = Dtype::kFloat64}))[0];
  EXPECT_THAT(array::mean(x, {.axis = 0}),
              IsClose(array::zeros({30}), {.rtol = 0, .atol = 1e-12}));
  EXPECT_THAT(array::var(x, {.axis = 0}),
              IsClose(array::ones({30}), {.rtol = 0, .atol = 1e-12}));
}

class CategoricalTableTest : public ::testing::Test {
 protected:
  std::string write(const std::string& text) const {
    write_file(folder.file("table.csv"), text);
    return folder.file("table.csv");
  }
  TempFolder folder;
};

const std::string kMushrooms =
    "class,cap,ring,veil\n"
    "p,x,10,w\n"
    "e,b,9,w\n"
    "e,x,10,w\n";

TEST_F(CategoricalTableTest, NumbersTheCategoriesOfEachColumn) {
  const CategoricalTable table = read_categorical_table(write(kMushrooms));
  EXPECT_THAT(table.names, ElementsAre("class", "cap", "ring", "veil"));
  EXPECT_THAT(table.categories,
              ElementsAre(ElementsAre("e", "p"), ElementsAre("b", "x"),
                          ElementsAre("10", "9"), ElementsAre("w")));
  EXPECT_THAT(table.codes,
              IsArray(array({{1, 1, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}},
                            Dtype::kInt32)));
}

TEST_F(CategoricalTableTest, RefusesDamagedFiles) {
  const auto expect_error = [&](const std::string& text, const char* message) {
    const std::string path = write(text);
    EXPECT_THAT(error_of<IoError>([&] { read_categorical_table(path); }),
                AllOf(HasSubstr("table.csv"), HasSubstr(message)));
  };
  expect_error("", "expected rows after the header line, got none");
  expect_error("a,b\n", "expected rows after the header line, got none");
  expect_error("a,b\n1,2\n3\n", "line 3: expected 2 fields, got 1");
  expect_error("a,a\n1,2\n", "distinct column names");
}

using MushroomsTest = CategoricalTableTest;

TEST_F(MushroomsTest, AreRowsAndWhetherTheyArePoisonous) {
  const TupleDataset plain = get_mushrooms({.path = write(kMushrooms)});
  ASSERT_EQ(plain.size(), 3);
  EXPECT_THAT(plain[1][0], IsArray(array({0, 1, 0}, Dtype::kFloat32)));
  EXPECT_THAT(plain[0][1], IsArray(array({1}, Dtype::kInt32)));
  const TupleDataset scaled = get_mushrooms(
      {.path = write(kMushrooms), .table = {.standardize = true}});
  const float root = std::sqrt(0.5f);
  EXPECT_THAT(
      all_of(scaled)[0],
      IsClose(
          array({{root, -root, 0}, {-2 * root, 2 * root, 0}, {root, -root, 0}},
                Dtype::kFloat32)));
  EXPECT_EQ(scaled[0][1].ndim(), 0);
}

TEST_F(MushroomsTest, ThatAreNotThereAreAnErrorThatSaysWhereTheyBelong) {
  dataset::set_dataset_root(folder.path());
  EXPECT_THAT(error_of<IoError>([] { get_mushrooms(); }),
              AllOf(HasSubstr("get_mushrooms: expected '" +
                              folder.file("mushrooms/mushrooms.csv")),
                    HasSubstr("put it there")));
  dataset::set_dataset_root("");
}

TEST_F(MushroomsTest, OtherTablesAreRefused) {
  const std::string path = write("cap,class\nx,p\nb,e\n");
  EXPECT_THAT(error_of<IoError>([&] { get_mushrooms({.path = path}); }),
              HasSubstr("expected a first column 'class' of 2 "
                        "values, got 'cap' of 2"));
  EXPECT_THAT(error_of<ValueError>([&] {
                get_mushrooms({.path = path, .table = {.label_ndim = 3}});
              }),
              HasSubstr("label_ndim 0 or 1"));
}

}  // namespace
}  // namespace catena::datasets
