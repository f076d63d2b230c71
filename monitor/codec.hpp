// The codec's front door: any type of the model as one line of exact JSON, and back.
//
// Exact: decode<T>(encode(x)) gives x to the last bit, whatever its strings hold (how: codec_fields.hpp).
// Decoding is strict and never throws: what is not understood is an Error of kind invalid_argument that
// says where and what. Within other JSON, the to_json functions of codec_*.hpp serve as nlohmann's
// customisation points, and decode_json<T>() reads a part.
//
// T: Submission, Program, Demand, Job, Node, ClusterView, PolicyMemory, Cause, Change, Plan, Explanation,
// Event, Action, Decision, Violation, JobOutcome, Error. Steps are versioned: codec_step.hpp.
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
