#include "policies/aliquot/notebook.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"
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
  book.owed = true;
  book.repacked = small.view.now - seconds(30);
  book.stalled[{3}] = small.view.now + seconds(5);
  book.displaced[{3}] = {Displaced::By::search, {7}, 512, 310};
  book.displaced[{7}] = {Displaced::By::arrival, {3}, 250, 100};
  small.view.memory.note = book.text();
  EXPECT_EQ(book, Notebook::read(small.view));
}

// Whoever wrote that: the next search would be too late for an instant to say.
TEST(Notebook, no_search_was_made_after_now) {
  test::SmallView small(1);
  for (const char* searched : {"9223372036854775807", "-9223372036854775808"}) {
    small.view.memory.note = std::string("aliquot 1 ") + searched + " 0 0";
    EXPECT_EQ(small.view.now, Notebook::read(small.view).searched);
  }
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

// What stays is copied from the old note, what is new or was written otherwise is written: all as if the
// whole were written anew.
TEST(Notebook, what_is_copied_reads_as_if_it_were_written) {
  test::SmallView small(1);
  Notebook whole;
  whole.begun = true;
  for (std::uint32_t job = 1; job <= 300; ++job) {
    job % 3 == 0 ? small.running(job, {{{0}, 1}}, 1, 0) : small.paused(job, 1, 1, 1);
    if (job % 7 > 0)
      whole.displaced[{job}] = {Displaced::By::resume, {job + 1}, static_cast<std::int32_t>(job), -5};
    if (job % 5 > 0)
      whole.displaced[{job}] = {Displaced::By::arrival, {job}, 100, static_cast<std::int32_t>(job)};
  }
  small.view.memory.note = whole.text() + " 0301 0 07 0001 5";
  small.paused(301, 1, 1, 1);
  Notebook read = Notebook::read(small.view);
  EXPECT_GT(read.displaced.size(), 150U);
  EXPECT_EQ(read.text(), Notebook::read(Draft(small.view)).text());
  Notebook plain = read;
  for (auto& [job, why] : plain.displaced) why.as_read = {};
  EXPECT_EQ(plain.text(), read.text());
  for (const std::uint64_t job : {250U, 7U, 301U, 7U, 35U}) {
    const Displaced why{Displaced::By::search, {job}, 1, static_cast<std::int32_t>(read.text().size())};
    read.displace({job}, why);
    plain.displaced[{job}] = why;
  }
  EXPECT_EQ(plain.text(), read.text());
}

// However they were written: what is told of stalls is as if all were written anew.
TEST(Notebook, stalls_that_are_copied_read_as_if_they_were_written) {
  test::SmallView small(1);
  for (std::uint32_t job = 1; job <= 6; ++job) small.running(job, {{{0}, 1}}, 1, 0);
  const std::string later = std::to_string((small.view.now + seconds(9)).raw);
  small.view.memory.note =
      "aliquot 5 1 2 6 1 " + later + " 2 0" + later + " 03 " + later + " 4 -7 6 " + later + " 5 " + later;
  Notebook read = Notebook::read(small.view);
  ASSERT_EQ(5U, read.stalled.size());
  Notebook plain = read;
  for (auto& [job, stall] : plain.stalled) stall.as_read = {};
  EXPECT_EQ(plain.text(), read.text());
  EXPECT_EQ(read.text(), Notebook::read(Draft(small.view)).text());
  read.stalled[{5}] = plain.stalled[{5}] = small.view.now + seconds(70);
  EXPECT_EQ(plain.text(), read.text());
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

// Numbers side by side and number by number: of sound notes and of such as nobody wrote.
TEST(Notebook, what_is_kept_as_it_is_is_what_a_reader_number_by_number_keeps) {
  test::Dice dice(1);
  std::size_t kept = 0;
  std::size_t broken = 0;
  for (int k = 0; k < 3'000; ++k) {
    test::SmallView small(1);
    Notebook book;
    book.begun = true;
    const bool usual = dice.chance(70);
    const std::int64_t jobs = dice.between(0, 150);
    for (std::int64_t job = 1; job <= jobs; ++job) {
      const auto id = static_cast<std::uint64_t>(dice.chance(5) ? job * 1'000'000'000 : job);
      if (dice.chance(80))
        dice.chance(50) ? small.running(id, {{{0}, 1}}, 1, 0) : small.paused(id, 1, 1, 1);
      const auto number = [&] {
        const std::int64_t most = !usual && dice.chance(3) ? 2'000'000'000 : 100'000;
        return static_cast<std::int32_t>(dice.between(!usual && dice.chance(2) ? -most : 0, most));
      };
      book.displaced.emplace({id}, {static_cast<Displaced::By>(dice.between(0, 3)),
                                    {static_cast<std::uint64_t>(dice.between(1, 1'000))},
                                    number(),
                                    number()});
      if (dice.chance(10)) book.stalled.emplace({id}, small.view.now + seconds(dice.between(-2, 2)));
    }
    std::string& note = small.view.memory.note = book.text();
    constexpr std::string_view kOdd = "0123456789 -+x";
    for (std::int64_t changes = dice.chance(70) ? 0 : dice.between(1, 3); changes > 0; --changes) {
      const auto at = static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(note.size()) - 1));
      const char odd = kOdd[static_cast<std::size_t>(dice.between(0, kOdd.size() - 1))];
      dice.chance(50) ? void(note[at] = odd) : void(note.insert(at, 1, odd));
    }
    Notebook plain = Notebook::read(small.view);
    const Draft draft(small.view);
    Notebook quick = Notebook::read(draft);
    ASSERT_EQ(plain.text(), quick.text()) << k << ": " << note;
    const Displaced why{Displaced::By::search, {3}, 1, 2};
    const JobId anybody{static_cast<std::uint64_t>(dice.between(1, 150))};
    plain.displace(anybody, why);
    quick.displace(anybody, why);
    ASSERT_EQ(plain.text(), quick.text()) << k << ": " << note;
    kept += quick.kept.size();
    if (plain.displaced.empty() && jobs > 20) ++broken;
  }
  EXPECT_GT(kept, 30'000U);
  EXPECT_GT(broken, 100U);
}

}  // namespace
}  // namespace aliquot
