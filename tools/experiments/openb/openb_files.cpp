#include "tools/experiments/openb/openb_files.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "policies/model/device_models.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/input_errors.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kMostMilliCores = 10'000'000;
constexpr std::uint64_t kMostMib = 1ULL << 30;
constexpr std::size_t kMostLines = 10'000'000;
constexpr std::int64_t kMib = 1 << 20;

// The fields of one line, by column. Keeps the first error.
class Fields {
 public:
  Fields(const std::map<std::string, std::size_t>& columns, std::vector<std::string> texts)
      : columns_(columns), texts_(std::move(texts)) {}

  [[nodiscard]] const std::string& text(const std::string& column) const {
    return texts_[columns_.at(column)];
  }
  [[nodiscard]] bool has(const std::string& column) const { return columns_.contains(column); }
  // An empty field is 0.
  std::uint64_t count(const std::string& column, std::uint64_t most) {
    if (text(column).empty()) return 0;
    const auto value = parse_count(text(column), most);
    if (value) return *value;
    if (wrong_.empty()) wrong_ = column + ": " + value.error().message;
    return 0;
  }
  void reject(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  const std::map<std::string, std::size_t>& columns_;
  std::vector<std::string> texts_;
  std::string wrong_;
};

Result<std::map<std::string, std::size_t>> read_header(TextSource& source, const std::string& path,
                                                       const std::vector<std::string>& wanted) {
  const auto line = source.next();
  if (!line) return tl::unexpected(line.error());
  std::string list;
  for (const std::string& name : wanted) list += (list.empty() ? "" : ",") + name;
  if (!*line) return fail(ErrorKind::invalid_argument, path + ": the file is empty; wanted: " + list);
  const auto names = split_csv(**line);
  if (!names) return fail(names.error().kind, path + ":1: " + names.error().message);
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < names->size(); ++i) columns.emplace((*names)[i], i);
  for (const std::string& name : wanted)
    if (!columns.contains(name))
      return fail(ErrorKind::invalid_argument,
                  path + ":1: column '" + name + "' is missing; wanted: " + list);
  return columns;
}

using TakeLine = std::function<void(Fields&)>;

Result<void> read_table(const std::string& path, const std::vector<std::string>& wanted,
                        const TakeLine& take) {
  auto source = TextSource::open(path);
  if (!source) return tl::unexpected(source.error());
  const auto columns = read_header(*source, path, wanted);
  if (!columns) return tl::unexpected(columns.error());
  std::size_t width = 0;
  for (const auto& [name, at] : *columns) width = std::max(width, at + 1);
  InputErrors errors(path);
  std::size_t lines = 0;
  for (;;) {
    const auto line = source->next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) break;
    if ((*line)->empty()) continue;
    if (++lines > kMostLines)
      return fail(ErrorKind::too_large, path + ": more than " + std::to_string(kMostLines) + " lines");
    auto texts = split_csv(**line);
    if (!texts || texts->size() < width) {
      errors.add(source->line(),
                 texts ? "has " + std::to_string(texts->size()) + " fields, not " + std::to_string(width)
                       : texts.error().message);
      continue;
    }
    Fields fields(*columns, std::move(*texts));
    take(fields);
    if (!fields.wrong().empty()) errors.add(source->line(), fields.wrong());
  }
  if (errors.any()) return errors.failure();
  if (lines == 0) return fail(ErrorKind::invalid_argument, path + ": only a header, and no line");
  return {};
}

DeviceModel model_named(const std::string& name, std::vector<std::string>& models) {
  const auto known = std::ranges::find(models, name);
  const DeviceModel model{static_cast<std::uint16_t>(known - models.begin())};
  if (known == models.end()) models.push_back(name);
  return model;
}

// gpu_spec: "V100M16|V100M32". The lists without this column ask for no model.
DeviceModels models_named(Fields& line, const std::vector<std::string>& known) {
  const auto read = read_models(line.text("gpu_spec"), known);
  if (!read) {
    line.reject("gpu_spec: " + read.error().message);
  } else if (!read->unknown.empty()) {
    line.reject("gpu_spec: no node has a GPU of model '" + read->unknown.substr(0, 40) + "'");
  } else {
    return read->models;
  }
  return {};
}

}  // namespace

std::int64_t OpenbCluster::parts() const {
  std::int64_t sum = 0;
  for (const Node& node : nodes)
    for (const Device& device : node.devices) sum += device.parts;
  return sum;
}

Result<OpenbCluster> read_openb_nodes(const std::string& path) {
  OpenbCluster cluster;
  const auto read = read_table(path, {"sn", "cpu_milli", "memory_mib", "gpu", "model"}, [&](Fields& line) {
    Node node;
    node.id = {static_cast<std::uint32_t>(cluster.nodes.size())};
    node.name = line.text("sn");
    const auto milli = static_cast<std::int64_t>(line.count("cpu_milli", kMostMilliCores));
    node.capacity = Cpu{milli * 1000};
    node.cores = static_cast<std::uint32_t>(std::max<std::int64_t>(milli / 1000, 1));
    node.memory = Memory{static_cast<std::int64_t>(line.count("memory_mib", kMostMib)) * kMib};
    if (milli == 0 || node.memory.raw == 0) line.reject("a node needs CPU and memory");
    const std::uint64_t gpus = line.count("gpu", kMostDevices);
    if (gpus > 0 && line.text("model").empty()) line.reject("model: which GPUs are these?");
    if (!line.wrong().empty()) return;
    if (gpus > 0)
      node.devices.assign(gpus, {model_named(line.text("model"), cluster.device_models), kWholeDevice});
    cluster.nodes.push_back(std::move(node));
  });
  if (!read) return tl::unexpected(read.error());
  if (cluster.parts() == 0) return fail(ErrorKind::invalid_argument, path + ": no node has a GPU");
  return cluster;
}

Result<std::vector<Demand>> read_openb_tasks(const std::string& path, const OpenbCluster& cluster) {
  std::vector<Demand> tasks;
  const auto read =
      read_table(path, {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"}, [&](Fields& line) {
        Demand demand;
        demand.need = Cpu{static_cast<std::int64_t>(line.count("cpu_milli", kMostMilliCores)) * 1000};
        demand.memory = Memory{static_cast<std::int64_t>(line.count("memory_mib", kMostMib)) * kMib};
        if (demand.need.raw == 0) line.reject("cpu_milli: a task needs some CPU");
        const std::uint64_t gpus = line.count("num_gpu", kMostDevices);
        const std::uint64_t milli = line.count("gpu_milli", kWholeDevice);
        if (gpus == 1 && milli == 0) line.reject("gpu_milli: 0 of a GPU");
        if (gpus > 1 && milli != kWholeDevice)
          line.reject("gpu_milli: a task of several GPUs takes them whole (1000)");
        demand.min_yield = kFullYield;
        demand.movable = gpus == 0;
        demand.devices.per_node = static_cast<std::uint16_t>(gpus);
        if (gpus > 0) demand.devices.parts = static_cast<std::uint16_t>(milli);
        if (line.has("gpu_spec")) demand.devices.models = models_named(line, cluster.device_models);
        tasks.push_back(demand);
      });
  if (!read) return tl::unexpected(read.error());
  if (std::ranges::none_of(tasks, [](const Demand& demand) { return demand.devices.any(); }))
    return fail(ErrorKind::invalid_argument, path + ": no task asks for a GPU");
  return tasks;
}

}  // namespace aliquot
