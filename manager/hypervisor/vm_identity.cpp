#include "manager/hypervisor/vm_identity.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "manager/hypervisor/xml_text.hpp"

namespace aliquot {
namespace {

using Sha1State = std::array<std::uint32_t, 5>;

// The function and the constant of one round (FIPS 180-4, 4.1.1 and 4.2.1).
std::uint32_t mixed(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5A827999U;
  if (round < 40) return (b ^ c ^ d) + 0x6ED9EBA1U;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU;
  return (b ^ c ^ d) + 0xCA62C1D6U;
}

void sha1_block(Sha1State& state, std::string_view block) {
  std::array<std::uint32_t, 80> word{};
  for (std::size_t i = 0; i < 64; ++i) {
    word[i / 4] = (word[i / 4] << 8) | static_cast<std::uint8_t>(block[i]);
  }
  for (std::size_t i = 16; i < 80; ++i) {
    word[i] = std::rotl(word[i - 3] ^ word[i - 8] ^ word[i - 14] ^ word[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    const std::uint32_t next = std::rotl(a, 5) + mixed(i, b, c, d) + e + word[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

// The UUID of URLs and URNs of RFC 4122, appendix C.
constexpr Uuid kUrlNamespace{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1,
                             0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};

// The value of an attribute of the element. Reads the attributes in order, because the value of one may
// contain text that looks like another.
std::optional<std::string> attribute(std::string_view element, std::string_view wanted) {
  constexpr std::string_view kWhite = " \t\r\n";
  element.remove_prefix(std::min(element.find_first_of(kWhite), element.size()));
  while (true) {
    element.remove_prefix(std::min(element.find_first_not_of(kWhite), element.size()));
    const std::size_t equals = element.find('=');
    if (equals == std::string_view::npos || equals + 1 >= element.size()) return std::nullopt;
    const char quote = element[equals + 1];
    const std::size_t end = element.find(quote, equals + 2);
    if ((quote != '"' && quote != '\'') || end == std::string_view::npos) return std::nullopt;
    if (element.substr(0, equals) == wanted) {
      return xml_unescaped(element.substr(equals + 2, end - equals - 2));
    }
    element.remove_prefix(end + 1);
  }
}

template <class Number>
bool read_number(std::string_view element, std::string_view name, Number& out) {
  const std::optional<std::string> text = attribute(element, name);
  if (!text || text->empty()) return false;
  const char* end = text->data() + text->size();
  const auto [stopped, fault] = std::from_chars(text->data(), end, out);
  return fault == std::errc{} && stopped == end;
}

}  // namespace

std::array<std::uint8_t, 20> sha1(std::string_view text) {
  std::string padded(text);
  padded.push_back('\x80');
  padded.append((120 - padded.size() % 64) % 64, '\0');
  const std::uint64_t bits = static_cast<std::uint64_t>(text.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded.push_back(static_cast<char>((bits >> shift) & 0xFF));

  Sha1State state{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  for (std::size_t at = 0; at < padded.size(); at += 64) {
    sha1_block(state, std::string_view(padded).substr(at, 64));
  }
  std::array<std::uint8_t, 20> out{};
  for (std::size_t i = 0; i < 20; ++i) {
    out[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return out;
}

Uuid uuid_v5(const Uuid& name_space, std::string_view name) {
  std::string text(name_space.begin(), name_space.end());
  text.append(name);
  const auto digest = sha1(text);
  Uuid out{};
  std::copy_n(digest.begin(), out.size(), out.begin());
  out[6] = static_cast<std::uint8_t>((out[6] & 0x0F) | 0x50);
  out[8] = static_cast<std::uint8_t>((out[8] & 0x3F) | 0x80);
  return out;
}

std::string to_string(const Uuid& uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out.push_back('-');
    out.push_back(digits[uuid[i] >> 4]);
    out.push_back(digits[uuid[i] & 15]);
  }
  return out;
}

Result<Uuid> parse_uuid(std::string_view text) {
  std::string digits;
  for (const char each : text)
    if (each != '-') digits.push_back(each);
  Uuid uuid{};
  bool is_right = digits.size() == 2 * uuid.size();
  for (std::size_t i = 0; is_right && i < uuid.size(); ++i) {
    const char* const end = digits.data() + 2 * i + 2;
    const auto [stop, error] = std::from_chars(end - 2, end, uuid[i], 16);
    is_right = error == std::errc() && stop == end;
  }
  if (is_right && to_string(uuid) == text) return uuid;
  return fail(ErrorKind::invalid_argument, "'" + std::string(text) + "' is not a UUID");
}

Uuid vm_uuid(const VmIdentity& vm) {
  const Uuid cluster = uuid_v5(kUrlNamespace, std::string(kMetadataNamespace) + ":" + vm.cluster);
  return uuid_v5(cluster, std::to_string(vm.job.raw) + "/" + std::to_string(vm.task) + "/" +
                              std::to_string(vm.incarnation));
}

std::string vm_name(const VmIdentity& vm) {
  return "aliquot-" + std::to_string(vm.job.raw) + "." + std::to_string(vm.task) + "-" +
         std::to_string(vm.incarnation) + "-" + to_string(vm_uuid(vm)).substr(0, 6);
}

std::string metadata_element(const VmIdentity& vm) {
  return "<aliquot:vm xmlns:aliquot=\"" + std::string(kMetadataNamespace) + "\" cluster=\"" +
         xml_escaped(vm.cluster) + "\" job=\"" + std::to_string(vm.job.raw) + "\" task=\"" +
         std::to_string(vm.task) + "\" incarnation=\"" + std::to_string(vm.incarnation) + "\" epoch=\"" +
         std::to_string(vm.epoch) + "\"" +
         (vm.created > 0 ? " created=\"" + std::to_string(vm.created) + "\"" : "") + "/>";
}

Result<VmIdentity> parse_metadata(std::string_view element) {
  constexpr std::size_t kLongest = 4096;
  VmIdentity vm;
  const std::optional<std::string> cluster =
      element.size() <= kLongest ? attribute(element, "cluster") : std::nullopt;
  if (!cluster || !read_number(element, "job", vm.job.raw) || !read_number(element, "task", vm.task) ||
      !read_number(element, "incarnation", vm.incarnation) || !read_number(element, "epoch", vm.epoch)) {
    return fail(
        ErrorKind::invalid_argument,
        "the metadata of a domain lacks cluster, job, task, incarnation or epoch; it was not written "
        "by this program: leave the domain alone or remove it by hand");
  }
  vm.cluster = *cluster;
  (void)read_number(element, "created", vm.created);  // VMs of earlier versions do not have it
  return vm;
}

}  // namespace aliquot
