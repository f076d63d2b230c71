#include "manager/hypervisor/agent/sequenced_link.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

std::uint64_t SequencedLink::send(std::string message) {
  bytes_ += message.size();
  unacknowledged_.push_back(std::move(message));
  return acknowledged_ + unacknowledged_.size();
}

void SequencedLink::withdraw(std::uint64_t number) {
  if (number <= acknowledged_ || number > acknowledged_ + unacknowledged_.size()) return;
  std::string& message = unacknowledged_[number - acknowledged_ - 1];
  bytes_ -= message.size();
  message.clear();
}

std::optional<std::string> SequencedLink::receive(Packet packet) {
  const std::uint64_t newest = acknowledged_ + unacknowledged_.size();
  for (; acknowledged_ < std::min(packet.acknowledged, newest); ++acknowledged_) {
    bytes_ -= unacknowledged_.front().size();
    unacknowledged_.pop_front();
    if (transmitted_ > 0) --transmitted_;
    seconds_ = 0;
  }
  if (packet.number == 0) return std::nullopt;
  owes_ = true;
  if (packet.number != received_ + 1) return std::nullopt;
  ++received_;
  if (packet.message.empty()) return std::nullopt;
  return std::move(packet.message);
}

std::vector<Packet> SequencedLink::take_outgoing() {
  std::vector<Packet> out;
  for (; transmitted_ < std::min<std::size_t>(unacknowledged_.size(), kWindow); ++transmitted_)
    out.push_back({acknowledged_ + transmitted_ + 1, received_, unacknowledged_[transmitted_]});
  if (out.empty() && owes_) out.push_back({0, received_, {}});
  owes_ = false;
  return out;
}

void SequencedLink::every_second() {
  if (unacknowledged_.empty()) seconds_ = 0;
  if (unacknowledged_.empty() || ++seconds_ < kPatience) return;
  transmitted_ = 0;
  seconds_ = 0;
}

}  // namespace aliquot
