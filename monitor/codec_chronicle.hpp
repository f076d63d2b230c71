// JSON of chronicle entries: {"turn": "cap", "job": 4, "by": 17, "before": {...}, "after": {...}, ...}.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "monitor/codec.hpp"
#include "policies/model/chronicle.hpp"

namespace aliquot {

void to_json(nlohmann::json& out, const Standing& standing);
void from_json(const nlohmann::json& in, Standing& standing);
void to_json(nlohmann::json& out, const ChronicleEntry& entry);
void from_json(const nlohmann::json& in, ChronicleEntry& entry);

}  // namespace aliquot
