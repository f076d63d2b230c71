// The form of a setting: parses its text into a typed value, prints it, and defines the valid values.
//
// Pure. An error says what is wrong and what to write; `expects` describes the valid values in words,
// `schema` as a JSON Schema.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/ipv4.hpp"
#include "policies/model/job.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

template <class Value>
struct Form {
  std::string expects;  // "a duration from 1ms to 1s"
  std::string schema;   // "type": "string", ...
  std::function<Result<Value>(const std::string&)> parse;
  std::function<std::string(const Value&)> print;
};

[[nodiscard]] Form<Duration> duration_between(Duration low, Duration high);
[[nodiscard]] Form<Memory> memory_between(Memory low, Memory high);
[[nodiscard]] Form<Bandwidth> bandwidth_between(Bandwidth low, Bandwidth high);
[[nodiscard]] Form<Cpu> cores_between(Cpu low, Cpu high);
[[nodiscard]] Form<std::int64_t> ratio_between(std::int64_t low_ppm, std::int64_t high_ppm);
[[nodiscard]] Form<std::int64_t> count_between(std::int64_t low, std::int64_t high);

[[nodiscard]] Form<std::string> one_of(std::vector<std::string> words);
// Letters, digits, '.', '_' and '-', beginning with a letter or digit, at most 63: also a label of metrics.
[[nodiscard]] Form<std::string> simple_name();
[[nodiscard]] Form<std::string> user_name();
[[nodiscard]] Form<std::string> absolute_path();
// An absolute path short enough for the address of a local socket.
[[nodiscard]] Form<std::string> socket_path();
[[nodiscard]] Form<std::string> libvirt_uri();
// A libvirt URI, or agent://HOST:PORT.
[[nodiscard]] Form<std::string> node_uri();
// tcp://HOST:PORT; HOST is an address of this machine, or * for all of them.
[[nodiscard]] Form<std::string> tcp_endpoint();
// 64 hexadecimal digits.
[[nodiscard]] Form<std::string> public_key();
[[nodiscard]] Form<HypervisorKind> hypervisor_kind();
[[nodiscard]] Form<bool> on_off();
[[nodiscard]] Form<std::string> host_name();
[[nodiscard]] Form<std::string> ipv4_address();
[[nodiscard]] Form<Ipv4Network> ipv4_network();
// Of a bridge of the site on the nodes, other than those of the networks of jobs.
[[nodiscard]] Form<std::string> bridge_name();
// Any printable text; its meaning is checked elsewhere.
[[nodiscard]] Form<std::string> free_text(std::string expects);
// The permissions of a file, in octal: 0660.
[[nodiscard]] Form<std::uint32_t> file_mode();

// `form`, or the empty text.
[[nodiscard]] Form<std::string> or_empty(Form<std::string> form);

// A count in a field of a smaller type; the form's bounds must fit into it.
template <class Small>
[[nodiscard]] Form<Small> narrowed(Form<std::int64_t> form) {
  return {form.expects, form.schema,
          [parse = form.parse](const std::string& text) {
            return parse(text).map([](std::int64_t wide) { return static_cast<Small>(wide); });
          },
          [](const Small& value) { return std::to_string(value); }};
}

}  // namespace aliquot
