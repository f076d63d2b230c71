// JSON of submissions and of jobs as policies see them. Quantities are raw integers (micro-cores, bytes,
// parts per million, microseconds; policies/model/units.hpp). from_json throws what decode_json (codec.hpp)
// turns into an Error.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "monitor/record/submission.hpp"
#include "policies/model/error.hpp"
#include "policies/model/job.hpp"

namespace aliquot {

void to_json(nlohmann::json& out, const DeviceModels& models);
void from_json(const nlohmann::json& in, DeviceModels& models);
void to_json(nlohmann::json& out, const DeviceDemand& devices);
void from_json(const nlohmann::json& in, DeviceDemand& devices);
void to_json(nlohmann::json& out, const Spread& spread);
void from_json(const nlohmann::json& in, Spread& spread);
void to_json(nlohmann::json& out, const Demand& demand);
void from_json(const nlohmann::json& in, Demand& demand);
void to_json(nlohmann::json& out, const Share& share);
void from_json(const nlohmann::json& in, Share& share);
void to_json(nlohmann::json& out, const TaskRun& run);
void from_json(const nlohmann::json& in, TaskRun& run);
void to_json(nlohmann::json& out, const Progress& progress);
void from_json(const nlohmann::json& in, Progress& progress);
void to_json(nlohmann::json& out, const Job& job);
void from_json(const nlohmann::json& in, Job& job);
void to_json(nlohmann::json& out, const Program& program);
void from_json(const nlohmann::json& in, Program& program);
void to_json(nlohmann::json& out, const JobNetwork& network);
void from_json(const nlohmann::json& in, JobNetwork& network);
void to_json(nlohmann::json& out, const LaterTasks& next);
void from_json(const nlohmann::json& in, LaterTasks& next);
void to_json(nlohmann::json& out, const Dependency& one);
void from_json(const nlohmann::json& in, Dependency& one);
void to_json(nlohmann::json& out, const LaterStep& step);
void from_json(const nlohmann::json& in, LaterStep& step);
void to_json(nlohmann::json& out, const StagedInput& input);
void from_json(const nlohmann::json& in, StagedInput& input);
void to_json(nlohmann::json& out, const JobData& data);
void from_json(const nlohmann::json& in, JobData& data);
void to_json(nlohmann::json& out, const NfsShare& share);
void from_json(const nlohmann::json& in, NfsShare& share);
void to_json(nlohmann::json& out, const Problem& problem);
void from_json(const nlohmann::json& in, Problem& problem);
void to_json(nlohmann::json& out, const TaskChoice& choice);
void from_json(const nlohmann::json& in, TaskChoice& choice);
void to_json(nlohmann::json& out, const IndexRun& run);
void from_json(const nlohmann::json& in, IndexRun& run);
void to_json(nlohmann::json& out, const Submission& submission);
void from_json(const nlohmann::json& in, Submission& submission);
void to_json(nlohmann::json& out, const Error& error);
void from_json(const nlohmann::json& in, Error& error);

}  // namespace aliquot
