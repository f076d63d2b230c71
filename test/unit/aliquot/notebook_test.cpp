#include "policies/aliquot/notebook.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

TEST(Notebook, what_is_written_is_read) {
  test::SmallView small(1);
  small.running(3, {{{0}, 1}}, 10, 10);
  small.paused(7, 1, 10, 10);
  Notebook book;
  book.begun = true;
  book.tokens = 12;
  book.searched = small.view.now - seconds(20);
  book.repacked = small.view.now - seconds(30);
  book.stalled[{3}] = small.view.now + seconds(5);
  book.displaced[{3}] = {Displaced::By::search, {7}, 512, 310};
  book.displaced[{7}] = {Displaced::By::arrival, {3}, 250, 100};
  small.view.memory.note = book.text();
  EXPECT_EQ(book, Notebook::read(small.view));
}

TEST(Notebook, jobs_that_have_gone_and_stalls_that_are_over_are_left_out) {
  test::SmallView small(1);
  small.running(3, {{{0}, 1}}, 10, 10);
  Notebook book;
  book.stalled[{3}] = small.view.now;
  book.stalled[{4}] = small.view.now + seconds(5);
  book.displaced[{4}] = {};
  small.view.memory.note = book.text();
  const Notebook read = Notebook::read(small.view);
  EXPECT_TRUE(read.stalled.empty());
  EXPECT_TRUE(read.displaced.empty());
}

TEST(Notebook, a_note_of_another_policy_or_a_broken_one_is_an_empty_book) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 10, 10);
  Notebook book;
  book.begun = true;
  book.tokens = 5;
  book.displaced[{1}] = {};
  const std::string whole = book.text();
  for (const std::string& note : {std::string(), std::string("window=4"), whole.substr(0, whole.size() - 1),
                                  whole + " 9 9", whole + "x", std::string("aliquot 1 2")}) {
    small.view.memory.note = note;
    EXPECT_EQ(Notebook{}, Notebook::read(small.view)) << note;
  }
}

}  // namespace
}  // namespace aliquot
