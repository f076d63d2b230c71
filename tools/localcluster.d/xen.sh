# shellcheck shell=bash
# Nodes of a real Xen, each a machine that QEMU emulates: a dom0 with the agent `aliquot-node-xen`. Sourced
# by tools/localcluster.
#
# A Xen node belongs to the cluster's control groups, and QEMU forwards one port of 127.0.0.1 to its agent;
# it has no other network. It mounts $STATE at the same path, so it shares the spool, and its keys survive a
# power cut.

XEN_GUESTS_MIB=640 # what a dom0 leaves of its machine's memory: tools/xen/run

is_xen() { [[ -e $STATE/n$1/port ]]; }

# xen_check BUILD: what a node needs of a build directory.
xen_check() {
  local file
  for file in bin/aliquot-node-xen xen-dom0/{dom0,qemu}.cpio \
    guest/{vmlinux,initrd.img,cmdline,hashchain.elf}; do
    [[ -s $1/$file ]] ||
      die "$1/$file is missing: cmake --build $1 --target aliquot-node-xen guest xen-dom0"
  done
}

# A port of 127.0.0.1 that nothing listens at.
free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 10000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

# xen_write I BUILD GUESTS: directory, keys and port of a node.
xen_write() {
  local dir=$STATE/n$1
  mkdir -p "$dir/log"
  free_port >"$dir/port"
  realpath "$2" >"$dir/build"
  echo "$3" >"$dir/guests"
  [[ -e $STATE/manager.keys ]] || "$2/bin/aliquot-node-xen" keys "$STATE/manager.keys" >/dev/null
  "$2/bin/aliquot-node-xen" keys "$dir/node.keys" >"$dir/public"
}

# xen_start I: boots the machine; its processes are found by the node's control group.
xen_start() {
  local dir=$STATE/n$1 build manager
  build=$(<"$dir/build")
  manager=$("$build/bin/aliquot-node-xen" public-key "$STATE/manager.keys")
  rm -rf "$dir/log/agent" "$dir/kill-agent" "$dir"/run.*
  cat >"$dir/serve" <<END
hostname node$1
serve() {
  exec aliquot-node-xen serve --listen 0.0.0.0:9760 --keys $dir/node.keys --manager $manager \\
    --spool $STATE/spool --guest-dir /guest --guests $(<"$dir/guests") \\
    --host-uuid 00000000-77aa-4000-8000-$(printf %012d "$1") >>$dir/log/agent 2>&1
}
# An agent that ends ends the machine; one that is killed by kill-agent is started again.
while :; do
  serve &
  until [ -e $dir/kill-agent ] || ! kill -0 \$! 2>/dev/null; do sleep 0.3; done
  [ -e $dir/kill-agent ] || break
  kill -9 \$!
  wait \$!
  rm $dir/kill-agent
done
wait \$!
END
  # In the node's group before this returns: xen_wait takes an empty group for the node's end.
  (
    cgroups_enter "n$1" services
    export TMPDIR=$dir # so that temporary files are removed with the node after a power cut, too
    setsid "${SELF%/*}/xen/run" "$build/xen-dom0" --qemu --seconds 0 --console "$dir/log/console" \
      --share "$STATE" --forward "127.0.0.1:$(<"$dir/port")=9760" --program "$build/bin/aliquot-node-xen" \
      --file "$build/guest/vmlinux=/guest/vmlinuz" --file "$build/guest/initrd.img=/guest/initrd.img" \
      --file "$build/guest/cmdline=/guest/cmdline" \
      --file "$build/guest/hashchain.elf=/guest/hashchain.elf" -- ". $dir/serve" \
      </dev/null >"$dir/log/node" 2>&1 9<&- &
  )
}

# xen_kill_agent I: SIGKILL to the agent, which then starts anew; returns when it is gone.
xen_kill_agent() {
  local dir=$STATE/n$1 deadline=$((SECONDS + 60))
  : >"$dir/kill-agent"
  while [[ -e $dir/kill-agent ]]; do
    ((SECONDS < deadline)) || die "node$1 does not kill its agent: is it up?"
    sleep 0.1
  done
}

# xen_wait I: returns when the agent serves; false if it does not (10 s on an idle machine).
xen_wait() {
  local dir=$STATE/n$1 deadline=$((SECONDS + 300))
  until grep -qs ' serves ' "$dir/log/agent"; do
    if ((SECONDS > deadline)) || [[ -z $(cgroups_pids "n$1") ]]; then
      tail -n 5 "$dir/log/"{console,node,agent} >&2 2>/dev/null || true
      return 1
    fi
    sleep 0.2
  done
}

# xen_yaml I: its settings in an aliquotd configuration.
xen_yaml() {
  printf '  - name: node%s\n    hypervisor: xen\n' "$1"
  printf '    uri: "agent://127.0.0.1:%s"\n' "$(<"$STATE/n$1/port")"
  printf "    agent_key: '%s'\n    cores: 1\n    memory: %sMiB\n" "$(<"$STATE/n$1/public")" \
    $((XEN_GUESTS_MIB + 512)) # and what aliquotd leaves to the system by default
}
