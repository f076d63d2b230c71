#include "policies/aliquot/policy_state.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace aliquot {

namespace {

constexpr std::string_view kKey = "aliquot";
constexpr std::size_t kMostDisplaced = 100;  // beyond these only jobs that are paused are remembered
constexpr std::size_t kLeastEntry = 4;       // characters of a stall: bounds what a false count may reserve

// The position of a job in a draft, asked in increasing ids.
class Positions {
 public:
  explicit Positions(const Draft& draft) : draft_(draft) {}
  // Has the draft the job? Then at() is its position.
  bool find(JobId job) {
    while (at_ < draft_.size() && draft_.id(at_) < job) ++at_;
    return at_ < draft_.size() && draft_.id(at_) == job;
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  const Draft& draft_;
  std::size_t at_ = 0;
};

// A deferred rebalance is written as a number below zero. Its own inverse.
std::int64_t deferred(std::int64_t instant) { return -1 - instant; }

void write(std::string& text, std::int64_t value) {
  char digits[24];
  digits[0] = ' ';
  text.append(digits, std::to_chars(digits + 1, digits + sizeof digits, value).ptr);
}

// Numbers, each after one blank.
class Reader {
 public:
  explicit Reader(std::string_view text) : next_(text.data()), end_(next_ + text.size()) {}

  template <class Number = std::int64_t>
  Number number() {
    Number value = 0;
    if (next_ == end_ || *next_ != ' ') return sound_ = false, value;
    const auto [end, error] = std::from_chars(next_ + 1, end_, value);
    sound_ = sound_ && error == std::errc();
    next_ = sound_ ? end : end_;
    return value;
  }
  JobId job() { return {static_cast<std::uint64_t>(number())}; }
  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }

 private:
  const char* next_;
  const char* end_;
  bool sound_ = true;
};

}  // namespace

std::int32_t hundredths(double stretch) {
  return static_cast<std::int32_t>(std::lround(std::min(stretch, 1e6) * 100));
}

AliquotState AliquotState::remembered(const Draft& draft) {
  const ClusterView& view = draft.view();
  AliquotState state;
  const auto* const known = view.memory.state_as<AliquotState>();
  if (!known) {
    state.last_rebalance = state.last_repack = view.now;
    return state;
  }
  state.tokens = known->tokens;
  state.last_rebalance = std::min(view.now, known->last_rebalance);
  state.rebalance_deferred = known->rebalance_deferred;
  state.last_repack = known->last_repack;
  for (Positions positions(draft); const auto& [job, until] : known->stalled_until)
    if (until > view.now && positions.find(job)) state.stalled_until.append(job, until);
  Positions positions(draft);
  state.displaced.reserve(known->displaced.size());
  for (const auto& [job, why] : known->displaced) {
    if (!positions.find(job)) continue;
    if (!draft.stood(positions.at()) || state.displaced.size() < kMostDisplaced)
      state.displaced.append(job, why);
  }
  return state;
}

void AliquotState::add(std::vector<std::pair<JobId, Displacement>> displacements) {
  if (displacements.empty()) return;
  std::ranges::stable_sort(displacements, {}, &std::pair<JobId, Displacement>::first);
  FlatMap<JobId, Displacement> merged;
  merged.reserve(displaced.size() + displacements.size());
  auto known = displaced.begin();
  for (auto next = displacements.begin(); next != displacements.end(); ++next) {
    const JobId job = next->first;
    if (next + 1 != displacements.end() && next[1].first == job) continue;
    for (; known != displaced.end() && known->first < job; ++known)
      merged.append(known->first, known->second);
    if (known != displaced.end() && known->first == job) ++known;
    merged.append(job, next->second);
  }
  for (; known != displaced.end(); ++known) merged.append(known->first, known->second);
  displaced = std::move(merged);
}

std::string AliquotState::encode() const {
  std::string text(kKey);
  const auto write_job = [&](JobId job) { write(text, static_cast<std::int64_t>(job.raw)); };
  write(text, tokens);
  write(text, rebalance_deferred ? deferred(last_rebalance.raw) : last_rebalance.raw);
  write(text, last_repack.raw);
  write(text, static_cast<std::int64_t>(stalled_until.size()));
  for (const auto& [job, until] : stalled_until) {
    write_job(job);
    write(text, until.raw);
  }
  for (const auto& [job, why] : displaced) {
    write_job(job);
    write(text, static_cast<std::int64_t>(why.by));
    write_job(why.beneficiary);
    write(text, why.before);
    write(text, why.after);
  }
  return text;
}

std::shared_ptr<const PolicyState> AliquotState::decode(std::string_view text) {
  if (!text.starts_with(kKey)) return nullptr;
  Reader reader(text.substr(kKey.size()));
  auto state = std::make_shared<AliquotState>();
  state->tokens = reader.number<std::int32_t>();
  state->last_rebalance = {reader.number()};
  state->rebalance_deferred = state->last_rebalance.raw < 0;
  if (state->rebalance_deferred) state->last_rebalance = {deferred(state->last_rebalance.raw)};
  state->last_repack = {reader.number()};
  const std::int64_t stalls = reader.number();
  if (stalls < 0 || static_cast<std::size_t>(stalls) > reader.left() / kLeastEntry) return nullptr;
  for (std::int64_t k = 0; k < stalls; ++k) {
    const JobId job = reader.job();
    state->stalled_until.emplace(job, {reader.number()});
  }
  while (reader.sound() && reader.left() > 0) {
    const JobId job = reader.job();
    Displacement why;
    const std::int64_t by = reader.number();
    why.by = static_cast<Displacement::By>(by);
    why.beneficiary = reader.job();
    why.before = reader.number<std::int32_t>();
    why.after = reader.number<std::int32_t>();
    if (by < 0 || by > static_cast<std::int64_t>(Displacement::By::repacking)) return nullptr;
    state->displaced.emplace(job, why);
  }
  return reader.sound() ? state : nullptr;
}

}  // namespace aliquot
