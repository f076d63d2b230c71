// Why a job stands as it does under ALIQUOT, and for whom it was paused or moved.
#include <algorithm>

#include "policies/aliquot/aliquot.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

std::string stretch_text(std::int32_t hundredths) {
  std::string text = std::to_string(hundredths / 100) + '.';
  return text + std::to_string(hundredths / 10 % 10) + std::to_string(hundredths % 10);
}

// A clause that goes on after what the job does now.
std::string displaced_text(const Displaced& why, JobId job, bool paused) {
  std::string text = paused ? "; it was paused " : "; it was moved ";
  const std::string from_to = stretch_text(why.before) + " to " + stretch_text(why.after);
  switch (why.by) {
    case Displaced::By::arrival:
    case Displaced::By::resume:
      return text + "to let job " + std::to_string(why.helped.raw) +
             " in, whose predicted stretch fell from " + from_to;
    case Displaced::By::search:
      text += "off a crowded node";
      break;
    case Displaced::By::repack:
      text += "when all jobs were packed anew";
      break;
  }
  if (why.helped != job) text += " in favour of job " + std::to_string(why.helped.raw);
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
    why = room_reason(draft, i);
  } else {
    why.reason = Reason::backing_off;
    why.text =
        "asks for " + tasks_text(job.demand) + ", which would fit now; it is placed at the next event";
  }
  const bool out = draft.candidate(i);
  const auto retry = view.memory.retries.find(id);
  if (out && retry != view.memory.retries.end())
    why.retry_at = std::max(retry->second.not_before, view.now);
  const Notebook book = Notebook::read(view);
  const auto known = book.displaced.find(id);
  if (known == book.displaced.end() || job.phase == Phase::waiting) return why;
  why.text += displaced_text(known->second, id, out);
  if (out && view.jobs.contains(known->second.helped)) {
    std::erase(why.held_by, known->second.helped);
    why.held_by.insert(why.held_by.begin(), known->second.helped);
    if (why.held_by.size() > 8) why.held_by.pop_back();
  }
  return why;
}

}  // namespace aliquot
