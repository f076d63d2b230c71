#include "policies/aliquot/policy_state.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace aliquot {

namespace {

constexpr std::string_view kKey = "aliquot";

// A deferred rebalance is written as a number below zero. Its own inverse.
std::int64_t deferred(std::int64_t instant) { return -1 - instant; }

}  // namespace

std::int32_t hundredths(double stretch) {
  return static_cast<std::int32_t>(std::lround(std::min(stretch, 1e6) * 100));
}

AliquotState AliquotState::remembered(const ClusterView& view) {
  const auto* const known = view.memory.state_as<AliquotState>();
  AliquotState state = known ? *known : AliquotState();
  if (!known) state.last_repack = view.now;
  state.last_rebalance = known ? std::min(view.now, known->last_rebalance) : view.now;
  return state;
}

std::string AliquotState::encode() const {
  std::string text(kKey);
  const auto write = [&](auto... values) { ((text += ' ' + std::to_string(values)), ...); };
  write(tokens, rebalance_deferred ? deferred(last_rebalance.raw) : last_rebalance.raw, last_repack.raw);
  write(stalled_until.size());
  for (const auto& [job, until] : stalled_until) write(job.raw, until.raw);
  for (const auto& [job, why] : displaced)
    write(job.raw, static_cast<int>(why.by), why.beneficiary.raw, why.before, why.after);
  return text;
}

std::shared_ptr<const PolicyState> AliquotState::decode(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::string key;
  std::size_t stalls = 0;
  auto state = std::make_shared<AliquotState>();
  in >> key >> state->tokens >> state->last_rebalance.raw >> state->last_repack.raw >> stalls;
  if (key != kKey) return nullptr;
  state->rebalance_deferred = state->last_rebalance.raw < 0;
  if (state->rebalance_deferred) state->last_rebalance = {deferred(state->last_rebalance.raw)};
  for (JobId job; stalls > 0 && in >> job.raw; --stalls) in >> state->stalled_until[job].raw;
  if (!in) return nullptr;
  int by = 0;
  for (JobId job; in >> job.raw;) {
    Displacement& why = state->displaced[job];
    in >> by >> why.beneficiary.raw >> why.before >> why.after;
    if (!in || by < 0 || by > static_cast<int>(Displacement::By::repacking)) return nullptr;
    why.by = static_cast<Displacement::By>(by);
  }
  return in.eof() ? state : nullptr;
}

}  // namespace aliquot
