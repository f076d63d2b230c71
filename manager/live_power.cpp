#include "manager/live_power.hpp"

#include <algorithm>
#include <utility>

#include "config/quantities.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "policies/power/memory_text.hpp"

namespace aliquot {
namespace {

constexpr Duration kTryOffAgain = seconds(300);
constexpr Duration kTryOnAgain = seconds(10);
constexpr Duration kAskAgain = seconds(2);
// A wish that the core has not taken is said again after this time.
constexpr Duration kWishAgain = seconds(5);
constexpr Duration kKeepAgain = seconds(60);

}  // namespace

LivePower::LivePower(Parts parts, std::string learned)
    : parts_(std::move(parts)),
      control_(parts_.settings.policy),
      kept_(std::move(learned)),
      meters_({parts_.levers, parts_.settings, meter_, parts_.warn}) {
  const ClusterView& view = parts_.scheduler.cluster().view();
  now_ = view.now;
  if (!kept_.empty()) go_on_from(kept_);
  for (const Node& node : view.nodes) {
    powers_.push_back(node.power);
    if (node.power == NodePower::off) parts_.levers.disconnect(node.id);
    begin(node.id, node, 0, now_);
  }
  for (auto& [node, change] : under_way_) carry_out(node, change);
}

void LivePower::go_on_from(const std::string& learned) {
  auto memory = power::read_memory(learned);
  if (memory) return control_.resume(std::move(*memory), now_);
  parts_.warn("arrivals_forgotten why=\"what the store has kept of them cannot be read: " +
              memory.error().message + "; they are learned anew\"");
}

void LivePower::keep_learned() {
  if (!sees_steps_ || !parts_.keep || now_ < keep_again_) return;
  keep_again_ = now_ + kKeepAgain;
  std::string learned = power::print_memory(control_.memory());
  if (learned == kept_) return;
  kept_ = learned;
  parts_.keep(std::move(learned));
}

bool LivePower::has_nothing_to_do(const ClusterView& view) const {
  const auto is_on = [](const Node& node) { return node.power == NodePower::on; };
  return parts_.settings.policy.rule == power::PowerRule::always_on &&
         std::ranges::all_of(view.nodes, is_on);
}

void LivePower::before_step(std::vector<Event>& events) const {
  const ClusterView& view = parts_.scheduler.cluster().view();
  if (has_nothing_to_do(view)) return;
  for (PowerChanged& wake : control_.before_step(events, view)) events.emplace_back(std::move(wake));
}

void LivePower::on_step(const Step& step, const ClusterView& after) {
  now_ = after.now;
  meter_.read(after, now_, parts_.settings.policy);
  follow(step, after);
  const bool sees = !has_nothing_to_do(after);
  if (sees != sees_steps_) control_.resume(control_.memory(), now_);
  sees_steps_ = sees;
  if (sees) take_wishes(step, after);
}

// What the core has taken begins when it is on disk.
void LivePower::follow(const Step& step, const ClusterView& after) {
  powers_.resize(after.nodes.size(), NodePower::on);
  for (const Node& node : after.nodes) {
    if (std::exchange(powers_[node.id.raw], node.power) == node.power) continue;
    under_way_.erase(node.id);
    begin(node.id, node, step.number, after.now);
    if (node.power == NodePower::off) parts_.levers.disconnect(node.id);
    const auto word = last_word_.find(node.id);
    if (node.power != NodePower::on || word == last_word_.end()) continue;
    if ((node.state == NodeState::up) != (word->second.state == NodeState::up))
      parts_.input.add(std::move(word->second));
    last_word_.erase(word);
  }
}

void LivePower::begin(NodeId node, const Node& known, std::uint64_t step, Instant now) {
  if (known.power != NodePower::going_off && known.power != NodePower::waking) return;
  Change change;
  change.to = known.power == NodePower::waking ? NodePower::on : NodePower::off;
  change.number = ++numbers_;
  change.step = step;
  change.since = now;
  under_way_[node] = std::move(change);
}

void LivePower::take_wishes(const Step& step, const ClusterView& after) {
  control_.use(parts_.settings.policy);
  wish_again_ = kNever;
  asked_.resize(after.nodes.size());
  asked_at_.resize(after.nodes.size(), Instant{-kWishAgain.raw});
  for (PowerChanged& wish : control_.after_step(step, after))
    if (may_wish(wish, after.now)) parts_.input.events.emplace_back(std::move(wish));
}

bool LivePower::may_wish(const PowerChanged& wish, Instant now) {
  if (wish.power == NodePower::going_off) {
    if (parts_.scheduler.cluster().state().mode != Mode::automatic) return false;
    const auto pause = not_off_before_.find(wish.node);
    if (pause != not_off_before_.end() && now < pause->second) {
      wish_again_ = std::min(wish_again_, pause->second);
      return false;
    }
  }
  PowerChanged& before = asked_[wish.node.raw];
  Instant& at = asked_at_[wish.node.raw];
  if (before.power == wish.power && now < at + kWishAgain) {
    wish_again_ = std::min(wish_again_, at + kWishAgain);
    return false;
  }
  before = wish;
  at = now;
  return true;
}

Instant LivePower::next_due() const {
  if (has_nothing_to_do(parts_.scheduler.cluster().view())) return kNever;
  return std::min(control_.next_due(), wish_again_);
}

bool LivePower::takes(const NodeChanged& event) {
  const std::vector<Node>& nodes = parts_.scheduler.cluster().view().nodes;
  if (event.node.raw >= nodes.size() || nodes[event.node.raw].power == NodePower::on) return false;
  last_word_[event.node] = event;
  const auto at = under_way_.find(event.node);
  if (at == under_way_.end() || at->second.to != NodePower::on) return true;
  Change& change = at->second;
  if (change.stage < Stage::silent) return true;
  if (event.state == NodeState::up) {
    ask(event.node, change);
  } else {
    change.stage = Stage::silent;
    change.trouble = event.why;
  }
  return true;
}

void LivePower::on_durable(const Step& step) {
  for (auto& [node, change] : under_way_)
    if (change.stage == Stage::not_on_disk && change.step <= step.number) carry_out(node, change);
}

LivePower::Change* LivePower::same(NodeId node, std::uint64_t number) {
  const auto at = under_way_.find(node);
  return at != under_way_.end() && at->second.number == number ? &at->second : nullptr;
}

void LivePower::carry_out(NodeId node, Change& change) {
  change.stage = Stage::pulled;
  if (change.to == NodePower::off)
    return parts_.levers.switch_off(node, [this, node, number = change.number](const auto& said) {
      if (same(node, number)) is_off(node, said);
    });
  parts_.levers.switch_on(node, [this, node, number = change.number](const auto& said) {
    if (Change* const known = same(node, number)) is_woken(node, *known, said);
  });
}

void LivePower::is_off(NodeId node, const Result<std::string>& said) {
  if (said) return parts_.input.add(PowerChanged{node, NodePower::off, *said});
  not_off_before_[node] = now_ + kTryOffAgain;
  const std::string why = "it could not be switched off: " + said.error().message + "; after " +
                          print_duration(kTryOffAgain) + " at the earliest";
  parts_.warn("node_not_off node=" + name_of(node) + " why=\"" + why + "\"");
  parts_.input.add(PowerChanged{node, NodePower::on, why});
}

// Though the command has failed the node may boot, or be on.
void LivePower::is_woken(NodeId node, Change& change, const Result<std::string>& said) {
  change.failure = said ? "" : said.error().message;
  if (!said) parts_.warn("node_not_woken node=" + name_of(node) + " why=\"" + change.failure + "\"");
  const Duration boot = power::boot_time(parts_.settings.policy, control_.memory(), node);
  change.again = now_ + (said ? std::max(kTryOnAgain, boot) : kTryOnAgain);
  change.stage = Stage::silent;
  parts_.levers.connect(node);
}

void LivePower::ask(NodeId node, Change& change) {
  change.stage = Stage::asked;
  parts_.levers.take_inventory(node, [this, node, number = change.number](const auto& said) {
    Change* const known = same(node, number);
    if (!known || known->stage != Stage::asked) return;
    if (said) return parts_.input.add(PowerChanged{node, NodePower::on, "it has booted"});
    known->stage = Stage::answers;
    known->trouble = said.error().message;
    known->again = now_ + kAskAgain;
  });
}

void LivePower::every_second(Instant now) {
  now_ = now;
  read_meters();
  keep_learned();
  for (auto& [node, change] : under_way_)
    if (change.to == NodePower::on) look_after(node, change);
  // A node that libvirt has suspended wakes by itself then.
  if (!parts_.settings.off_command.empty()) return;
  const CoreState& state = parts_.scheduler.cluster().state();
  for (const Node& node : state.view.nodes)
    if (node.power == NodePower::off && state.node_records.at(node.id).power_since + kSuspendedFor <= now)
      parts_.input.add(PowerChanged{node.id, NodePower::waking, "it was suspended for a day"});
}

void LivePower::read_meters() {
  const ClusterView& view = parts_.scheduler.cluster().view();
  meters_.every_second(view, now_);
  meter_.read(view, now_, parts_.settings.policy);
  measured_.resize(view.nodes.size());
  for (const Node& node : view.nodes) {
    const auto now = meter_.measured(node.id);
    if (std::exchange(measured_[node.id.raw], now) != now && parts_.metered) parts_.metered(node.id);
  }
}

std::string LivePower::boot(NodeId node) const {
  const power::PowerSettings& settings = parts_.settings.policy;
  if (settings.rule == power::PowerRule::always_on) return "";
  const auto& seen = control_.memory().boots;
  const bool has_booted = node.raw < seen.size() && !seen[node.raw].empty();
  return print_duration(power::boot_time(settings, control_.memory(), node)) +
         (has_booted ? ", by its last boots" : ", as the settings say");
}

void LivePower::look_after(NodeId node, Change& change) {
  const NodePowerSettings& settings = parts_.settings;
  if (now_ - change.since >= settings.boot_limit && change.stage != Stage::not_on_disk) {
    const std::string& trouble = change.failure.empty() ? change.trouble : change.failure;
    const std::string why = "it has not booted within " + print_duration(settings.boot_limit) +
                            " (power.boot_limit)" + (trouble.empty() ? "" : ": " + trouble) +
                            "; look at its console; it is used again as soon as it answers";
    parts_.warn("node_not_booted node=" + name_of(node) + " why=\"" + why + "\"");
    parts_.input.add(NodeChanged{node, NodeState::down, why});
    change.since = now_;  // the core has it with the next step
  } else if (now_ >= change.again && change.stage == Stage::silent) {
    carry_out(node, change);
  } else if (now_ >= change.again && change.stage == Stage::answers) {
    ask(node, change);
  }
}

std::string LivePower::reason(NodeId id) const {
  const CoreState& state = parts_.scheduler.cluster().state();
  const Node& node = state.view.nodes.at(id.raw);
  const auto& verdicts = control_.decision().verdicts;
  const auto pause = not_off_before_.find(id);
  const bool paused = pause != not_off_before_.end() && now_ < pause->second;
  const bool changes = node.power == NodePower::going_off || node.power == NodePower::waking;
  const auto record = state.node_records.find(id);
  if ((changes || paused) && record != state.node_records.end()) return record->second.power_why;
  if (id.raw < verdicts.size()) return power::text_of(verdicts[id.raw], node.power, state.view.now);
  return power::text_of({}, node.power, state.view.now);
}

const std::string& LivePower::name_of(NodeId node) const {
  return parts_.scheduler.cluster().view().nodes.at(node.raw).name;
}

}  // namespace aliquot
