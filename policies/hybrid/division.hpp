// How a policy of two, P for the jobs that ask for devices or certain nodes and Q for all others, divides
// the view between them and joins their plans. For HYBRID and COLLOCATE, which say which of them decides
// when.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// What both remember; null: nothing.
class HybridState : public PolicyState {
 public:
  using Part = std::shared_ptr<const PolicyState>;
  HybridState(Part places, Part shares) : places_(std::move(places)), shares_(std::move(shares)) {}

  [[nodiscard]] const Part& places() const { return places_; }
  [[nodiscard]] const Part& shares() const { return shares_; }
  // "hybrid LENGTH " and both texts, the first of this length.
  [[nodiscard]] std::string encode() const override;
  [[nodiscard]] static Part decode(std::string_view text);  // null: it is no such text

 private:
  Part places_;
  Part shares_;
};

[[nodiscard]] HybridState::Part state_of_places(const PolicyMemory& memory);

// P's view: the jobs that ask for devices or a spread, and what the others hold for certain, their memory
// and guaranteed CPU; of these only the immovable ones if `others_in_the_way` is false. At a tick if P's
// own is due; `period` is P's.
[[nodiscard]] ClusterView placing_view(const ClusterView& view, std::optional<Duration> period,
                                       bool others_in_the_way);

// Q's view: the other jobs, and P's jobs where they run, by `placed` or already: these cannot move.
[[nodiscard]] ClusterView sharing_view(const ClusterView& view, const Plan& placed);

// The job once the change, which starts or resumes it, is in force; a resume costs what the view says.
[[nodiscard]] Job placed_by(Job job, const Change& change, const ClusterView& view);

// Whether a job of P waits once the plan is in force.
[[nodiscard]] bool any_waits(const ClusterView& view, const Plan& plan);

// Keeps of P's plan where its own jobs go; how much CPU they get is for Q to say.
void keep_moves(Plan& placed, const ClusterView& view);

// Both plans as one. Q's changes, with the devices of P's jobs among them, and P's changes that Q leaves as
// they are; what both remember; the earlier wake_at.
[[nodiscard]] Plan joined(const ClusterView& view, Plan shared, Plan placed);

// Whether the nodes hold what is on them under the joined plan: P may have counted on nodes that Q then
// does not free.
[[nodiscard]] bool fits(const ClusterView& view, const Plan& plan);

// Q's decision, with P's jobs where they run: P places no job now, and remembers what it did.
[[nodiscard]] Plan sharing_alone(const Policy& shares, const ClusterView& view);

// Asks to be woken at P's next interval if a job of P waits.
void wake_for(const Policy& places, const ClusterView& view, Plan& plan);

// The text between the brackets, split at the comma outside of inner brackets.
struct HybridParts {
  std::string places, shares;
};
[[nodiscard]] Result<HybridParts> hybrid_parts(const PolicyName& name);

}  // namespace aliquot
