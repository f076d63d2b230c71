// The interface of the codec: encodes any type of the model as one line of JSON, and decodes it.
//
// Exact: decode<T>(encode(x)) equals x, whatever its strings contain (codec_fields.hpp says how). Decoding
// is strict and never throws: anything unknown is an Error of kind invalid_argument that says where and
// what. Inside other JSON, the to_json functions of codec_*.hpp are nlohmann's customisation points, and
// decode_json<T>() decodes a part.
//
// T: Submission, Program, Demand, Job, Node, ClusterView, PolicyMemory, PolicyMemoryChange, Cause, Change,
// Plan, Explanation, Event, Action, Decision, Violation, JobOutcome, Error. Steps are versioned:
// codec_step.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

template <class T>
[[nodiscard]] std::string encode(const T& value);
template <class T>
[[nodiscard]] Result<T> decode(std::string_view text);
template <class T>
[[nodiscard]] Result<T> decode_json(const nlohmann::json& json);

// One line, without a newline; never throws: a byte that is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string to_line(const nlohmann::json& json);

}  // namespace aliquot
