// Why a job stands as it does under ALIQUOT, and in favour of which job it was paused or moved.
#include <algorithm>

#include "policies/aliquot/aliquot.hpp"
#include "policies/aliquot/policy_state.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

std::string stretch_text(std::int32_t hundredths) {
  std::string text = std::to_string(hundredths / 100) + '.';
  return text + std::to_string(hundredths / 10 % 10) + std::to_string(hundredths % 10);
}

// A clause that follows what the job does now.
std::string displacement_text(const Displacement& why, JobId job, bool paused) {
  std::string text = paused ? "; it was paused " : "; it was moved ";
  const std::string from_to = stretch_text(why.before) + " to " + stretch_text(why.after);
  switch (why.by) {
    case Displacement::By::admission:
    case Displacement::By::resumption:
      return text + "to let job " + std::to_string(why.beneficiary.raw) +
             " in, whose predicted stretch fell from " + from_to;
    case Displacement::By::rebalancing:
      text += "off a crowded node";
      break;
    case Displacement::By::repacking:
      text += "when all jobs were packed anew";
      break;
  }
  if (why.beneficiary != job) text += " in favour of job " + std::to_string(why.beneficiary.raw);
  return text + ": the largest predicted stretch fell from " + from_to;
}

}  // namespace

Explanation Aliquot::explain(const ClusterView& view, JobId id) const {
  const Draft draft(view);
  const std::size_t i = draft.index_of(id);
  const Job& job = draft.job(i);
  Explanation why;
  if (auto plain = plain_reason(draft, i)) {
    why = *std::move(plain);
  } else if (!draft.fits(job.demand)) {
    why = capacity_reason(draft, i);
  } else {
    why.reason = Reason::backing_off;
    why.text =
        "asks for " + tasks_text(job.demand) + ", which would fit now; it is placed at the next event";
  }
  const bool out = draft.candidate(i);
  const auto retry = view.memory.retries.find(id);
  if (out && retry != view.memory.retries.end())
    why.retry_at = std::max(retry->second.not_before, view.now);
  const auto* const memory = view.memory.state_as<AliquotState>();
  if (!memory || !memory->displaced.contains(id) || job.phase == Phase::waiting) return why;
  const Displacement& displaced = memory->displaced.at(id);
  const JobId beneficiary = displaced.beneficiary;
  why.text += displacement_text(displaced, id, out);
  if (out && view.jobs.contains(beneficiary)) {
    std::erase(why.held_by, beneficiary);
    why.held_by.insert(why.held_by.begin(), beneficiary);
    if (why.held_by.size() > kMostHolders) why.held_by.pop_back();
  }
  return why;
}

}  // namespace aliquot
