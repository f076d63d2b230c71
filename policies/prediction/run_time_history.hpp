// How long jobs of a site have run, by classes of jobs, and how long a job will run by that.
//
// A class (run_traits.hpp) remembers the last kRunsKept run times of its jobs, in virtual time: as if
// alone. Older ones are forgotten, because users change what they run. A prediction comes from the finest
// class of the job that is trusted, and of which at least kLeastRuns runs lasted longer than the job has
// run already. Its expected rest is the mean of these runs, less what the job has run. A class is trusted
// unless it has been further off than a coarser one, by more than a quarter, on its own runs: then what its
// jobs have in common says nothing of how long they run. (Tsafrir, Etsion and Feitelson, "Backfilling using
// system-generated predictions rather than user runtime estimates", IEEE TPDS 2007, predict from the last
// two runs of the user; docs/predictions.md has what was measured of either.)
//
// The interval is to hold the run time of 80 % of all jobs. It begins with the runs of rank 10 % and 90 %,
// and is widened by a factor on either side that follows its own misses: a run beyond it widens that side
// by nine steps, any other narrows it by one, so that one run in ten is missed (adaptive conformal
// inference: Gibbs and Candes, NeurIPS 2021). The ranks alone are too narrow: runs of a user are alike
// until they change.
//
// Without a file or a clock; deterministic. Moved, never copied. Bounded: of more classes than `most`, the
// one that has learned nothing for longest goes. To keep it, store the text of export_csv(). Errors are
// those of texts that come from outside (invalid_argument, with the line).
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/prediction/run_traits.hpp"

namespace aliquot::prediction {

inline constexpr std::size_t kRunsKept = 16;
inline constexpr std::size_t kLeastRuns = 2;

// Of the run time of a job in virtual time; where nothing is known, `latest` is Duration{INT64_MAX}.
struct Prediction {
  Duration rest;      // expected, after what has run already
  Duration earliest;  // with `latest`, the interval of the rest
  Duration latest;
  std::uint32_t runs = 0;           // that it comes from; 0: nothing is known
  std::optional<ClassLevel> level;  // the class that they are of; none: nothing is known
};

// A run time, and the interval that was predicted for it before it began.
struct SaidInterval {
  Duration least;
  Duration most;
};

class RunTimeHistory {
 public:
  // At least one class for each level; less counts as that.
  explicit RunTimeHistory(std::size_t most);
  RunTimeHistory(const RunTimeHistory&) = delete;
  RunTimeHistory& operator=(const RunTimeHistory&) = delete;
  RunTimeHistory(RunTimeHistory&&) = default;
  RunTimeHistory& operator=(RunTimeHistory&&) = default;
  ~RunTimeHistory() = default;

  // Takes in a run that has finished. `said`: what was predicted of it at its submission.
  void learn(const RunTraits& traits, Duration run_time,
             const std::optional<SaidInterval>& said = std::nullopt);

  // How much longer a job will run that has run for `done`. Where nothing is known, max(30 s, done / 4), of
  // which nothing is certain. Never beyond the `limit` of its run time, if one is enforced.
  [[nodiscard]] Prediction predict(const RunTraits& traits, Duration done = {},
                                   std::optional<Duration> limit = std::nullopt) const;

  // Forgets all classes of one user: how many there were. Coarser classes keep what they have learned.
  std::size_t forget(std::uint32_t user);

  struct Known {
    RunClass of;
    std::vector<Duration> runs;  // the oldest first
    // By how much it is further off than 5/4 of what the coarser class is that would be asked in its place,
    // on the average of its runs, in which the newest counts a tenth. Above 0: it is not trusted.
    Duration behind{};
    friend bool operator==(const Known&, const Known&) = default;
  };
  // The least recently taught first.
  [[nodiscard]] std::vector<Known> list() const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  // With a header, the steps of the interval, and the classes in the order of list(). Names are
  // percent-encoded where they must be.
  [[nodiscard]] std::string export_csv() const;
  // The same history again; where `most` is smaller, without the classes that would have gone first.
  [[nodiscard]] static Result<RunTimeHistory> import_csv(std::string_view text, std::size_t most);

 private:
  struct Entry {
    Known known;
    std::vector<Duration> sorted;  // the same runs by length
  };
  using Order = std::list<Entry>;

  // How far the interval can be widened: by a factor of 2 every 256 steps.
  static constexpr std::int32_t kMostSteps = 2560;

  // What each class of a run would have said of it, beside the coarser class that is trusted.
  void compare_classes(const RunTraits& traits, Duration run_time);
  Entry& entry_of(const RunClass& one);
  static void remember(Entry& entry, Duration run_time);
  void forget_least_recent();
  void follow_misses(Duration run_time, const SaidInterval& said);
  [[nodiscard]] Prediction from(const Entry& entry, Duration done) const;
  [[nodiscard]] Result<void> take_line(std::string_view line);

  std::size_t most_;
  Order order_;  // the least recently taught first
  std::unordered_map<RunClass, Order::iterator, RunClassHash> entries_;
  // How far the interval is widened, downwards and upwards.
  std::int32_t steps_below_ = 0;
  std::int32_t steps_above_ = 0;
};

}  // namespace aliquot::prediction
