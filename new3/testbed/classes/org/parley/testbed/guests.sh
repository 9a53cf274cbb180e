# guests.sh NAME LAN RDMA...: makes, where the switch is, cables for guests: to the switch and to a second one, `fabric`,
# where their RDMA is; and all that ssh needs to know of them.
set -eu
cd /run/testbed
mkdir -m 700 fabric
[ -e /dev/net/tun ] || { mkdir -p /dev/net && mknod /dev/net/tun c 10 200; }
# A switch of one card's frames: not smaller than those of an MTU of 4096 for RDMA.
ip link add name fabric type bridge
ip link set dev fabric up
while [ $# -gt 0 ]; do
  name=$1 lan=$2 rdma=$3
  shift 3
  for cable in "$name switch 1500" "$name-rdma fabric 4200"; do
    # shellcheck disable=SC2086  # three words
    set -- $cable "$@"
    ip tuntap add dev "$1" mode tap
    ip link set dev "$1" mtu "$3"
    ip link set dev "$1" master "$2" up
    shift 3
  done
  ssh-keygen -q -t ed25519 -N '' -C "$name" -f "$name.key"
  echo "$lan $name" >>hosts
  echo "$rdma $name-rdma" >>hosts
  echo "$name,$lan $(cat "$name.key.pub")" >>known_hosts
  printf 'Host %s\n  HostName %s\n' "$name" "$lan" >>ssh_config
done
