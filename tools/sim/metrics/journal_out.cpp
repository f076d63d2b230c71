#include "tools/sim/metrics/journal_out.hpp"

#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"

namespace aliquot {

Result<std::unique_ptr<JournalOut>> JournalOut::create(const std::string& path) {
  auto sink = TextSink::create(path);
  if (!sink) return tl::unexpected(sink.error());
  return std::unique_ptr<JournalOut>(new JournalOut(std::move(*sink)));
}

void JournalOut::begin(const CoreState& state) {
  sink_.write(R"({"snapshot":)" + encode_state(state) + "}\n");
}

void JournalOut::on_step(const Step& step, const ClusterView& /*after*/) {
  sink_.write(encode_step(step) + "\n");
}

}  // namespace aliquot
