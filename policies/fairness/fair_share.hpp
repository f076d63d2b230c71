// Fair share: what users have been granted lately, how many jobs they have had, and what weight their jobs
// have for both.
//
// The use of a user is the CPU time granted to its jobs, and decays: half of it is forgotten in a half-life
// (as in Slurm's multifactor priority plugin). So are its jobs, once they have ended; those that wait or
// run count whole. The weight of its jobs is the smaller one of
//
//     min(1, min(2 x entitled, (1 + entitled) / 2) x C / used)^2     at least 1/64
//     min(1, (others + 8) x max(1, entitled x a) / jobs)^2           at least 1/1000
//
// C is the use of one to which the whole cluster has always been granted: capacity x half-life / ln 2; a is
// the number of active users, and `others` are the jobs that each of the others has had on average. The
// first notices a user that has had much, the second one that floods the cluster, before it has used
// anything, and as long as it does: since every job counts alike in the largest stretch, it is their number
// that gives a user more of the cluster than others have. Users with few jobs that have used up to twice
// their part, or to the middle between it and the whole where that is less, notice nothing of fair share
// (docs/fairness.md compares the laws that were tried). One that is alone is entitled to all, and weighs 1.
//
// Weights change in steps, and not at every moment: a new one is told when it differs by a sixth from the
// one in force. Pure: instants are parameters.
#pragma once

#include <map>
#include <vector>

#include "policies/fairness/account_tree.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot::fairness {

// CPU time that decays: what was granted until `since`, and what is granted from then on.
class DecayingUse {
 public:
  explicit DecayingUse(double core_seconds = 0, Instant since = {})
      : core_seconds_(core_seconds), since_(since) {}
  // Core-seconds.
  [[nodiscard]] double at(Instant now, Duration half_life) const;
  void grant(Cpu rate, Instant now, Duration half_life);
  [[nodiscard]] Cpu rate() const { return rate_; }

 private:
  double core_seconds_;
  Cpu rate_{};
  Instant since_;
};

// A number of things, of which half is forgotten in a half-life.
class DecayingCount {
 public:
  explicit DecayingCount(double count = 0, Instant since = {}) : count_(count), since_(since) {}
  [[nodiscard]] double at(Instant now, Duration half_life) const;
  void add_one(Instant now, Duration half_life);

 private:
  double count_;
  Instant since_;
};

struct ActiveUser {
  AccountUser user;
  std::size_t jobs = 1;  // of it that run, or wait and are not held

  friend bool operator==(const ActiveUser&, const ActiveUser&) = default;
};

// A user as the law sees it.
struct Standing {
  double entitled = 0;  // part of the whole
  double used = 0;      // core-seconds, decayed
  double jobs = 1;      // that run or wait, and those that have ended, decayed
};
// What the law compares it with.
struct Whole {
  double most = 0;        // core-seconds; C above
  std::size_t users = 1;  // that are active
  double jobs = 1;        // of all of them
};
// The weight of its jobs.
[[nodiscard]] Weight weight_of(const Standing& user, const Whole& whole);
// Whether the new one is so different that it is to be told.
[[nodiscard]] bool differs(Weight in_force, Weight next);

class FairShare {
 public:
  // `half_life` is above 0.
  FairShare(AccountTree tree, Duration half_life) : tree_(std::move(tree)), half_life_(half_life) {}

  // What the jobs of the user are granted from now on.
  void grant(const AccountUser& user, Cpu rate, Instant now) { uses_[user].grant(rate, now, half_life_); }
  // What its jobs were granted until now, and was not counted yet. Not for users with a rate.
  void add(const AccountUser& user, double core_seconds, Instant now) {
    uses_[user] = DecayingUse(used(user, now) + core_seconds, now);
  }
  // A job of it has run and ended.
  void count_ended(const AccountUser& user, Instant now) { ended_[user].add_one(now, half_life_); }
  // What it had used then, and how many jobs of it had ended, as these were stored.
  void take_up(const AccountUser& user, double core_seconds, Instant at) {
    uses_[user] = DecayingUse(core_seconds, at);
  }
  void take_up_ended(const AccountUser& user, double jobs, Instant at) {
    ended_[user] = DecayingCount(jobs, at);
  }
  [[nodiscard]] double used(const AccountUser& user, Instant now) const;
  [[nodiscard]] const std::map<AccountUser, DecayingUse>& uses() const { return uses_; }
  // Jobs that have ended; those of long ago count for nothing.
  [[nodiscard]] double ended(const AccountUser& user, Instant now) const;
  [[nodiscard]] const std::map<AccountUser, DecayingCount>& all_ended() const { return ended_; }

  // Of each of the active users, in their order. `cluster`: what it can grant.
  [[nodiscard]] std::vector<Standing> standings(const std::vector<ActiveUser>& active, Instant now) const;
  [[nodiscard]] std::vector<Weight> weights(const std::vector<ActiveUser>& active, Cpu cluster,
                                            Instant now) const;

  [[nodiscard]] const AccountTree& tree() const { return tree_; }
  void set_tree(AccountTree tree) { tree_ = std::move(tree); }
  [[nodiscard]] Duration half_life() const { return half_life_; }

 private:
  AccountTree tree_;
  Duration half_life_;
  std::map<AccountUser, DecayingUse> uses_;
  std::map<AccountUser, DecayingCount> ended_;
};

}  // namespace aliquot::fairness
