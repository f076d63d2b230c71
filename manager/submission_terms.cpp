#include "manager/submission_terms.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "manager/api/answers/admission.hpp"
#include "manager/api/answers/network_admission.hpp"
#include "manager/api/answers/share_admission.hpp"
#include "policies/moldable/molding.hpp"
#include "policies/moldable/speedup_text.hpp"

namespace aliquot {
namespace {

bool has_other_vms(const ClusterView& view) {
  return std::ranges::any_of(view.nodes, [](const Node& node) { return node.others.count > 0; });
}

// VMs of others come and go: a job that fits beside none of them waits, and is not refused.
std::vector<Node> without_other_vms(std::vector<Node> nodes) {
  for (Node& node : nodes) node.charge_others({});
  return nodes;
}

// What the request asks for by names of the site.
Result<void> give_by_name(Submit& request, const ClusterView& view, const Settings& settings) {
  const auto models = device_models(request.gpu_model, view.nodes, view.device_models);
  if (!models) return tl::unexpected<Error>(models.error());
  request.submission.demand.devices.models = *models;
  auto network = network_to_give(request, settings.network);
  if (!network) return tl::unexpected<Error>(network.error());
  request.submission.network = *network;
  auto shares = shares_to_give(request, settings.shares);
  if (!shares) return tl::unexpected<Error>(shares.error());
  request.submission.shares = std::move(*shares);
  return {};
}

std::string shown(const Problem& problem) {
  return problem.application + " with problem size " + std::to_string(problem.size);
}

// By what finished runs have taught, and by least stretch with a perfect speed-up where they have taught
// nothing. Under the rule `paper` by the molding loop (Das, Sudhakaran, Ashok, sec. III-A), which begins
// with what is known, or with the largest number.
void choose_by_knowledge(Submission& job, const moldable::MoldableOffer& offer,
                         const SubmissionTerms& terms) {
  const Problem& problem = *job.problem;
  const auto advice =
      terms.learning.knowledge().base().advise(problem.application, problem.size, offer.range());
  const bool by_loop = terms.settings.molding.rule == "paper";
  if (advice && !by_loop) {
    job.demand.tasks = advice->tasks;
    job.choice->why = moldable::explain(*advice);
    return;
  }
  moldable::LoadBalance loop;
  if (advice) loop.start = advice->tasks;
  const moldable::MoldingChoice chosen = by_loop
                                             ? moldable::mold(terms.view, offer, loop)
                                             : moldable::mold(terms.view, offer, moldable::LeastStretch{});
  job.demand.tasks = chosen.tasks;
  const std::string unknown = " Nothing is known yet of " + shown(problem) + ": ";
  job.choice->why =
      moldable::explain(chosen) +
      (advice    ? " The molding loop began with " + moldable::explain(*advice)
       : by_loop ? unknown + "the molding loop began with the largest number of the range."
                 : unknown + "it is taken to run n times as fast on n tasks, until a run has taught more.");
}

// How many tasks the job gets of the range that it offers, as the cluster is now. Until it has this number,
// demand.tasks is the least.
Result<void> choose_tasks(Submission& job, const SubmissionTerms& terms) {
  if (!job.choice) return {};
  TaskChoice& choice = *job.choice;
  if (is_constrained(job.demand))
    return fail(ErrorKind::invalid_argument,
                "a job with devices or limits on its nodes has one number of tasks; give --tasks N");
  const bool states_speedup = !choice.speedup.empty();
  const bool by_knowledge =
      !states_speedup && job.problem && terms.settings.molding.rule != "least-stretch";
  if (!states_speedup && !by_knowledge) choice.speedup = "perfect";
  const auto model = moldable::parse_speedup(by_knowledge ? "perfect" : choice.speedup);
  if (!model) return tl::unexpected<Error>(model.error());
  const auto offer = moldable::MoldableOffer::of({choice.least, choice.most}, *model, job.demand.need,
                                                 job.guest_memory + terms.settings.hypervisor.vm_overhead);
  if (!offer) return tl::unexpected<Error>(offer.error());
  if (by_knowledge) {
    choose_by_knowledge(job, *offer, terms);
    return {};
  }
  const moldable::MoldingChoice chosen = moldable::mold(terms.view, *offer, moldable::LeastStretch{});
  job.demand.tasks = chosen.tasks;
  choice.why = moldable::explain(chosen);
  return {};
}

}  // namespace

Result<Submission> admitted_submission(Submit& request, const Peer& peer, const SubmissionTerms& terms) {
  const auto& [view, settings, roles, learning, jobs] = terms;
  auto account = account_to_charge(request.submission.account, peer, roles);
  if (!account) return tl::unexpected<Error>(account.error());
  request.submission.account = std::move(*account);
  if (!request.submission.requeue) request.submission.requeue = settings.limits.requeue;
  if (!request.submission.need_mode && settings.needs.mode != needs::NeedMode::declared)
    request.submission.need_mode = settings.needs.mode;
  if (const auto chosen = choose_tasks(request.submission, terms); !chosen)
    return tl::unexpected<Error>(chosen.error());
  if (const auto given = give_by_name(request, view, settings); !given)
    return tl::unexpected<Error>(given.error());
  const std::vector<Node> alone = has_other_vms(view) ? without_other_vms(view.nodes) : std::vector<Node>();
  const std::vector<Node>& nodes = alone.empty() ? view.nodes : alone;
  const AdmissionRules rules{settings.limits, settings.api.max_request, settings.hypervisor.vm_overhead};
  if (const auto ok = admit(request, nodes, jobs, rules, view.device_models); !ok)
    return tl::unexpected<Error>(ok.error());
  Submission job = charged(std::move(request.submission), rules, peer.uid, nodes);
  job.demand.predicted = learning.run_times().predicted(job);
  return job;
}

}  // namespace aliquot
