// aliquot-chain FILE UNIT TOTAL: audits the console log of one hash-chain guest. Exit 0: whole; 1: not;
// 2: usage; 3: no such file.
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tools/guest/chain.hpp"

namespace {

constexpr std::size_t kMaxLog = std::size_t{1} << 28;

bool parse(std::string_view text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

int main(int argc, char** argv) {
  aliquot::ChainShape shape;
  if (argc != 4 || !parse(argv[2], shape.unit) || !parse(argv[3], shape.total)) {
    std::fprintf(stderr, "usage: aliquot-chain FILE UNIT TOTAL   (steps per block, blocks)\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "aliquot-chain: cannot read %s\n", argv[1]);
    return 3;
  }
  std::string log;
  for (std::istreambuf_iterator<char> at(file), end; at != end && log.size() < kMaxLog; ++at)
    log.push_back(*at);
  const aliquot::ChainAudit audit = audit_chain(log, shape);
  const bool whole = audit.whole(shape);
  std::printf("links %u recomputed %llu lost %llu repeated %llu wrong %llu foreign %llu: %s\n", shape.total,
              static_cast<unsigned long long>(audit.recomputed),
              static_cast<unsigned long long>(audit.lost), static_cast<unsigned long long>(audit.repeated),
              static_cast<unsigned long long>(audit.wrong), static_cast<unsigned long long>(audit.foreign),
              whole ? "whole" : "NOT whole");
  if (!audit.first_fault.empty()) std::printf("first fault: %s\n", audit.first_fault.c_str());
  return whole ? 0 : 1;
}
