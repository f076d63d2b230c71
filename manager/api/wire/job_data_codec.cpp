#include "manager/api/wire/job_data_codec.hpp"

#include <nlohmann/json.hpp>

namespace aliquot::wire {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxVariables = 1024;
constexpr std::size_t kMaxInputs = 1024;
constexpr std::size_t kMaxResults = 256;
constexpr std::size_t kMaxBytes = std::size_t{64} << 10;  // of a list
constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;

std::vector<std::string> texts(Fields& fields, const char* key, std::size_t at_most) {
  return fields.has(key) ? fields.texts(key, 0, at_most, kMaxBytes) : std::vector<std::string>();
}

// {"name": bytes, ...}: two inputs of one name would be one file in the guest.
std::vector<StagedInput> read_inputs(Fields& fields) {
  const json* object = fields.object("stage_in", Need::optional);
  if (object == nullptr) return {};
  if (object->size() > kMaxInputs) {
    fields.fault("stage_in", "has " + std::to_string(object->size()) + " entries; at most " +
                                 std::to_string(kMaxInputs) + " are taken: put them into a directory");
    return {};
  }
  std::vector<StagedInput> inputs;
  Fields inner(*object, "data.stage_in.");
  for (const auto& entry : object->items())
    inputs.push_back({entry.key(), {inner.integer(entry.key(), 0, kMaxSize, 0, Need::required)}});
  fields.take_fault(inner.finish());
  return inputs;
}

std::optional<StagedInput> read_stdin(Fields& fields) {
  const json* object = fields.object("stdin", Need::optional);
  if (object == nullptr) return std::nullopt;
  Fields inner(*object, "data.stdin.");
  StagedInput input;
  input.name = inner.text("name", 1, kMaxPath, Need::required);
  input.size = {inner.integer("bytes", 0, kMaxSize, 0, Need::required)};
  fields.take_fault(inner.finish());
  return input;
}

}  // namespace

JobData read_job_data(Fields& submission) {
  const json* object = submission.object("data", Need::optional);
  if (object == nullptr) return {};
  Fields fields(*object, "data.");
  JobData data;
  data.env = texts(fields, "env", kMaxVariables);
  data.workdir = fields.text("workdir", 0, kMaxPath, Need::optional);
  data.stdin_file = read_stdin(fields);
  data.stage_in = read_inputs(fields);
  data.stage_out = texts(fields, "stage_out", kMaxResults);
  data.stage_out_max = {fields.integer("stage_out_max_bytes", 0, kMaxSize, 0, Need::optional)};
  submission.take_fault(fields.finish());
  return data;
}

json job_data_json(const JobData& data) {
  if (data == JobData{}) return nullptr;
  json out = json::object();
  if (!data.env.empty()) out["env"] = data.env;
  if (!data.workdir.empty()) out["workdir"] = data.workdir;
  if (data.stdin_file)
    out["stdin"] = {{"name", data.stdin_file->name}, {"bytes", data.stdin_file->size.raw}};
  for (const StagedInput& input : data.stage_in) out["stage_in"][input.name] = input.size.raw;
  if (!data.stage_out.empty()) out["stage_out"] = data.stage_out;
  if (data.stage_out_max.raw != 0) out["stage_out_max_bytes"] = data.stage_out_max.raw;
  return out;
}

}  // namespace aliquot::wire
