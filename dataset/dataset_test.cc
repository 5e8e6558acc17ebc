#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/take.h"
#include "catena/dataset/batch.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/dataset_mixin.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::dataset {
namespace {

using array::arange;
using array::array;
using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;

// (i, i * i), one example at a time.
class Squares : public DatasetMixin {
 public:
  int64_t size() const override { return 5; }
  Example get_example(int64_t i) const override {
    return {i, static_cast<double>(i * i)};
  }
};

std::vector<int64_t> first_fields(const std::vector<Example>& examples) {
  std::vector<int64_t> values;
  for (const Example& example : examples) {
    values.push_back(example[0].item<int64_t>());
  }
  return values;
}

Batch batch_of(std::vector<Example> examples) { return {std::move(examples)}; }

TEST(ExampleTest, NumbersBecomeArraysOfTheirOwnDtype) {
  const Example example{2.5f, 3, true};
  EXPECT_EQ(example.size(), 3);
  EXPECT_EQ(example[0].dtype(), Dtype::kFloat32);
  EXPECT_EQ(example[1].dtype(), Dtype::kInt32);
  EXPECT_EQ(example[-1].dtype(), Dtype::kBool);
  EXPECT_EQ(example[1].shape(), Shape{});
  EXPECT_EQ(example[1].item<int>(), 3);
}

TEST(ExampleTest, FieldsOutsideAreErrors) {
  const Example example{1, 2};
  EXPECT_THAT(error_of<IndexError>([&] { example[2]; }),
              HasSubstr("into 2 fields, got 2"));
  EXPECT_THROW(example[-3], IndexError);
  EXPECT_THAT(error_of<ValueError>([&] { example["x"]; }),
              HasSubstr("'x', got fields without names"));
}

TEST(ExampleTest, NamesFindFields) {
  const auto names = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"x", "t"});
  const Example example({array({1, 2}), array(3)}, names);
  EXPECT_EQ(example["t"].item<int64_t>(), 3);
  EXPECT_EQ(example.label(0), "field 'x'");
  EXPECT_THAT(error_of<ValueError>([&] { example["y"]; }),
              HasSubstr("'y', got 'x', 't'"));
  EXPECT_THROW(Example({array(3)}, names), ValueError);
}

TEST(ExampleTest, FieldsMayBeListsOfArrays) {
  const auto names = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"xs", "t"});
  const std::vector<Array> xs = {array({1, 2}), array({3})};
  const Example example({xs, array(3)}, names);
  ASSERT_EQ(example.list(0).size(), 2u);
  EXPECT_THAT(example.list("xs")[1], IsArray(array({3})));
  EXPECT_THAT(example.list(-2)[0], IsArray(array({1, 2})));
  EXPECT_TRUE(example.fields()[0].is_list());
  EXPECT_FALSE(example.fields()[1].is_list());
  EXPECT_THAT(
      error_of<ValueError>([&] { example["xs"]; }),
      HasSubstr("expected an array in field 'xs', got a list of 2 arrays"));
  EXPECT_THAT(
      error_of<ValueError>([&] { example.list("t"); }),
      HasSubstr("expected a list of arrays in field 't', got an array of "
                "shape ()"));
  EXPECT_THROW(example.list(2), IndexError);
  EXPECT_THROW(example.list("y"), ValueError);
  const Example unnamed{xs};
  EXPECT_THAT(error_of<ValueError>([&] { unnamed[0]; }),
              HasSubstr("in field 0, got a list"));
  EXPECT_THROW(unnamed.fields()[0].array(), ValueError);
  EXPECT_THROW(example.fields()[1].list(), ValueError);
}

TEST(ExampleTest, VectorsOfNumbersBecomeArrays) {
  const Example example{std::vector<int>{1, 2}, std::vector<float>{}};
  EXPECT_THAT(example[0], IsArray(array({1, 2}, Dtype::kInt32)));
  EXPECT_EQ(example[1].dtype(), Dtype::kFloat32);
  EXPECT_EQ(example[1].shape(), Shape{0});
}

TEST(DatasetTest, IndexesAsPythonDoes) {
  const Squares squares;
  EXPECT_EQ(squares[2][1].item<double>(), 4);
  EXPECT_EQ(squares[-1][1].item<double>(), 16);
  using V = std::vector<int64_t>;
  EXPECT_EQ(first_fields(squares[Slice(1, 4)]), (V{1, 2, 3}));
  EXPECT_EQ(first_fields(squares[Slice(-2, std::nullopt)]), (V{3, 4}));
  EXPECT_EQ(first_fields(squares[Slice(3, 100)]), (V{3, 4}));
  EXPECT_EQ(first_fields(squares[Slice(4, 1)]), V{});
  EXPECT_EQ(first_fields(squares[Slice(std::nullopt, std::nullopt, -2)]),
            (V{4, 2, 0}));
  EXPECT_EQ(first_fields(squares[Slice(10, 0, -3)]), (V{4, 1}));
  const V indices = {3, -5, 3};
  EXPECT_EQ(first_fields(squares[std::span<const int64_t>(indices)]),
            (V{3, 0, 3}));
}

TEST(DatasetTest, IndicesOutsideAreErrors) {
  const Squares squares;
  EXPECT_THAT(error_of<IndexError>([&] { squares[5]; }),
              HasSubstr("into 5 examples, got 5"));
  EXPECT_THROW(squares[-6], IndexError);
  const std::vector<int64_t> indices = {0, 7};
  EXPECT_THROW(squares[std::span<const int64_t>(indices)], IndexError);
  EXPECT_THROW(squares[Slice(0, 2, 0)], IndexError);
}

TEST(DatasetTest, HandlesShareWhatTheyHold) {
  const auto squares = std::make_shared<const Squares>();
  const Dataset first = squares;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const Dataset second = first;
  EXPECT_EQ(&*first, squares.get());
  EXPECT_EQ(&*second, squares.get());
  EXPECT_EQ(second.size(), 5);
  EXPECT_EQ(second[3][1].item<double>(), 9);
  EXPECT_THROW(Dataset(std::shared_ptr<const DatasetMixin>()), ValueError);
}

TEST(DatasetTest, AnArrayIsADatasetOfItsSlices) {
  const Dataset rows = arange(6).reshape({3, 2});
  EXPECT_EQ(rows.size(), 3);
  EXPECT_THAT(rows[1][0], IsArray(array({2, 3})));
  EXPECT_THAT(error_of<ShapeError>([] { Dataset{array(1)}; }),
              HasSubstr("an array with at least one axis"));
}

TEST(DatasetTest, VectorsOfExamplesAreDatasets) {
  const std::vector<Example> examples = {{array({1, 2}), 0}, {array({3}), 1}};
  const Dataset dataset = examples;
  EXPECT_EQ(dataset.size(), 2);
  EXPECT_THAT(dataset[0][0], IsArray(array({1, 2})));
  EXPECT_THAT(dataset[1][0], IsArray(array({3})));
  EXPECT_EQ(dataset[1][1].item<int>(), 1);
  EXPECT_TRUE(dataset[0][0].is_same(examples[0][0]));  // no copy of arrays
  EXPECT_EQ(Dataset(dataset[Slice(1, 2)])[0][1].item<int>(), 1);
  EXPECT_EQ(Dataset(std::vector<Example>()).size(), 0);
}

TEST(DatasetTest, VectorsOfFieldsPairsAndTuplesAreDatasets) {
  const std::vector<Array> arrays = {array({1, 2}), array({{3}})};
  const Dataset fields = arrays;
  EXPECT_EQ(fields[0].size(), 1);
  EXPECT_THAT(fields[1][0], IsArray(array({{3}})));

  const std::vector<std::pair<Array, Array>> pairs = {{array({1, 2}), array(0)},
                                                      {array({3}), array(1)}};
  EXPECT_EQ(Dataset(pairs)[1].size(), 2);
  EXPECT_EQ(Dataset(pairs)[1][1].item<int>(), 1);

  const Dataset tuples =
      std::vector<std::tuple<std::vector<int>, double, bool>>{
          {{1, 2, 3}, 0.5, true}, {{4}, 1.5, false}};
  EXPECT_THAT(tuples[0][0], IsArray(array({1, 2, 3}, Dtype::kInt32)));
  EXPECT_EQ(tuples[1][1].item<double>(), 1.5);
  EXPECT_EQ(tuples[1][2].dtype(), Dtype::kBool);

  const Dataset sentences = std::vector<std::vector<int>>{{1, 2}, {3}};
  EXPECT_THAT(sentences[0][0], IsArray(array({1, 2}, Dtype::kInt32)));
}

TEST(DatasetTest, VectorsOfNumbersAreArrays) {
  const Dataset labels = std::vector<int>{5, 6, 7};
  EXPECT_EQ(labels[2][0].item<int>(), 7);
  EXPECT_EQ(labels[2][0].dtype(), Dtype::kInt32);
  EXPECT_TRUE(Batch(labels, array({0, 2})).gather().has_value());
  const Dataset flags = std::vector<bool>{true, false};
  EXPECT_EQ(flags[0][0].dtype(), Dtype::kBool);
  EXPECT_FALSE(flags[1][0].item<bool>());
  const datasets::TupleDataset both(
      std::vector<Array>{array({1}), array({2, 3})}, std::vector<int>{8, 9});
  EXPECT_THAT(both[1][0], IsArray(array({2, 3})));
  EXPECT_EQ(both[1][1].item<int>(), 9);
}

TEST(DatasetTest, AVectorMayChangeAfterwards) {
  std::vector<Array> arrays = {array({1}), array({2})};
  const Dataset copy = arrays;
  arrays.clear();
  EXPECT_EQ(copy.size(), 2);
  EXPECT_THAT(copy[1][0], IsArray(array({2})));
}

template <class T>
constexpr bool is_dataset = DatasetLike<T>;
static_assert(is_dataset<std::vector<Example>&>);
static_assert(is_dataset<std::vector<std::pair<Array, int>>>);
static_assert(!is_dataset<std::vector<std::string>>);
static_assert(!is_dataset<std::vector<Dataset>>);
static_assert(!is_dataset<std::span<const Array>>);  // could dangle

TEST(BatchTest, IsSharedOutInTurn) {
  const Batch view(Squares(), array({4, 0, 2, 1, 3}));
  const Batch rows = Batch::of_rows(concat_examples(view));
  for (const Batch& batch : {view, Batch(view.examples()), rows}) {
    EXPECT_EQ(batch.share(0, 2).size(), 3);
    const Batch share = batch.share(1, 2);
    ASSERT_EQ(share.size(), 2);
    EXPECT_EQ(share[0][0].item<int64_t>(), 0);
    EXPECT_EQ(share[1][0].item<int64_t>(), 1);
    EXPECT_EQ(batch.share(5, 6).size(), 0);
    EXPECT_THAT(error_of<ValueError>([&] { batch.share(-1, 2); }),
                HasSubstr("got -1 and 2"));
    EXPECT_THAT(error_of<ValueError>([&] { batch.share(0, 0); }),
                HasSubstr("got 0 and 0"));
  }
}

TEST(BatchTest, ReadsExamplesOfADataset) {
  const Batch batch(Squares(), array({4, 0, 2}));
  EXPECT_EQ(batch.size(), 3);
  EXPECT_EQ(batch[0][1].item<double>(), 16);
  EXPECT_EQ(batch[-1][0].item<int64_t>(), 2);
  EXPECT_EQ(first_fields(batch.examples()), (std::vector<int64_t>{4, 0, 2}));
  EXPECT_FALSE(batch.gather().has_value());
  EXPECT_THAT(error_of<IndexError>([&] { batch[3]; }),
              HasSubstr("into 3 examples, got 3"));
}

TEST(BatchTest, HoldsRowsOfArrays) {
  const auto names = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"x", "t"});
  const Array x = arange(6).reshape({3, 2});
  const Batch batch = Batch::of_rows(Example({x, array({7, 8, 9})}, names));
  EXPECT_EQ(batch.size(), 3);
  EXPECT_THAT(batch[-1]["x"], IsArray(array({4, 5})));
  ASSERT_EQ(batch.examples().size(), 3u);
  EXPECT_EQ(batch.examples()[1]["t"].item<int64_t>(), 8);
  EXPECT_TRUE((*batch.gather())[0].is_same(x));
  EXPECT_THAT(error_of<IndexError>([&] { batch[3]; }),
              HasSubstr("into 3 examples, got 3"));
  EXPECT_THAT(error_of<ValueError>([] { Batch::of_rows({}); }),
              HasSubstr("arrays, got none"));
  EXPECT_THAT(error_of<ShapeError>([&] {
                Batch::of_rows({x, arange(2)});
              }),
              HasSubstr("got shape (3, 2) in field 0 and (2,) in field 1"));
  EXPECT_THAT(error_of<ShapeError>([&] { Batch::of_rows({1}); }),
              HasSubstr("of equal length"));
}

TEST(ConcatExamplesTest, StacksEachField) {
  const Example result = concat_examples(Batch(Squares(), array({1, 3})));
  ASSERT_EQ(result.size(), 2);
  EXPECT_THAT(result[0], IsArray(array({1, 3})));
  EXPECT_THAT(result[1], IsArray(array({1.0, 9.0})));
}

TEST(ConcatExamplesTest, WholeArraysGiveTheSameAsOneByOne) {
  const Array x = arange(24, Dtype::kFloat32).reshape({4, 2, 3});
  const Array t = array({7, 8, 9, 10}, Dtype::kInt32);
  const datasets::TupleDataset dataset(x, t);
  const Batch batch(dataset, array({3, 0, 3}));
  ASSERT_TRUE(batch.gather().has_value());
  const Example fast = concat_examples(batch);
  const Example slow = concat_examples(batch_of(batch.examples()));
  EXPECT_THAT(fast[0], IsArray(slow[0]));
  EXPECT_THAT(fast[1], IsArray(slow[1]));
  EXPECT_THAT(fast[1], IsArray(array({10, 7, 10}, Dtype::kInt32)));
}

TEST(ConcatExamplesTest, ARangeOfIndicesGivesTheSameAsOthers) {
  const Array x = arange(20).reshape({10, 2});
  const Dataset rows = x;
  for (const Array& indices :
       {arange(10), arange(3, 7), arange(9, 10), array({4, 5, 7}),
        array({5, 4, 3}), array({0, 0, 2}), array({2, 1, 3})}) {
    EXPECT_THAT(concat_examples(Batch(rows, indices))[0],
                IsArray(array::take(x, indices, 0)));
  }
  EXPECT_THROW(concat_examples(Batch(rows, arange(8, 12))), IndexError);
}

TEST(ConcatExamplesTest, ExamplesMayBeViewsWithGaps) {
  const Array x = arange(12).reshape({3, 4});
  const std::vector<Example> columns = {{x[{Slice(), 1}]}, {x[{Slice(), 3}]}};
  EXPECT_THAT(concat_examples(columns)[0],
              IsArray(array({{1, 5, 9}, {3, 7, 11}})));
}

TEST(ConcatExamplesTest, DtypesThatDifferArePromoted) {
  EXPECT_THAT(concat_examples(batch_of({{1}, {2.5}}))[0],
              IsArray(array({1.0, 2.5})));
}

TEST(ConcatExamplesTest, TheResultIsTheCallersToChange) {
  const Array x = arange(4);
  const datasets::TupleDataset dataset(x);
  concat_examples(Batch(dataset, arange(4)))[0].fill(-1);
  EXPECT_THAT(x, IsArray(arange(4)));
}

TEST(ConcatExamplesTest, KeepsNames) {
  const datasets::DictDataset dataset({{"x", arange(3)}, {"t", arange(3)}});
  const Batch batch(dataset, array({2, 1}));
  EXPECT_THAT(concat_examples(batch)["t"], IsArray(array({2, 1})));
  EXPECT_THAT(concat_examples(batch_of(batch.examples()))["x"],
              IsArray(array({2, 1})));
}

TEST(ConcatExamplesTest, FillsUpWithThePadding) {
  const std::vector<Example> examples = {
      {array({{1, 2, 3}}), 1},
      {array({{4}, {5}}), 2},
      {array(NestedList{}).reshape({0, 0}), 3}};
  const Example result = concat_examples(examples, {.padding = -1});
  EXPECT_THAT(result[0].astype(Dtype::kInt64),
              IsArray(array({{{1, 2, 3}, {-1, -1, -1}},
                             {{4, -1, -1}, {5, -1, -1}},
                             {{-1, -1, -1}, {-1, -1, -1}}})));
  EXPECT_EQ(result[0].dtype(), Dtype::kInt64);
  EXPECT_THAT(result[1], IsArray(array({1, 2, 3}, Dtype::kInt32)));
}

TEST(ConcatExamplesTest, PadsEachFieldAsItSays) {
  const std::vector<Example> examples = {{array({1}), array({1.5, 2.5})},
                                         {array({2, 3}), array({3.5, 4.5})}};
  const Example result = concat_examples(
      examples,
      {.padding = Padding(std::vector<std::optional<Scalar>>{0, {}})});
  EXPECT_THAT(result[0], IsArray(array({{1, 0}, {2, 3}})));
  EXPECT_THAT(result[1], IsArray(array({{1.5, 2.5}, {3.5, 4.5}})));
  EXPECT_THAT(
      error_of<ValueError>([&] {
        concat_examples(
            examples,
            {.padding = Padding(std::vector<std::optional<Scalar>>{0})});
      }),
      HasSubstr("each of 2 fields, got 1"));
}

// Sequences of different lengths, names of all examples, labels.
std::vector<Example> sequences(const Example::Names& names = nullptr) {
  return {Example({array({1, 2, 3}), 7}, names),
          Example({array({4}), 8}, names), Example({array({5, 6}), 9}, names)};
}

TEST(ConcatExamplesTest, FieldsMayStayLists) {
  const auto names = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"xs", "t"});
  for (const FieldKey& key : {FieldKey(0), FieldKey(-2), FieldKey("xs")}) {
    const Example result = concat_examples(sequences(names), {.lists = {key}});
    ASSERT_EQ(result.list("xs").size(), 3u);
    EXPECT_THAT(result.list(0)[0], IsArray(array({1, 2, 3})));
    EXPECT_THAT(result.list(0)[1], IsArray(array({4})));
    EXPECT_THAT(result["t"], IsArray(array({7, 8, 9}, Dtype::kInt32)));
  }
  const Example all = concat_examples(sequences(), {.lists = {0, 1}});
  EXPECT_THAT(all.list(1)[2], IsArray(array(9, Dtype::kInt32)));
}

TEST(ConcatExamplesTest, ListsAndPaddingDoNotMeet) {
  const std::vector<Example> examples = {{array({1, 2}), array({1})},
                                         {array({3}), array({2, 3})}};
  const Example result =
      concat_examples(examples, {.padding = 0, .lists = {1}});
  EXPECT_THAT(result[0], IsArray(array({{1, 2}, {3, 0}})));
  EXPECT_THAT(result.list(1)[1], IsArray(array({2, 3})));
}

TEST(ConcatExamplesTest, RowsOfWholeArraysBecomeLists) {
  const Array x = arange(6).reshape({3, 2});
  const datasets::TupleDataset dataset(x, arange(3));
  const Batch batch(dataset, array({2, 0}));
  for (const Device device : {native_device(), native_device(1)}) {
    const Example result =
        concat_examples(batch, {.device = device, .lists = {0}});
    ASSERT_EQ(result.list(0).size(), 2u);
    EXPECT_EQ(result.list(0)[0].device(), device);
    EXPECT_THAT(result.list(0)[0].to_device(native_device()),
                IsArray(array({4, 5})));
    EXPECT_THAT(result[1].to_device(native_device()), IsArray(array({2, 0})));
  }
}

TEST(ConcatExamplesTest, ListExamplesStacksNothing) {
  const Example result = list_examples(sequences());
  EXPECT_THAT(result.list(0)[2], IsArray(array({5, 6})));
  EXPECT_THAT(result.list(1)[2], IsArray(array(9, Dtype::kInt32)));
  const Converter converter = list_examples;
  EXPECT_EQ(converter(sequences(), native_device(1)).list(1)[0].device(),
            native_device(1));
  EXPECT_THROW(list_examples(batch_of({})), ValueError);
}

TEST(ConcatExamplesTest, ConvertersHaveOptionsToo) {
  const Device other = native_device(1);
  const Converter converter = concat_converter({.device = other, .lists = {0}});
  const Example there = converter(sequences(), std::nullopt);
  EXPECT_EQ(there.list(0)[0].device(), other);
  EXPECT_EQ(there[1].device(), other);
  EXPECT_EQ(converter(sequences(), native_device())[1].device(),
            native_device());
}

TEST(ConcatExamplesTest, ListsMoveToTheDevice) {
  const Device other = native_device(1);
  const std::vector<Example> equal = {{arange(6).reshape({3, 2})},
                                      {arange(0).reshape({0, 2})},
                                      {arange(2).reshape({1, 2})}};
  const std::vector<Example> mixed = {{array({1, 2})}, {array({0.5})}};
  for (const auto& examples : {equal, mixed}) {
    const Example result =
        concat_examples(examples, {.device = other, .lists = {0}});
    ASSERT_EQ(result.list(0).size(), examples.size());
    for (size_t i = 0; i < examples.size(); ++i) {
      const Array& moved = result.list(0)[i];
      EXPECT_EQ(moved.device(), other);
      EXPECT_EQ(moved.dtype(), examples[i][0].dtype());
      EXPECT_THAT(moved.to_device(native_device()), IsArray(examples[i][0]));
    }
  }
  const Example same =
      concat_examples(equal, {.device = native_device(), .lists = {0}});
  EXPECT_TRUE(same.list(0)[0].is_same(equal[0][0]));
}

TEST(ConcatExamplesTest, RejectsListsThatItCannotMake) {
  EXPECT_THAT(error_of<IndexError>(
                  [] { concat_examples(sequences(), {.lists = {2}}); }),
              HasSubstr("into 2 fields, got 2"));
  EXPECT_THAT(error_of<ValueError>(
                  [] { concat_examples(sequences(), {.lists = {"xs"}}); }),
              HasSubstr("a field 'xs', got fields"));
  EXPECT_THAT(error_of<ShapeError>([] { concat_examples(sequences()); }),
              HasSubstr("different shapes"));
  const std::vector<Array> list = {array({1})};
  for (const std::vector<FieldKey>& lists :
       {std::vector<FieldKey>{}, std::vector<FieldKey>{0}}) {
    EXPECT_THAT(
        error_of<ValueError>([&] {
          concat_examples(batch_of({{list}, {list}}), {.lists = lists});
        }),
        HasSubstr("expected an array in field 0, got a list of 1 arrays"));
  }
  EXPECT_THROW(concat_examples(batch_of({{1}, {list}})), ValueError);
  EXPECT_THROW(Batch::of_rows({list}), ValueError);
}

TEST(ConcatExamplesTest, RejectsWhatDoesNotFitTogether) {
  EXPECT_THAT(error_of<ValueError>([] { concat_examples(batch_of({})); }),
              HasSubstr("got none"));
  EXPECT_THAT(error_of<ValueError>([] {
                concat_examples(batch_of({{1, 2}, {1}}));
              }),
              HasSubstr("2 fields as in example 0, got 1"));
  EXPECT_THAT(
      error_of<ShapeError>([] {
        concat_examples(batch_of({{array({1})}, {array({1, 2})}}));
      }),
      HasSubstr("field 0: expected shape (1,) of example 0, got shape "
                "(2,) in example 1; set a padding to allow different shapes"));
  EXPECT_THAT(error_of<ShapeError>([] {
                concat_examples(batch_of({{array({1})}, {array({{1}})}}),
                                {.padding = 0});
              }),
              HasSubstr("as many axes"));
  const auto names = [](const char* name) {
    return std::make_shared<const std::vector<std::string>>(1, name);
  };
  EXPECT_THAT(error_of<ValueError>([&] {
                concat_examples(batch_of({Example({array(1)}, names("x")),
                                          Example({array(1)}, names("t"))}));
              }),
              HasSubstr("names of the fields of example 1"));
}

// Rows of growing length.
class Ragged : public DatasetMixin {
 public:
  int64_t size() const override { return 10; }
  Example get_example(int64_t i) const override {
    return {array::ones({i + 1})};
  }
};

TEST(ConcatExamplesTest, NamesAnExampleOfAShuffledBatchByItsIndex) {
  EXPECT_THAT(
      error_of<ShapeError>([] {
        concat_examples(Batch(Ragged(), array({7, 3})));
      }),
      HasSubstr("expected shape (8,) of example 0 (dataset[7]), got shape "
                "(4,) in example 1 (dataset[3])"));
  EXPECT_EQ(Batch(Ragged(), array({7, 3})).index_in_dataset(1), 3);
  const Batch one(std::vector<Example>{{1}});
  EXPECT_EQ(one.index_in_dataset(0), std::nullopt);
  EXPECT_EQ(one.with_indices(array({5})).index_in_dataset(0), 5);
  EXPECT_THAT(error_of<ShapeError>([&] {
                one.with_indices(array({5, 6}));
              }),
              HasSubstr("expected indices of shape (1,), got (2,)"));
  EXPECT_THROW(one.with_indices(array({5.0})), DtypeError);
}

TEST(ConcatExamplesTest, MovesToTheDevice) {
  const Device other = native_device(1);
  const Batch batch(Squares(), array({1, 3}));
  EXPECT_EQ(concat_examples(batch)[0].device(), native_device());
  EXPECT_EQ(concat_examples(batch, {.device = other})[0].device(), other);
  EXPECT_EQ(default_converter()(batch, other)[1].device(), other);
  const Array x = arange(3);
  EXPECT_TRUE(to_device(std::nullopt, x).is_same(x));
  EXPECT_EQ(to_device(other, x).device(), other);
}

TEST(ConcatExamplesTest, ADatasetOnADeviceStaysThere) {
  const Device other = native_device(1);
  const datasets::TupleDataset dataset(arange(4).to_device(other));
  const Example result = concat_examples(Batch(dataset, array({2, 3})));
  EXPECT_EQ(result[0].device(), other);
  EXPECT_THAT(result[0].to_device(native_device()), IsArray(array({2, 3})));
}

}  // namespace
}  // namespace catena::dataset
