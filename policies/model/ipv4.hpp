// IPv4 addresses and networks, as settings and messages write them: 10.211.0.0/16.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

struct Ipv4Address {
  std::uint32_t raw = 0;  // 0x0a000001 is 10.0.0.1
  friend constexpr auto operator<=>(const Ipv4Address&, const Ipv4Address&) = default;
};

struct Ipv4Network {
  Ipv4Address first;         // of the network itself
  std::uint32_t prefix = 0;  // bits that all its addresses share, at most 30
  friend bool operator==(const Ipv4Network&, const Ipv4Network&) = default;
};

// The addresses that hosts may have: not the first, which names the network, nor the last, for broadcasts.
[[nodiscard]] constexpr std::uint32_t hosts_of(const Ipv4Network& network) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << (32 - network.prefix)) - 2);
}

[[nodiscard]] std::string print_ipv4(Ipv4Address address);
[[nodiscard]] std::string print_ipv4(const Ipv4Network& network);

// invalid_argument: four numbers, or network and prefix, are not what the text says.
[[nodiscard]] Result<Ipv4Address> parse_ipv4(const std::string& text);
[[nodiscard]] Result<Ipv4Network> parse_ipv4_network(const std::string& text);

}  // namespace aliquot
