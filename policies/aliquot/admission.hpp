// Who waits or is paused is let in: ALIQUOT's first answer to every event.
//
// A new job is placed where it fits. Where it does not, it may pause jobs that can bear it: those that,
// were they paused now and resumed a while later, would still end at no more than twice the stretch that
// the new job has so far; and of those that serve a penalty, which lose no progress by it, those that get
// no more times worse than the new job is already. It tries again at every completion and after each
// eighth of its flow time. A paused job comes back as soon as it fits; at instants of its own, first P
// after the pause, then every 16th part of its flow time, it may pause others, but these have to be better
// off than itself, and those much better off that have had less than P at full speed.
#pragma once

#include <algorithm>

#include "policies/aliquot/attempts.hpp"
#include "policies/aliquot/board.hpp"
#include "policies/aliquot/outsiders.hpp"
#include "policies/dfrs/job_order.hpp"
#include "policies/dfrs/preemption.hpp"

namespace aliquot {

class Admission {
 public:
  // `outsiders`: all of the board's draft.
  Admission(Board& board, Attempts& attempts, Outsiders outsiders);

  void admit();   // those that wait
  void resume();  // those that are paused

  // After a pause: from then on who was paused may force its way back.
  [[nodiscard]] Duration first_resume() const;
  // Jobs that were paused for others in this decision.
  [[nodiscard]] std::int32_t pauses() const { return pauses_; }

 private:
  using Entries = std::pmr::vector<std::uint32_t>;
  // In the order of their priorities.
  struct Ranked {
    std::uint64_t key = 0;
    std::uint32_t entry = 0;
  };
  using Order = std::pmr::vector<Ranked>;
  // Which running jobs others may pause: to what stretch they must have come.
  struct Claim {
    double stretch;
    double factor;
    double factor_of_fresh;  // of those that have had less than P at full speed
    bool spare_stalled;
    Displacement::By by;
  };

  [[nodiscard]] bool due(std::uint32_t i) const;
  [[nodiscard]] bool due_again(std::uint32_t i) const;
  [[nodiscard]] Order ranked(Entries entries) const;
  struct Bearing;
  [[nodiscard]] Bearing bearing_of(std::uint32_t bearer, std::uint32_t entry) const;
  template <class Picks>
  [[nodiscard]] Order bearers(Picks&& picks) const;
  void gather_bearers();
  void stands_again(std::uint32_t i);
  [[nodiscard]] bool offer_few(const Claim& claim);
  void offer_bearers(const Claim& claim);
  bool place(std::uint32_t i);
  bool place_instead(std::uint32_t i, const Claim& claim);
  void note_paused(std::uint32_t helped, const Claim& claim, std::span<const std::uint32_t> paused);
  [[nodiscard]] bool may_fit(const Refusals::Refusal& asked, std::uint32_t i, Fitting& fitting);
  bool try_to_resume(std::uint32_t i);

  Board& board_;
  Attempts& attempts_;
  bool any_event_;  // what may have made room, or changed what is urgent
  std::int32_t pauses_ = 0;
  Entries waiting_;
  Outsiders out_;  // paused before this decision, or in it to let another in
  // Who stood somewhere and has made progress, the highest priority first; until many have asked for it,
  // only whom the last one could pause.
  std::pmr::vector<PreemptionSearch::Candidate> bearers_;
  // Where all are gathered: by bearer, does it stand where it stood? And by entry, its bearer, if it is
  // one.
  std::pmr::vector<std::uint8_t> stands_;
  Entries bearer_of_;
  std::int32_t claims_ = 0;  // that were made on few
  bool all_gathered_ = false;
  // What would become of each of them if it were paused now. Who was paused meanwhile is left out by and
  // by.
  struct Bearing {
    double stretch;
    double worse;  // of whom serves a penalty: how many times what it comes to if it goes on; else infinite
    std::uint32_t bearer;
    bool stalled;
    bool fresh;
    [[nodiscard]] bool bears(const Claim& claim) const;
  };
  std::pmr::vector<Bearing> bearings_;  // in the order of the bearers
  std::size_t gone_ = 0;                // of them
  std::optional<PreemptionSearch> preemption_search_;
  Refusals no_room_;     // as things stand
  Refusals no_victims_;  // nor if all were paused that may be; of those that are let in, then of those that
                         // come back
};

}  // namespace aliquot
