// The TPDS 2012 family: the authors' algorithms after DFRS 2010, named by what they do at a submission, on
// a completion and at a tick (docs/policies.md tells the parts).
//
// At a submission: Greedy places the new job or lets it wait; GreedyP pauses jobs of lower priority for it,
// GreedyPM may place these elsewhere at once; MCB8 packs all jobs anew; an empty word leaves it to the
// tick. With `*` all jobs that wait or are paused are tried again on completions. At a tick all jobs are
// packed anew. Without `*` and without a period a waiting job is tried again by GREEDY's bounded
// exponential back-off; otherwise it would wait for ever.
#pragma once

#include "policies/dfrs/greedy.hpp"
#include "policies/draft.hpp"
#include "policies/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// What a name of the TPDS 2012 family says.
//
//   <submit>[*][/per=T|/stretch-per=T][/OPT=MIN|AVG|MAX][/MINVT=s|/MINFT=s]
//
// submit: Greedy, GreedyP (may pause), GreedyPM (may pause and move), MCB8 (packs all jobs anew), or empty
// (jobs wait for the tick). Source: Stillwell, Vivien, Casanova, IEEE TPDS 2012 (arXiv 1106.4985).
struct Tpds2012Spec {
  enum class Submit : std::uint8_t { greedy, greedy_pause, greedy_move, pack, wait };
  enum class Tick : std::uint8_t { none, yield, stretch };
  enum class Opt : std::uint8_t { usual, min, avg, max };
  enum class Pin : std::uint8_t { none, virtual_time, flow_time };

  Submit submit = Submit::wait;
  bool star = false;  // jobs that wait or are paused are tried again on completions
  Tick tick = Tick::none;
  Duration period{};  // unless Tick::none
  Opt opt = Opt::usual;
  Pin pin = Pin::none;
  Duration pin_below{};  // unless Pin::none

  [[nodiscard]] bool packs() const { return tick != Tick::none || submit == Submit::pack; }
  friend bool operator==(const Tpds2012Spec&, const Tpds2012Spec&) = default;
};

[[nodiscard]] const PolicyGrammar<Tpds2012Spec>& grammar_of(Tpds2012Spec::Submit submit);
[[nodiscard]] std::string to_string(const Tpds2012Spec& spec);

class Tpds2012Policy : public Policy {
 public:
  explicit Tpds2012Policy(Tpds2012Spec spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] std::optional<Duration> period() const override;
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  [[nodiscard]] bool packs_now(const Cause& cause) const;
  [[nodiscard]] bool tries_all(const Cause& cause) const;
  [[nodiscard]] GreedyRules rules(const Cause& cause) const;
  [[nodiscard]] Duration horizon(const ClusterView& view) const;
  [[nodiscard]] Yields yields(const Draft& draft) const;
  void pack_anew(Draft& draft) const;

  Tpds2012Spec spec_;
};

}  // namespace aliquot
