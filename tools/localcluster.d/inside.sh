# shellcheck shell=bash
# What runs inside the cluster's namespaces. Sourced by tools/localcluster.
#
# The switch is the first process of a PID, network and mount namespace that hold the whole cluster: the
# bridge, and as children the nodes, each in namespaces of its own. Nothing has a name outside, so when
# the switch dies the kernel removes everything: processes, bridge, cables, mounts.

# The first process of the cluster. $1: number of nodes.
run_switch() {
  mount --make-rslave /
  cgroups_find
  ip link set lo up
  ip link add br0 type bridge
  ip addr add $NET.1/24 dev br0
  ip link set br0 up
  local i
  for ((i = 1; i <= $1; ++i)); do start_node $i; done
  while :; do wait -n || sleep 1; done
}

# A node, and its cable to the bridge. $1: node number.
start_node() {
  local i=$1 pid outer
  outer=$(readlink /proc/self/ns/net)
  (
    cgroups_enter n$i services
    exec unshare --net --mount --uts --ipc --pid --fork --kill-child --mount-proc "$SELF" inside-new $i
  ) >>"$STATE/n$i/log/node" 2>&1 &
  pid=$!
  until [[ $(readlink /proc/$pid/ns/net) != "$outer" ]]; do sleep 0.01; done
  until ip link add port$i type veth peer name eth0 netns $pid 2>/dev/null; do sleep 0.05; done
  ip link set port$i master br0 up
}

# A node that was killed is started again, beside the switch; the switch inherits it. $1: node number.
run_started() {
  cgroups_find
  start_node "$1"
}

# The group a process stands in when its cgroup namespace is made becomes the root it sees.
run_new_node() {
  cgroups_find
  cgroups_enter n$1
  exec unshare --cgroup "$SELF" inside-node $1
}

# The first process of a node: what an init and a service manager are to a machine. $1: node number.
run_node() {
  local i=$1 dir=$STATE/n$1 part
  mount --make-rslave /
  hostname node$i
  for part in etc:/etc/libvirt lib:/var/lib/libvirt run:/run/libvirt cache:/var/cache/libvirt \
    log:/var/log/libvirt hosts:/etc/hosts; do
    mount --bind "$dir/${part%%:*}" "${part#*:}"
  done
  mount_own_cgroups
  if [[ -d $dir/numa ]]; then
    mount --bind "$dir/numa" /sys/devices/system/node
    export LD_PRELOAD=$dir/numa/preloaded
  fi
  until ip link show eth0 >/dev/null 2>&1; do sleep 0.01; done
  ip link set lo up
  ip addr add $NET.$((10 + i))/24 dev eth0
  ip link set eth0 up
  while :; do # libvirtd is restarted when it dies, as on a real node; its guests run on
    libvirtd --config "$dir/libvirtd.conf" --pid-file /run/libvirt/libvirtd.pid --listen &
    wait $! || true
    echo "libvirtd ended with $?: starting it again"
    sleep 1
  done
}

# Replaces the host's control groups by this node's, seen as the root.
mount_own_cgroups() {
  local version root controllers name
  cgroups_find
  if [[ $TREES == v2* ]]; then
    umount -R /sys/fs/cgroup
    mount -t cgroup2 none /sys/fs/cgroup
    echo $$ >/sys/fs/cgroup/services/cgroup.procs
    return
  fi
  umount -R /sys/fs/cgroup
  mount -t tmpfs -o mode=755 none /sys/fs/cgroup
  while read -r version root controllers; do
    mkdir "/sys/fs/cgroup/$controllers"
    mount -t cgroup -o "$controllers" none "/sys/fs/cgroup/$controllers"
    for name in ${controllers//,/ }; do
      [[ -e /sys/fs/cgroup/$name ]] || ln -s "$controllers" "/sys/fs/cgroup/$name"
    done
  done <<<"$TREES"
}

# write_numa_cells I CELLS: what the kernel of a node with so many cells would show in sysfs. Its VMs are
# bound to the CPUs of these cells; all memory is the machine's own, which the preloaded library hides.
write_numa_cells() {
  local dir=$STATE/n$1/numa cells=$2 cell cpu mask list total
  total=$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)
  mkdir -p "$dir"
  ln -s "$BUILD/bin/libpretended_numa.so" "$dir/preloaded"
  for cell in online possible has_cpu has_memory has_normal_memory; do
    echo "0-$((cells - 1))" >"$dir/$cell"
  done
  for ((cell = 0; cell < cells; ++cell)); do
    mkdir -p "$dir/node$cell/hugepages"
    mask=0 list=''
    for ((cpu = cell; cpu < $(nproc); cpu += cells)); do
      ln -s "../../cpu/cpu$cpu" "$dir/node$cell/cpu$cpu"
      mask=$((mask | 1 << cpu)) list+=${list:+,}$cpu
    done
    printf '%x\n' $mask >"$dir/node$cell/cpumap"
    echo "$list" >"$dir/node$cell/cpulist"
    printf 'Node %d Mem%s: %d kB\n' $cell Total $((total / cells)) $cell Free $((total / cells)) \
      >"$dir/node$cell/meminfo"
    for ((cpu = 0; cpu < cells; ++cpu)); do
      echo -n "$((cpu == cell ? 10 : 20)) "
    done >"$dir/node$cell/distance"
  done
}

# write_node I COUNT: directories and configuration of a node.
write_node() {
  local i=$1 dir=$STATE/n$1 j
  mkdir -p "$dir"/{etc/hooks/qemu.d,lib,run,cache,log}
  ln -s "${SELF%/*}/network/hook" "$dir/etc/hooks/qemu.d/aliquot"
  printf '#!/bin/sh\nALIQUOT_SHARE=%q/bin/aliquot-share exec %q/share/hook "$@"\n' "$BUILD" "${SELF%/*}" \
    >"$dir/etc/hooks/qemu.d/aliquot-share"
  chmod 755 "$dir/etc/hooks/qemu.d/aliquot-share"
  cat >"$dir/etc/qemu.conf" <<END
security_driver = "none"
user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
stdio_handler = "file"
namespaces = [ ]
cgroup_controllers = [ "cpu", "cpuacct", "cpuset", "memory" ]
migration_address = "0.0.0.0"
migration_host = "$NET.$((10 + i))"
keepalive_interval = 2
keepalive_count = 3
END
  cat >"$dir/libvirtd.conf" <<END
listen_tls = 0
listen_tcp = 1
listen_addr = "$NET.$((10 + i))"
tcp_port = "16509"
auth_tcp = "none"
auth_unix_rw = "none"
auth_unix_ro = "none"
host_uuid = "00000000-77aa-4000-8000-$(printf %012d "$i")"
log_outputs = "3:file:$dir/log/libvirtd.log"
min_workers = 2
max_workers = 8
max_clients = 100
END
  echo "127.0.0.1 localhost" >"$dir/hosts"
  for ((j = 1; j <= $2; ++j)); do echo "$NET.$((10 + j)) node$j"; done >>"$dir/hosts"
}
