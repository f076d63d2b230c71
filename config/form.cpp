#include "config/form.hpp"

#include <algorithm>

#include "config/quantities.hpp"
#include "policies/model/hypervisor_kind.hpp"
#include "policies/model/nearest.hpp"

namespace aliquot {
namespace {

template <class Value>
Form<Value> bounded(std::string noun, std::string schema, Value low, Value high,
                    Result<Value> (*parse)(std::string_view), std::string (*print)(Value)) {
  const std::string expects = noun + " from " + print(low) + " to " + print(high);
  return {expects, std::move(schema),
          [=](const std::string& text) -> Result<Value> {
            auto value = parse(text);
            if (!value || (*value >= low && *value <= high)) return value;
            const char* side = *value < low ? " is too small; write " : " is too large; write ";
            return fail(ErrorKind::invalid_argument, quote(text) + side + expects);
          },
          [print](const Value& value) { return print(value); }};
}

std::string print_count(std::int64_t count) { return std::to_string(count); }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `fault` returns what is wrong with a text; empty: nothing.
Form<std::string> checked(std::string expects, std::string schema,
                          std::function<std::string(const std::string&)> fault) {
  return {expects, std::move(schema),
          [expects, fault = std::move(fault)](const std::string& text) -> Result<std::string> {
            const std::string wrong = text.empty() ? "it is empty" : fault(text);
            if (wrong.empty()) return text;
            return fail(ErrorKind::invalid_argument,
                        quote(text) + " will not do (" + wrong + "); write " + expects);
          },
          [](const std::string& text) { return text; }};
}

// What is wrong with a text of at most `longest` bytes, each a letter, a digit or one of `others`.
std::string bad_character(const std::string& text, std::size_t longest, std::string_view others) {
  if (text.size() > longest) return "it is longer than " + std::to_string(longest) + " bytes";
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c) && others.find(c) == std::string_view::npos) {
      return quote(std::string_view(&c, 1)) + " does not belong in it";
    }
  }
  return "";
}

bool printable(const std::string& text) {
  return std::ranges::none_of(text,
                              [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

std::string path_fault(const std::string& text, std::size_t longest) {
  if (text[0] != '/') return "it does not begin with /";
  if (!printable(text)) return "a control character does not belong in it";
  if (text.size() > longest) return "it is longer than " + std::to_string(longest) + " bytes";
  return "";
}

}  // namespace

Form<Duration> duration_between(Duration low, Duration high) {
  return bounded<Duration>("a duration",
                           R"("type": "string", "pattern": "^[0-9]+([.][0-9]+)?(us|ms|s|m|h|d)$")", low,
                           high, parse_duration, print_duration);
}
Form<Memory> memory_between(Memory low, Memory high) {
  return bounded<Memory>("a size", R"("type": "string", "pattern": "^[0-9]+([.][0-9]+)?([KMGT]i)?B$")", low,
                         high, parse_memory, print_memory);
}
Form<Bandwidth> bandwidth_between(Bandwidth low, Bandwidth high) {
  return bounded<Bandwidth>("a bandwidth",
                            R"("type": "string", "pattern": "^[0-9]+([.][0-9]+)?[kMG]?bit$")", low, high,
                            parse_bandwidth, print_bandwidth);
}
Form<Cpu> cores_between(Cpu low, Cpu high) {
  return bounded<Cpu>(
      "a number of cores",
      R"("type": "number", "minimum": )" + print_cores(low) + R"(, "maximum": )" + print_cores(high), low,
      high, parse_cores, print_cores);
}
Form<std::int64_t> ratio_between(std::int64_t low, std::int64_t high) {
  return bounded<std::int64_t>("a ratio", R"("type": ["number", "string"])", low, high, parse_ratio,
                               print_ratio);
}
Form<std::int64_t> count_between(std::int64_t low, std::int64_t high) {
  return bounded<std::int64_t>(
      "a whole number",
      R"("type": "integer", "minimum": )" + std::to_string(low) + R"(, "maximum": )" + std::to_string(high),
      low, high, parse_count, print_count);
}

Form<bool> on_off() {
  const Form<std::string> words = one_of({"on", "off"});
  return {words.expects, words.schema,
          [parse = words.parse](const std::string& text) {
            return parse(text).map([](const std::string& word) { return word == "on"; });
          },
          [](bool on) { return std::string(on ? "on" : "off"); }};
}

Form<HypervisorKind> hypervisor_kind() {
  const Form<std::string> words = one_of({"libvirt", "xen"});
  return {words.expects, words.schema,
          [parse = words.parse](const std::string& text) {
            return parse(text).map([](const std::string& word) {
              return word == name(HypervisorKind::xen) ? HypervisorKind::xen : HypervisorKind::libvirt;
            });
          },
          [](const HypervisorKind& kind) { return std::string(name(kind)); }};
}

Form<std::string> one_of(std::vector<std::string> words) {
  std::string expects, schema;
  for (std::size_t i = 0; i < words.size(); ++i) {
    expects += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    schema += (i == 0 ? "\"" : ", \"") + words[i] + "\"";
  }
  return {expects, R"("enum": [)" + schema + "]",
          [words, expects](const std::string& text) -> Result<std::string> {
            if (std::ranges::find(words, text) != words.end()) return text;
            const auto near = nearest(text, words);
            return fail(ErrorKind::invalid_argument, quote(text) + " is none of the words known here" +
                                                         (near ? " (did you mean " + *near + "?)" : "") +
                                                         "; write " + expects);
          },
          [](const std::string& text) { return text; }};
}

Form<std::string> simple_name() {
  return checked("a name of letters, digits, '.', '_' and '-' that begins with a letter or digit",
                 R"("type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")",
                 [](const std::string& text) {
                   if (!is_letter(text[0]) && !is_digit(text[0]))
                     return std::string("it begins with another character");
                   return bad_character(text, 63, "._-");
                 });
}

Form<std::string> user_name() {
  return checked("a user name, for example root",
                 R"("type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9._@$-]{0,31}$")",
                 [](const std::string& text) {
                   if (!is_letter(text[0]) && text[0] != '_')
                     return std::string("it does not begin with a letter");
                   return bad_character(text, 32, "._@$-");
                 });
}

Form<std::string> absolute_path() {
  return checked("an absolute path", R"("type": "string", "pattern": "^/")",
                 [](const std::string& text) { return path_fault(text, 4000); });
}

Form<std::string> socket_path() {
  return checked("an absolute path of at most 100 bytes",
                 R"("type": "string", "pattern": "^/", "maxLength": 100)",
                 [](const std::string& text) { return path_fault(text, 100); });
}

Form<std::string> libvirt_uri() {
  return checked("a libvirt URI, for example qemu:///system",
                 R"("type": "string", "pattern": "^[a-z0-9+.-]+://")",
                 [](const std::string& text) -> std::string {
                   const auto scheme = text.find("://");
                   if (scheme == std::string::npos || scheme == 0) return "it has no scheme before ://";
                   const std::string wrong = bad_character(text.substr(0, scheme), 32, "+-.");
                   if (!wrong.empty()) return wrong;
                   if (text.find(' ') != std::string::npos) return "a blank does not belong in it";
                   return text.size() > 2000 ? "it is longer than 2000 bytes" : "";
                 });
}

Form<std::string> node_uri() {
  constexpr std::string_view agents = "agent://";
  Form<std::string> form = libvirt_uri();
  form.expects = "a libvirt URI, for example qemu:///system, or agent://HOST:PORT";
  const auto parse_libvirt = form.parse;
  form.parse = [parse_libvirt, agents,
                expects = form.expects](const std::string& text) -> Result<std::string> {
    const auto parsed = parse_libvirt(text);
    if (!parsed || !text.starts_with(agents)) return parsed;
    const auto colon = text.rfind(':');
    const auto port = count_between(1, 65'535).parse(text.substr(colon + 1));
    const bool has_host =
        colon > agents.size() && host_name().parse(text.substr(agents.size(), colon - agents.size()));
    if (port && has_host) return parsed;
    return fail(ErrorKind::invalid_argument,
                quote(text) + ": " + (port ? "it names no host" : "it does not end with :PORT") +
                    "; write " + expects);
  };
  return form;
}

Form<std::string> tcp_endpoint() {
  return checked(
      "tcp://ADDRESS:PORT with an address of this machine, or * for all, for example "
      "tcp://192.168.1.10:7447",
      R"("type": "string", "pattern": "^tcp://.+:[0-9]{1,5}$")",
      [](const std::string& text) -> std::string {
        constexpr std::string_view scheme = "tcp://";
        if (!text.starts_with(scheme)) return "it does not begin with tcp://";
        const auto colon = text.rfind(':');
        if (colon <= scheme.size() || !count_between(0, 65'535).parse(text.substr(colon + 1)))
          return "it does not end with :PORT, a number up to 65535";
        const std::string host = text.substr(scheme.size(), colon - scheme.size());
        const bool in_brackets = host.starts_with('[') && host.ends_with(']');
        const bool is_v6 = in_brackets && host.size() > 2 &&
                           host.find_first_not_of("0123456789abcdefABCDEF:.", 1) == host.size() - 1;
        if (host == "*" || is_v6 || parse_ipv4(host)) return "";
        return quote(host) + " is no address: names are not looked up here";
      });
}

Form<std::string> public_key() {
  return checked("64 hexadecimal digits, as aliquot-node prints its public key",
                 R"("type": "string", "pattern": "^[0-9a-f]{64}$")",
                 [](const std::string& text) -> std::string {
                   if (text.size() != 64) return "it has " + std::to_string(text.size()) + " characters";
                   const bool is_right = text.find_first_not_of("0123456789abcdef") == std::string::npos;
                   return is_right ? "" : "a character in it is no hexadecimal digit";
                 });
}

Form<std::string> host_name() {
  return checked("an address or a host name, for example 127.0.0.1",
                 R"("type": "string", "pattern": "^[A-Za-z0-9.:-]+$")",
                 [](const std::string& text) { return bad_character(text, 253, ".:-"); });
}

Form<std::string> ipv4_address() {
  const auto text_of = [](Ipv4Address address) { return print_ipv4(address); };
  return {"an IPv4 address, for example 192.168.1.11",
          R"("type": "string", "pattern": "^[0-9]{1,3}(\\.[0-9]{1,3}){3}$")",
          [text_of](const std::string& text) { return parse_ipv4(text).map(text_of); },
          [](const std::string& value) { return value; }};
}

Form<Ipv4Network> ipv4_network() {
  return {"an IPv4 network with a prefix from 8 to 30, for example 10.211.0.0/16",
          R"("type": "string", "pattern": "^[0-9]{1,3}(\\.[0-9]{1,3}){3}/[0-9]{1,2}$")", parse_ipv4_network,
          [](const Ipv4Network& network) { return print_ipv4(network); }};
}

Form<std::string> bridge_name() {
  return checked("the name of a bridge on the nodes, for example br0",
                 R"("type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$")",
                 [](const std::string& text) {
                   if (!is_letter(text[0]) && !is_digit(text[0]))
                     return std::string("it begins with another character");
                   if (text.starts_with("aq"))
                     return std::string("the networks of jobs have the names that begin with aq");
                   return bad_character(text, 15, "._-");
                 });
}

Form<std::string> free_text(std::string expects) {
  return checked(std::move(expects), R"("type": "string")", [](const std::string& text) -> std::string {
    if (!printable(text)) return "a control character does not belong in it";
    return text.size() > 4000 ? "it is longer than 4000 bytes" : "";
  });
}

Form<std::uint32_t> file_mode() {
  const std::string expects = "four octal digits from 0000 to 0777, for example 0660";
  return {expects, R"("type": ["string", "integer"])",
          [expects](const std::string& text) -> Result<std::uint32_t> {
            const bool octal = text.size() == 4 && text[0] == '0' &&
                               std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
            if (octal) return static_cast<std::uint32_t>(std::stoul(text, nullptr, 8));
            return fail(ErrorKind::invalid_argument, quote(text) + " is no file mode; write " + expects);
          },
          [](const std::uint32_t& mode) {
            std::string text = "0000";
            for (std::uint32_t i = 0; i < 4; ++i)
              text[3 - i] = static_cast<char>('0' + ((mode >> (3 * i)) & 7u));
            return text;
          }};
}

Form<std::string> or_empty(Form<std::string> form) {
  form.expects += ", or \"\"";
  form.schema = R"("anyOf": [{"const": ""}, {)" + form.schema + "}]";
  form.parse = [parse = form.parse](const std::string& text) {
    return text.empty() ? Result<std::string>("") : parse(text);
  };
  return form;
}

}  // namespace aliquot
