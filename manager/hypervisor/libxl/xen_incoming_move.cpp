#include "manager/hypervisor/libxl/xen_incoming_move.hpp"

#include <utility>

#include "manager/hypervisor/libxl/unfinished_domains.hpp"
#include "manager/hypervisor/libxl/xen_restore.hpp"

namespace aliquot {
namespace {

constexpr Duration kLook{50'000};

}  // namespace

// A VM with a disk is not built ahead: its device model would open the disk while the source still writes
// it.
void prepare_move(XenNode& node, const VmMove& move, std::shared_ptr<const JobSpec> spec) {
  if (move.from == node.setup().node) {
    node.vm(node.identity(*spec, move.task)).outgoing_move = move.op;
  } else if (!std::holds_alternative<ImageBoot>(spec->submission->program)) {
    std::make_shared<XenIncomingMove>(node, move, std::move(spec))->await_image();
  }
}

XenIncomingMove::XenIncomingMove(XenNode& node, const VmMove& move, std::shared_ptr<const JobSpec> spec)
    : node_(node),
      move_(move),
      spec_(std::move(spec)),
      identity_(node.identity(*spec_, move.task)),
      uuid_(vm_uuid(identity_)),
      part_(node.files().spool.image_part(identity_.job, identity_.task)),
      whole_(node.files().spool.image(identity_.job, identity_.task)),
      until_(std::chrono::steady_clock::now() + std::chrono::microseconds(node.setup().deadline.raw)) {}

void XenIncomingMove::await_image() {
  if (!is_image_of(part_, uuid_)) {
    if (std::chrono::steady_clock::now() < until_)
      node_.xen().after(kLook, [self = shared_from_this()] { self->await_image(); });
    return;
  }
  (void)node_.vm(identity_);
  node_.take_turn(uuid_, move_.op, [self = shared_from_this()](std::uint64_t turn) {
    self->turn_ = turn;
    self->open();
  });
}

// The image may be complete by now, or given up: then the restore itself does all there is to do.
void XenIncomingMove::open() {
  const auto standing = find_domain(node_.xen(), uuid_);
  auto image = open_image(part_, uuid_);
  if (!standing || *standing || !image) return node_.end_turn(uuid_, turn_);
  load(std::move(*image));
}

void XenIncomingMove::load(XenImage image) {
  const XenGuests guests = image.guests;
  auto reader = ImageReader::begin(std::move(image.stream), part_, whole_, uuid_);
  if (!reader) return end(tl::unexpected(reader.error()));
  reader_ = std::move(*reader);
  node_.xen().after(node_.setup().deadline, [move = weak_from_this()] {
    if (const auto overdue = move.lock(); overdue && overdue->reader_) overdue->reader_->give_up();
  });
  restore_domain(node_, {spec_, move_.task, reader_->stream(), guests},
                 [self = shared_from_this()](const Result<std::uint32_t>& domain) { self->end(domain); });
}

// The restore does not come if the save has failed, or if the manager has ended.
void XenIncomingMove::end(const Result<std::uint32_t>& domain) {
  reader_.reset();
  if (domain) node_.vm(identity_).incoming = {move_.op, *domain};
  node_.end_turn(uuid_, turn_);
  if (!domain) return node_.destroy_unfinished(identity_);
  node_.xen().after(node_.setup().deadline,
                    [&node = node_, identity = identity_] { node.destroy_unfinished(identity); });
}

}  // namespace aliquot
