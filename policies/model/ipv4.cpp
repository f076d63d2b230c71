#include "policies/model/ipv4.hpp"

#include <arpa/inet.h>

namespace aliquot {

std::string print_ipv4(Ipv4Address address) {
  const in_addr raw{htonl(address.raw)};
  char text[INET_ADDRSTRLEN] = {};
  return inet_ntop(AF_INET, &raw, text, sizeof text);
}

std::string print_ipv4(const Ipv4Network& network) {
  return print_ipv4(network.first) + "/" + std::to_string(network.prefix);
}

Result<Ipv4Address> parse_ipv4(const std::string& text) {
  in_addr raw{};
  if (text.find('\0') != std::string::npos || inet_pton(AF_INET, text.c_str(), &raw) != 1)
    return fail(ErrorKind::invalid_argument,
                "'" + text + "' is no IPv4 address; write one like 192.168.1.11");
  return Ipv4Address{ntohl(raw.s_addr)};
}

Result<Ipv4Network> parse_ipv4_network(const std::string& text) {
  const auto wrong = [&text](const std::string& why) {
    return fail(ErrorKind::invalid_argument, "'" + text + "' " + why + "; write one like 10.211.0.0/16");
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return wrong("is no IPv4 network");
  const auto first = parse_ipv4(text.substr(0, slash));
  const std::string bits = text.substr(slash + 1);
  const bool is_number =
      !bits.empty() && bits.size() <= 2 && bits.find_first_not_of("0123456789") == std::string::npos;
  if (!first || !is_number) return wrong("is no IPv4 network");
  const auto prefix = static_cast<std::uint32_t>(std::stoul(bits));
  if (prefix < 8 || prefix > 30) return wrong("has a prefix that is not from 8 to 30");
  if ((first->raw & ((std::uint32_t{1} << (32 - prefix)) - 1)) != 0)
    return wrong("has bits behind its prefix that are not 0");
  return Ipv4Network{*first, prefix};
}

}  // namespace aliquot
