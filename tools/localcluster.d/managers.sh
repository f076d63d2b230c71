# shellcheck shell=bash
# Managers of a local cluster and the etcd on which one of them leads. Sourced by tools/localcluster.
#
# They are processes of the machine itself, on ports of 127.0.0.1, and belong to the cluster's control
# group `managers`, so that `down` ends them. What ends is started again, as systemd does it.

LEASE_TTL=3s # a standby leads so long after the leader's end
MANAGERS_START=120 # seconds

managers_count() { { compgen -G "$STATE/m[0-9]*" || true; } | wc -l; }
etcd_count() { { compgen -G "$STATE/e[0-9]*" || true; } | wc -l; }

# All that the managers' clients need to know: the sockets, separated by commas.
managers_server() {
  local i server=''
  for ((i = 1; i <= $(managers_count); ++i)); do server+=${server:+,}$STATE/m$i/api.sock; done
  echo "$server"
}

# managers_check MANAGERS ETCD BUILD
managers_check() {
  (($1 > 0)) || (($2 == 0)) || die "--etcd is for managers: --managers 2 --etcd $2"
  (($1 <= 1)) || (($2 > 0)) || die "$1 managers need an etcd on which one of them leads: --etcd 3"
  (($1 <= 9 && $2 <= 9)) || die "--managers and --etcd want at most 9"
  (($2 == 0)) || command -v etcd >/dev/null ||
    die "missing packages: apt-get install --no-install-recommends etcd-server"
  (($1 == 0)) || [[ -x $3/bin/aliquotd && -x $3/bin/aliquot && -s $3/guest/vmlinuz ]] ||
    die "$3/bin/aliquotd is missing, or the guests: cmake --build $3 --target aliquotd aliquot guest"
}

# Sets PORT: nothing listens there, and it was not chosen before.
fresh_port() {
  PORT=$(free_port)
  while [[ $CHOSEN == *" $PORT "* ]]; do PORT=$(free_port); done
  CHOSEN+="$PORT "
}

# managers_write MANAGERS ETCD BUILD: directories and configurations, without the nodes.
managers_write() {
  local i peers='' clients=''
  CHOSEN=' '
  for ((i = 1; i <= $2; ++i)); do
    mkdir -p "$STATE/e$i"
    fresh_port
    echo "http://127.0.0.1:$PORT" >"$STATE/e$i/url"
    clients+=${clients:+, }http://127.0.0.1:$PORT
    fresh_port
    echo "http://127.0.0.1:$PORT" >"$STATE/e$i/peer"
    peers+=${peers:+,}etcd$i=http://127.0.0.1:$PORT
  done
  for ((i = 1; i <= $2; ++i)); do echo "$peers" >"$STATE/e$i/cluster"; done
  for ((i = 1; i <= $1; ++i)); do
    mkdir -p "$STATE/m$i/store"
    fresh_port
    echo "$PORT" >"$STATE/m$i/http"
    echo "$3" >"$STATE/m$i/build"
    manager_yaml "$i" "$PORT" "$3" "$clients" >"$STATE/m$i/aliquot.yaml"
  done
}

# manager_yaml I PORT BUILD CLIENTS
manager_yaml() {
  local dir=$STATE/m$1
  cat <<END
cluster: local
state_dir: $dir/store
spool_dir: $STATE/spool
api:
  socket: $dir/api.sock
  events: $dir/events.sock
http:
  port: $2
network:
  jobs: on-request
hypervisor:
  acceleration: auto
  guest_dir: $3/guest
  vm_overhead: 48MiB
END
  [[ ! -e $STATE/manager.keys ]] || echo "  agent_keys: $STATE/manager.keys"
  [[ -n $4 ]] || return 0
  cat <<END
ha:
  endpoints: [$4]
  prefix: /local
  name: manager$1
  lease_ttl: $LEASE_TTL
END
}

# kept_alive DIR COMMAND...: the pid of the command stands in DIR/pid, what it says in DIR/log.
kept_alive() {
  (
    cgroups_enter managers
    # shellcheck disable=SC2016 # expanded by the shell that keeps it alive
    exec setsid bash -c 'dir=$1; shift; while :; do
      "$@" & echo $! >"$dir/pid"; wait $!; echo "ended with $?: started again"; sleep 1; done' \
      kept_alive "$@"
  ) </dev/null >>"$1/log" 2>&1 9<&- &
}

start_etcd() { # member
  local dir=$STATE/e$1 url peer
  url=$(<"$dir/url") peer=$(<"$dir/peer")
  kept_alive "$dir" etcd --name "etcd$1" --data-dir "$dir/data" \
    --listen-client-urls "$url" --advertise-client-urls "$url" \
    --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
    --initial-cluster "$(<"$dir/cluster")" --initial-cluster-state new
}

# All members and managers; false, with the reason, if they do not serve.
managers_start() {
  local i managers build deadline
  managers=$(managers_count)
  ((managers > 0)) || return 0
  build=$(<"$STATE/m1/build")
  for ((i = 1; i <= $(etcd_count); ++i)); do start_etcd $i; done
  for ((i = 1; i <= managers; ++i)); do
    cat "$STATE/nodes.yaml" >>"$STATE/m$i/aliquot.yaml"
    kept_alive "$STATE/m$i" "$build/bin/aliquotd" --config "$STATE/m$i/aliquot.yaml"
  done
  deadline=$((SECONDS + MANAGERS_START))
  until managers_serve "$managers"; do
    if ((SECONDS > deadline)); then
      tail -n 5 "$STATE"/[em][0-9]*/log >&2
      echo "localcluster: the managers do not serve (their last log lines stand above)" >&2
      return 1
    fi
    sleep 0.2
  done
}

# managers_serve COUNT: one leads, and all others stand by.
managers_serve() {
  local said program
  program=$(<"$STATE/m1/build")/bin/aliquot
  if (($(etcd_count) == 0)); then
    timeout 10 "$program" --server "$STATE/m1/api.sock" status >/dev/null 2>&1
    return
  fi
  said=$(timeout 10 "$program" --server "$(managers_server)" ha status -o json 2>/dev/null) || return 1
  (($(grep -o '"role":' <<<"$said" | wc -l) == $1))
}

managers_status() {
  local i
  for ((i = 1; i <= $(etcd_count); ++i)); do
    printf 'etcd%s  pid %s  %s\n' $i "$(<"$STATE/e$i/pid")" "$(<"$STATE/e$i/url")"
  done
  for ((i = 1; i <= $(managers_count); ++i)); do
    printf 'manager%s  pid %s  %s  http://127.0.0.1:%s/\n' $i "$(<"$STATE/m$i/pid")" "$STATE/m$i/api.sock" \
      "$(<"$STATE/m$i/http")"
  done
  (($(managers_count) == 0)) || echo "export ALIQUOT_SERVER=$(managers_server)"
}

# The process of manager I ends at once; it starts anew after a second, as a standby. The old lease has not
# ended by then, so it may win the next one.
command_kill_manager() {
  [[ ${1:-} =~ ^[1-9]$ && -e $STATE/m$1/pid ]] ||
    die "no manager '${1:-}': $(managers_count) are up in $STATE"
  local pid
  pid=$(<"$STATE/m$1/pid")
  [[ $'\n'$(cgroups_pids managers)$'\n' == *$'\n'"$pid"$'\n'* ]] || die "manager$1 is being started"
  kill -KILL "$pid"
}
