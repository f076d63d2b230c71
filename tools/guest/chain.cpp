#include "tools/guest/chain.hpp"

#include <charconv>
#include <optional>

namespace aliquot {
namespace {

struct Link {
  std::uint32_t number = 0;
  std::uint32_t hash = 0;
};

// "MICRO n=<decimal> h=<8 hex digits>", nothing more and nothing less.
std::optional<Link> parse_link(std::string_view line) {
  constexpr std::string_view kNumber = "MICRO n=", kHash = " h=";
  if (!line.starts_with(kNumber)) return std::nullopt;
  line.remove_prefix(kNumber.size());
  Link link;
  const auto number = std::from_chars(line.data(), line.data() + line.size(), link.number);
  if (number.ec != std::errc{}) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(number.ptr - line.data()));
  if (!line.starts_with(kHash) || line.size() != kHash.size() + 8) return std::nullopt;
  line.remove_prefix(kHash.size());
  const auto hash = std::from_chars(line.data(), line.data() + line.size(), link.hash, 16);
  if (hash.ec != std::errc{} || hash.ptr != line.data() + line.size()) return std::nullopt;
  return link;
}

// The guest's computation, block by block.
class Chain {
 public:
  explicit Chain(std::uint32_t unit) : unit_(unit) {}
  [[nodiscard]] std::uint32_t number() const { return number_; }

  std::uint32_t hash_at(std::uint32_t number) {
    for (; number_ < number; ++number_) {
      for (std::uint32_t i = 0; i < unit_; ++i) hash_ = (hash_ ^ (i + number_)) * 16777619U;
    }
    return hash_;
  }

 private:
  std::uint32_t unit_;
  std::uint32_t number_ = 0;
  std::uint32_t hash_ = 2166136261U;
};

// Counts one line; false if it is not as it should be.
bool audit_line(std::string_view line, const ChainShape& shape, Chain& chain, ChainAudit& audit) {
  if (line == "MICRO start total=" + std::to_string(shape.total)) return ++audit.starts == 1;
  if (line == "MICRO done") return ++audit.ends == 1;
  if (line == "MICRO left") return ++audit.leaves == 1 && audit.ends == 0;
  const std::optional<Link> link = parse_link(line);
  if (!link) {
    ++audit.foreign;
    return false;
  }
  if (link->number == 0 || link->number > shape.total) {
    ++audit.wrong;
    return false;
  }
  if (link->number <= chain.number()) {
    ++audit.repeated;
    return false;
  }
  const std::uint32_t skipped = link->number - chain.number() - 1;
  audit.lost += skipped;
  const bool right = chain.hash_at(link->number) == link->hash;
  ++(right ? audit.recomputed : audit.wrong);
  return right && skipped == 0 && audit.starts == 1 && audit.ends + audit.leaves == 0;
}

}  // namespace

bool ChainAudit::whole(const ChainShape& shape) const {
  const bool is_over = leaves == 1 ? ends == 0 && recomputed > 0 : ends == 1 && recomputed == shape.total;
  return is_over && lost + repeated + wrong + foreign == 0 && starts == 1 && first_fault.empty();
}

ChainAudit audit_chain(std::string_view log, const ChainShape& shape) {
  ChainAudit audit;
  Chain chain(shape.unit);
  for (std::size_t number = 1; !log.empty(); ++number) {
    const std::size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    if (!audit_line(line, shape, chain, audit) && audit.first_fault.empty()) {
      audit.first_fault = "line " + std::to_string(number) + ": " + std::string(line.substr(0, 80));
    }
  }
  if (audit.leaves == 0) audit.lost += shape.total - chain.number();
  return audit;
}

}  // namespace aliquot
