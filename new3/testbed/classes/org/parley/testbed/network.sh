# The first process of a network: network.sh IPV4|IPV6|NAMELESS HOST...
# It runs in network, mount, PID, IPC and UTS namespaces of its own; all that it makes ends with it, and it ends
# with its standard input. Hosts share its /run.
set -eu
addressing=$1
shift
mount -t tmpfs -o mode=755 run /run
mkdir -m 755 /run/sshd
mkdir -m 700 /run/testbed
# Hosts have a /tmp of their own, in which some of this one stays visible.
mkdir -m 700 /run/tmp
mount --bind /tmp /run/tmp
# Bash reads it at each login, and some people's takes seconds.
[ ! -e /root/.bashrc ] || mount --bind /dev/null /root/.bashrc
cd /run/testbed

echo 127.0.0.1 localhost >hosts
echo ::1 localhost >>hosts
: >resolv.conf
echo 'root:*:1::::::' >shadow # a locked root (!) could not log in
chmod 600 shadow
ssh-keygen -q -t ed25519 -N '' -C testbed -f id
cat >sshd_config <<END
AuthorizedKeysFile /run/testbed/id.pub
PermitRootLogin yes
StrictModes no
UsePAM no
UseDNS no
PidFile none
MaxStartups 500
END
cat >ssh_config <<END
IdentityFile /run/testbed/id
IdentitiesOnly yes
UserKnownHostsFile /run/testbed/known_hosts
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
BatchMode yes
LogLevel ERROR
END

ip link set lo up
ip link add name switch type bridge
ip link set dev switch up
number=0
for host; do
  number=$((number + 1))
  ssh-keygen -q -t ed25519 -N '' -C "$host" -f "$host.key"
  ip netns add "$host"
  ip link add name "$host" type veth peer name eth0 netns "$host"
  ip link set dev "$host" master switch up
  ip -n "$host" link set dev lo up
  if [ "$addressing" = IPV6 ]; then
    address=fd77::$number
    ip -n "$host" address add "$address/64" dev eth0 nodad
  else
    address=10.77.0.$number
    ip -n "$host" address add "$address/24" dev eth0
  fi
  ip -n "$host" link set dev eth0 up
  [ "$addressing" = NAMELESS ] || echo "$address $host" >>hosts
  echo "$host,$address $(cat "$host.key.pub")" >>known_hosts
  printf 'Host %s\n  HostName %s\n' "$host" "$address" >>ssh_config
done
echo ready
cat >/dev/null
