// Policies in a cluster of two hypervisor kinds: libvirt's nodes n0, n1 and Xen's n2, n3.
#include "policies/kinds/by_kind.hpp"

#include <gtest/gtest.h>

#include "policies/kinds/kinds_state.hpp"
#include "policies/registry.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::change_of;
using test::on;
using test::placed;
using test::SmallView;

constexpr HypervisorKind kLibvirt = HypervisorKind::libvirt;
constexpr HypervisorKind kXen = HypervisorKind::xen;

SmallView two_kinds() {
  SmallView small(4);
  small.view.nodes[2].hypervisor = small.view.nodes[3].hypervisor = kXen;
  return small;
}

const KindsState& state_of(const Plan& plan) { return dynamic_cast<const KindsState&>(*plan.memory.state); }

// Remembers how it was asked, and asks for an instant of its own: so many seconds from now as jobs wait.
class Scribe : public Policy {
 public:
  explicit Scribe(std::vector<ClusterView>& asked) : asked_(asked) {}
  [[nodiscard]] std::string name() const override { return "SCRIBE"; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override {
    asked_.push_back(view);
    Plan plan;
    plan.memory = view.memory;
    plan.wake_at = view.now + seconds(100 - static_cast<std::int64_t>(view.jobs.size()));
    return plan;
  }
  [[nodiscard]] Explanation explain(const ClusterView&, JobId) const override { return {}; }

 private:
  std::vector<ClusterView>& asked_;
};

TEST(ByKind, is_the_policy_itself_where_all_nodes_are_of_one_kind) {
  for (const PolicyRow& row : built_in_policies().rows()) {
    if (row.listed.empty() || row.mark == '(') continue;  // the parts of a HYBRID are wrapped, too
    const PolicyName name{row.word, row.word, '\0', {}, {}};
    const auto plain = row.make(name, built_in_policies());
    if (!plain) continue;
    const auto wrapped = *make_policy((*plain)->name());
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      ClusterView view = test::random_view(seed);
      if (seed % 2 == 1)
        for (Node& node : view.nodes) node.hypervisor = kXen;
      if (seed % 3 == 1) view.index.rebuild(view);
      const Plan expected = (*plain)->decide(view);
      const Plan plan = wrapped->decide(view);
      ASSERT_EQ(expected, plan) << row.word << ", seed " << seed;
      ASSERT_EQ(encode_policy_state(expected.memory.state), encode_policy_state(plan.memory.state));
      ASSERT_FALSE(plan.memory.state_as<KindsState>()) << row.word << ", seed " << seed;
    }
  }
}

TEST(ByKind, a_policy_sees_each_kind_as_a_cluster_of_its_own) {
  SmallView small = two_kinds();
  small.running(1, {on(1)}, 50, 50);
  small.running(2, {on(2)}, 50, 50);
  small.paused(3, 1, 50, 50).bound = kXen;
  std::vector<ClusterView> asked;
  (void)by_kind(std::make_unique<Scribe>(asked))->decide(small.view);
  ASSERT_EQ(2U, asked.size());
  EXPECT_EQ(1U, asked[0].jobs.size());
  EXPECT_TRUE(asked[0].jobs.contains({1}));
  EXPECT_EQ(2U, asked[1].jobs.size());
  for (const ClusterView& view : asked) {
    ASSERT_EQ(4U, view.nodes.size());  // under their numbers
    EXPECT_TRUE(have_one_kind(view.nodes));
    for (const auto& [id, job] : view.jobs) EXPECT_FALSE(job.bound);
  }
  EXPECT_TRUE(asked[0].nodes[1].usable());
  EXPECT_FALSE(asked[0].nodes[2].usable());
  EXPECT_EQ(Memory{}, asked[0].nodes[2].memory);
  EXPECT_EQ(small.view.nodes[2].memory, asked[1].nodes[2].memory);
}

TEST(ByKind, asks_again_at_the_earliest_instant_of_any_kind) {
  SmallView small = two_kinds();
  small.running(1, {on(1)}, 50, 50);
  small.running(2, {on(2)}, 50, 50);
  small.running(3, {on(3)}, 50, 50);
  std::vector<ClusterView> asked;
  EXPECT_EQ(small.view.now + seconds(98),
            by_kind(std::make_unique<Scribe>(asked))->decide(small.view).wake_at);
}

TEST(ByKind, a_paused_job_resumes_on_its_own_kind_only) {
  SmallView small = two_kinds();
  small.running(1, {on(2)}, 50, 80);
  small.running(2, {on(3)}, 50, 80);
  small.paused(3, 1, 50, 50).bound = kXen;
  small.view.cause.completed = true;
  for (const char* policy : {"EASY", "DYNMCB8", "GREEDY-PMTN", "Greedy*"})
    EXPECT_EQ(Placement{}, placed(small.decide(policy), 3)) << policy;
  small.view.jobs.at({3}).bound = kLibvirt;
  EXPECT_EQ((Placement{on(0)}), placed(small.decide("EASY"), 3));
}

TEST(ByKind, a_job_never_straddles_two_kinds) {
  SmallView small = two_kinds();
  small.running(1, {on(0)}, 100, 100).pinned = true;
  small.running(2, {on(3)}, 100, 100).pinned = true;
  small.arrived(3, 2, 100, 60);
  for (const char* policy : {"EASY", "GREEDY", "DYNMCB8", "ALIQUOT"})
    EXPECT_EQ(Placement{}, placed(small.decide(policy), 3)) << policy;
}

TEST(ByKind, a_free_job_is_offered_to_the_kind_with_the_least_load) {
  SmallView small = two_kinds();
  small.running(1, {on(0)}, 60, 10);
  small.arrived(2, 1, 50, 10);
  EXPECT_EQ((Placement{on(2)}), placed(small.decide("GREEDY"), 2));
  small.running(3, {on(2)}, 90, 10);
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("GREEDY"), 2));
}

TEST(ByKind, a_free_job_is_offered_to_a_kind_that_could_hold_it) {
  SmallView small = two_kinds();
  small.view.nodes[0].memory = small.view.nodes[1].memory = mebibytes(30);
  small.running(1, {on(2)}, 60, 10);
  small.arrived(2, 1, 50, 40);
  EXPECT_EQ((Placement{on(3)}), placed(small.decide("GREEDY"), 2));
}

TEST(ByKind, a_free_job_that_its_kind_leaves_out_is_offered_to_the_other) {
  SmallView small = two_kinds();
  small.running(1, {on(0)}, 10, 80);  // little load, but no memory
  small.running(2, {on(1)}, 10, 80);
  small.running(3, {on(2)}, 90, 10);
  small.running(4, {on(3)}, 90, 10);
  small.arrived(5, 1, 50, 50);
  const Plan plan = small.decide("GREEDY");
  EXPECT_EQ((Placement{on(2)}), placed(plan, 5));
  EXPECT_TRUE(plan.memory.retries.empty());  // of the first attempt nothing is left
  EXPECT_TRUE(state_of(plan).offers().empty());
}

TEST(ByKind, a_job_that_no_kind_takes_stays_with_its_first) {
  SmallView small = two_kinds();
  for (std::uint32_t n = 0; n < 4; ++n) small.running(n + 1, {on(n)}, n < 2 ? 90 : 10, 80);
  small.arrived(5, 1, 50, 50);
  const Plan plan = small.decide("GREEDY");
  EXPECT_EQ(nullptr, change_of(plan, 5));
  EXPECT_EQ(kXen, state_of(plan).offers().at({5}));
  EXPECT_EQ(1U, plan.memory.retries.size());
  // It stays there although now the other has less load.
  ClusterView next = test::after(small.view, plan);
  for (const std::uint64_t id : {1U, 2U}) next.jobs.at({id}).demand.need = {10'000};
  next.cause.completed = true;
  EXPECT_EQ(kXen, state_of((*make_policy("GREEDY"))->decide(next)).offers().at({5}));
}

TEST(ByKind, a_held_job_is_offered_to_no_other_kind) {
  SmallView small = two_kinds();
  small.running(1, {on(0)}, 10, 80);
  small.arrived(5, 1, 50, 50).held = true;
  for (const char* policy : {"GREEDY", "EASY", "ALIQUOT"})
    EXPECT_EQ(nullptr, change_of(small.decide(policy), 5)) << policy;
}

TEST(ByKind, the_memory_of_each_kind_survives_the_store) {
  SmallView small = two_kinds();
  small.running(1, {on(0)}, 100, 100).pinned = true;
  small.running(2, {on(2)}, 100, 100).pinned = true;
  small.arrived(3, 3, 100, 50);
  small.arrived(4, 2, 100, 60);
  const Plan plan = small.decide("ALIQUOT");
  const KindsState& state = state_of(plan);
  EXPECT_TRUE(state.part(kLibvirt) && state.part(kXen));
  EXPECT_FALSE(state.offers().empty());
  const auto again = decode_policy_state(state.encode());
  const auto* const same = dynamic_cast<const KindsState*>(again.get());
  ASSERT_TRUE(same);
  EXPECT_EQ(state.encode(), same->encode());
  EXPECT_EQ(state.offers(), same->offers());
  EXPECT_EQ(encode_policy_state(state.part(kXen)), encode_policy_state(same->part(kXen)));
  ClusterView next = test::after(small.view, plan);
  next.cause.completed = true;
  const Plan expected = (*make_policy("ALIQUOT"))->decide(next);
  next.memory.state = again;
  EXPECT_EQ(expected, (*make_policy("ALIQUOT"))->decide(next));
}

TEST(ByKind, a_broken_memory_is_kept_as_a_text) {
  for (const char* text : {"kinds ", "kinds 1 2", "kinds 3 0  ab", "kinds 0 0 7=hyperv ",
                           "kinds 0 0 7=xen,7=xen ", "kinds 0 0 x=xen ", "kinds 0 0  abc", "kinds 00 0  "})
    EXPECT_TRUE(dynamic_cast<const TextState*>(decode_policy_state(text).get())) << text;
}

TEST(ByKind, what_was_remembered_before_goes_to_the_kind_that_was_there_first) {
  SmallView small = two_kinds();
  small.view.memory.state = std::make_shared<TextState>("before");
  std::vector<ClusterView> asked;
  (void)by_kind(std::make_unique<Scribe>(asked))->decide(small.view);
  EXPECT_EQ("before", encode_policy_state(asked[0].memory.state));
  EXPECT_EQ("", encode_policy_state(asked[1].memory.state));
}

TEST(ByKind, says_that_a_job_waits_for_its_kind_though_others_could_take_it) {
  SmallView small = two_kinds();
  small.running(1, {on(2)}, 50, 80);
  small.running(2, {on(3)}, 50, 80);
  small.paused(3, 1, 50, 50).bound = kXen;
  const Explanation why = small.explain("GREEDY-PMTN", 3);
  EXPECT_NE(std::string::npos, why.text.find("its VMs are of xen and can go on only on nodes of xen: n2, "
                                             "n3; other nodes could take it now if it were started anew"))
      << why.text;
  EXPECT_EQ((std::vector<JobId>{{1}, {2}}), why.held_by);
  std::uint32_t others = 0;
  for (const NodeCount& count : why.nodes)
    if (count.what == "of hypervisor libvirt") others = count.nodes;
  EXPECT_EQ(2U, others);
}

TEST(ByKind, says_that_a_job_asks_for_a_kind) {
  SmallView small = two_kinds();
  small.running(1, {on(2)}, 50, 80);
  small.running(2, {on(3)}, 50, 80);
  Job& asking = small.arrived(3, 1, 50, 50);
  asking.demand.hypervisor = asking.bound = kXen;
  EXPECT_TRUE(small.decide("GREEDY").changes.empty()) << "nodes of libvirt are free";
  const Explanation why = small.explain("GREEDY", 3);
  EXPECT_NE(std::string::npos, why.text.find("; it runs only on nodes of xen: n2, n3")) << why.text;
  for (Node& node : small.view.nodes) node.hypervisor = HypervisorKind::libvirt;
  EXPECT_EQ("it runs only on nodes of xen, and there is none: add one, or cancel the job",
            small.explain("GREEDY", 3).text);
}

TEST(ByKind, says_that_the_kind_of_a_job_is_gone) {
  SmallView small(2);
  small.paused(3, 1, 50, 50).bound = kXen;
  small.view.cause.completed = true;
  EXPECT_TRUE(small.decide("EASY").changes.empty());
  const Explanation why = small.explain("EASY", 3);
  EXPECT_EQ(Reason::nodes_unavailable, why.reason);
  EXPECT_EQ("its VMs are of xen, and no node of that kind is left: add one, or let the job start anew",
            why.text);
}

TEST(ByKind, adds_up_the_proven_gap) {
  SmallView small = two_kinds();
  for (std::uint64_t id = 1; id <= 4; ++id) small.arrived(id, 1, 60, 60);
  small.view.cause.tick = true;
  const auto policy = *make_policy("IPSCHED");
  const auto gap = policy->proven_gap(small.view);
  ASSERT_TRUE(gap);
  EXPECT_EQ(4U, gap->jobs);
  EXPECT_GE(gap->bound, gap->incumbent);
  EXPECT_FALSE((*make_policy("EASY"))->proven_gap(small.view));
}

}  // namespace
}  // namespace aliquot
