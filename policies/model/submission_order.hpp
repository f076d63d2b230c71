// The jobs of a view in order of submission, then id, with the ones that want to be placed marked: the
// queue of the batch schedulers, and "the next one that would fit" in logarithmic time.
//
// A job keeps its position from submission to end, so that pausing and resuming it only turns a mark on
// and off. Two segment trees over the positions hold the least width and the least expected run time of
// the marked jobs. Jobs arrive in order; one that does not (a recovered state) rebuilds everything.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/job.hpp"

namespace aliquot {

class SubmissionOrder {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // What may be started: a job of at most `any` tasks, or one of at most `brief` tasks that would run for
  // at most `span`.
  struct Limits {
    std::uint32_t any = 0;
    std::uint32_t brief = 0;
    Duration span;
  };

  void clear();
  // A job of the view, and whether it wants to be placed; span: how long it would run from now on.
  void add(const Job& job, bool wants, Duration span);
  void mark(const Job& job, bool wants, Duration span);
  void remove(const Job& job);

  // The first marked job at or after this position that the limits let in; kNone if there is none.
  [[nodiscard]] std::uint32_t next(std::uint32_t from, const Limits& limits) const;
  [[nodiscard]] std::uint32_t first() const { return next(0, {UINT32_MAX - 1, 0, {}}); }
  [[nodiscard]] JobId at(std::uint32_t position) const { return entries_[position].id; }
  [[nodiscard]] Duration span(std::uint32_t position) const { return leaves()[position].span; }
  [[nodiscard]] std::uint32_t width(std::uint32_t position) const { return leaves()[position].width; }
  [[nodiscard]] std::size_t size() const { return alive_; }

 private:
  struct Entry {
    JobId id;
    Instant submitted;
    bool alive = true;
  };
  struct Least {
    std::uint32_t width = kNone;
    Duration span{INT64_MAX};
  };
  static Least least(const Least& a, const Least& b);
  [[nodiscard]] static bool lets_in(const Limits& limits, const Least& what);
  [[nodiscard]] const Least* leaves() const { return tree_.data() + capacity_; }
  [[nodiscard]] std::uint32_t position(const Job& job) const;
  void set(std::uint32_t position, const Least& leaf);
  void insert(const Entry& entry, const Least& leaf);
  // Drops what has ended and makes room for one more.
  void compact();
  void resize(const std::vector<Least>& marked);

  std::vector<Entry> entries_;
  std::vector<Least> tree_;     // a heap-shaped tree: the root at 1, leaf i at capacity_ + i
  std::uint32_t capacity_ = 0;  // a power of two
  std::size_t alive_ = 0;
};

}  // namespace aliquot
