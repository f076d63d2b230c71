// JSON of the input of a policy: nodes, cause, policy memory, the whole view.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "monitor/record/policy_memory_change.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

void to_json(nlohmann::json& out, const Device& device);
void from_json(const nlohmann::json& in, Device& device);
void to_json(nlohmann::json& out, const OtherVms& others);
void from_json(const nlohmann::json& in, OtherVms& others);
void to_json(nlohmann::json& out, const Node& node);
void from_json(const nlohmann::json& in, Node& node);
void to_json(nlohmann::json& out, const Cause& cause);
void from_json(const nlohmann::json& in, Cause& cause);
void to_json(nlohmann::json& out, const ActionCosts& costs);
void from_json(const nlohmann::json& in, ActionCosts& costs);
void to_json(nlohmann::json& out, const Retry& retry);
void from_json(const nlohmann::json& in, Retry& retry);
void to_json(nlohmann::json& out, const Booking& promise);
void from_json(const nlohmann::json& in, Booking& promise);
void to_json(nlohmann::json& out, const NodeClosing& closing);
void from_json(const nlohmann::json& in, NodeClosing& closing);
void to_json(nlohmann::json& out, const PolicyMemory& memory);
void from_json(const nlohmann::json& in, PolicyMemory& memory);
void to_json(nlohmann::json& out, const PolicyMemoryChange& change);
void from_json(const nlohmann::json& in, PolicyMemoryChange& change);
// The jobs as an array: a job carries its id.
void to_json(nlohmann::json& out, const ClusterView& view);
void from_json(const nlohmann::json& in, ClusterView& view);
// The same object as text, of which never all is a tree of JSON.
void append_line(std::string& out, const ClusterView& view);

}  // namespace aliquot
