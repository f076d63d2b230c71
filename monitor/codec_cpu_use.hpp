// JSON of the CPU use of a job and of the totals of an account, as the store keeps them: one row for each
// (codec.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "monitor/account_use.hpp"
#include "monitor/codec.hpp"
#include "monitor/cpu_use.hpp"

namespace aliquot {

void to_json(nlohmann::json& out, const GuestMemory& memory);
void from_json(const nlohmann::json& in, GuestMemory& memory);
void to_json(nlohmann::json& out, const JobUse& use);
void from_json(const nlohmann::json& in, JobUse& use);
void to_json(nlohmann::json& out, const AccountUse& use);
void from_json(const nlohmann::json& in, AccountUse& use);

}  // namespace aliquot
