#include "manager/hypervisor/libxl/xen_arrival.hpp"

#include <utility>

#include "manager/hypervisor/libxl/unfinished_domains.hpp"
#include "manager/hypervisor/libxl/xen_restore.hpp"

namespace aliquot {
namespace {

constexpr Duration kLook{50'000};

}  // namespace

// The device model of a VM with a disk would open the disk, which the other node's still writes.
void expect_move(XenNode& node, const VmMove& move, std::shared_ptr<const JobSpec> spec) {
  if (move.from == node.setup().node) {
    node.vm(node.identity(*spec, move.task)).leaves_by = move.op;
  } else if (!std::holds_alternative<ImageBoot>(spec->submission->program)) {
    std::make_shared<XenArrival>(node, move, std::move(spec))->start();
  }
}

XenArrival::XenArrival(XenNode& node, const VmMove& move, std::shared_ptr<const JobSpec> spec)
    : node_(node),
      move_(move),
      spec_(std::move(spec)),
      identity_(node.identity(*spec_, move.task)),
      uuid_(vm_uuid(identity_)),
      until_(std::chrono::steady_clock::now() + std::chrono::microseconds(node.setup().deadline.raw)) {}

void XenArrival::start() {
  (void)node_.vm(identity_);
  node_.take_turn(uuid_, move_.op, [self = shared_from_this()](std::uint64_t turn) {
    self->turn_ = turn;
    const auto found = find_domain(self->node_.xen(), self->uuid_);
    if (found && !*found) return self->await_image();
    self->node_.end_turn(self->uuid_, turn);  // something stands here already
  });
}

void XenArrival::await_image() {
  const Spool& spool = node_.files().spool;
  auto image = open_image(spool.image_part(identity_.job, identity_.task), uuid_);
  if (!image) image = open_image(spool.image(identity_.job, identity_.task), uuid_);
  if (image) return load(std::move(*image));
  if (std::chrono::steady_clock::now() >= until_) return node_.end_turn(uuid_, turn_);
  node_.xen().after(kLook, [self = shared_from_this()] { self->await_image(); });
}

void XenArrival::load(XenImage image) {
  const Spool& spool = node_.files().spool;
  const XenGuests guests = image.guests;
  auto reader = ImageReader::begin(std::move(image.stream), spool.image_part(identity_.job, identity_.task),
                                   spool.image(identity_.job, identity_.task), uuid_);
  if (!reader) return end(tl::unexpected(reader.error()));
  reader_ = std::move(*reader);
  node_.xen().after(node_.setup().deadline, [arrival = weak_from_this()] {
    if (const auto overdue = arrival.lock(); overdue && overdue->reader_) overdue->reader_->give_up();
  });
  restore_domain(node_, {spec_, move_.task, reader_->stream(), guests},
                 [self = shared_from_this()](const Result<std::uint32_t>& domain) { self->end(domain); });
}

// A restore that does not come is one whose save has failed, or that another node has got.
void XenArrival::end(const Result<std::uint32_t>& domain) {
  reader_.reset();
  if (domain) node_.vm(identity_).arrival = {move_.op, *domain};
  node_.end_turn(uuid_, turn_);
  if (!domain) return node_.destroy_unfinished(identity_);
  node_.xen().after(node_.setup().deadline,
                    [&node = node_, identity = identity_] { node.destroy_unfinished(identity); });
}

}  // namespace aliquot
