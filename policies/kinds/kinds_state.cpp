#include "policies/kinds/kinds_state.hpp"

#include <algorithm>

#include "policies/registry.hpp"

namespace aliquot {
namespace {

constexpr std::string_view kKey = "kinds ";
constexpr std::int64_t kLongestState = 1 << 30;

// Takes the text up to the character off the front; none: it is not there.
std::optional<std::string_view> take_to(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

// "7=xen"; false: it is none.
bool read_offer(std::string_view text, KindsState::Offers& offers) {
  const auto job = take_to(text, '=');
  const auto number = job ? whole_number(*job, 0, INT64_MAX) : std::nullopt;
  const auto* const kind = std::ranges::find(kHypervisorKinds, text, &name);
  if (!number || kind == std::end(kHypervisorKinds)) return false;
  return offers.emplace(JobId{static_cast<std::uint64_t>(*number)}, *kind).second;
}

std::optional<KindsState::Offers> read_offers(std::string_view text) {
  KindsState::Offers offers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (!read_offer(text.substr(0, end), offers)) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return offers;
}

}  // namespace

std::string KindsState::encode() const {
  std::string text(kKey);
  for (const HypervisorKind kind : kHypervisorKinds)
    text += std::to_string(encode_policy_state(part(kind)).size()) + ' ';
  std::string list;
  for (const auto& [job, kind] : offers_)
    list += (list.empty() ? "" : ",") + std::to_string(job.raw) + '=' + std::string(name(kind));
  text += list + ' ';
  for (const HypervisorKind kind : kHypervisorKinds) text += encode_policy_state(part(kind));
  return text;
}

KindsState::Part KindsState::decode(std::string_view text, const PolicyRegistry& registry) {
  if (!text.starts_with(kKey)) return nullptr;
  text.remove_prefix(kKey.size());
  PerKind<std::size_t> lengths;
  for (const HypervisorKind kind : kHypervisorKinds) {
    const auto digits = take_to(text, ' ');
    const auto length = digits ? whole_number(*digits, 0, kLongestState) : std::nullopt;
    if (!length) return nullptr;
    lengths[kind] = static_cast<std::size_t>(*length);
  }
  const auto list = take_to(text, ' ');
  auto offers = list ? read_offers(*list) : std::nullopt;
  if (!offers) return nullptr;
  PerKind<Part> parts;
  for (const HypervisorKind kind : kHypervisorKinds) {
    if (text.size() < lengths[kind]) return nullptr;
    parts[kind] = registry.decode_state(text.substr(0, lengths[kind]));
    text.remove_prefix(lengths[kind]);
  }
  return text.empty() ? std::make_shared<KindsState>(std::move(parts), std::move(*offers)) : nullptr;
}

}  // namespace aliquot
