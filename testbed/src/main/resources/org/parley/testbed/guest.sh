#!/bin/sh
# The first process of a guest, which becomes its sshd. The kernel's command line has guest.KEY=VALUE:
# name, lan and rdma (addresses), nic (the driver of the RDMA network's card), device (rxe or pvrdma), mtu,
# visible (a folder in /tmp that stays so; all else of /tmp is the guest's own; empty: none).
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
for word in $(cat /proc/cmdline); do
  case $word in
    guest.*=*)
      key=${word%%=*}
      eval "${key#guest.}=\${word#*=}"
      ;;
  esac
done
fail() {
  echo "guest: $*" >/dev/console
  busybox poweroff -f
}

mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mkdir -p /run/tmp
mount --bind /tmp /run/tmp
mount -t tmpfs -o mode=1777 tmp /tmp
if [ -n "$visible" ]; then
  mkdir -p "$visible"
  mount --bind "/run/tmp/${visible#/tmp/}" "$visible"
fi
umount /run/tmp
echo "$name" >/proc/sys/kernel/hostname
for file in hosts resolv.conf shadow; do cp "/run/testbed/$file" "/etc/$file"; done
rm -f /root/.bashrc /root/.profile /root/.bash_profile # some people's take seconds here

modprobe -a virtio_net virtio_rng "$nic" || fail "no driver for the network cards"
for card in /sys/class/net/*; do
  case $(cat "$card/address") in
    52:54:00:77:*) ip link set dev "${card##*/}" name lan0 ;;
    52:54:00:78:*) ip link set dev "${card##*/}" name rdma0 ;;
  esac
done
ip link set dev lo up
ip address add "$lan/24" dev lan0
ip link set dev lan0 up
ip link set dev rdma0 mtu "$mtu" up || fail "no network card for RDMA"
ip address add "$rdma/24" dev rdma0

case $device in
  rxe)
    modprobe -a ib_uverbs rdma_ucm rdma_rxe crc32_generic || fail "no driver of Soft-RoCE"
    modprobe -q crc32_pclmul
    rdma link add rxe0 type rxe netdev rdma0 || fail "no device of Soft-RoCE"
    ;;
  pvrdma) modprobe -a ib_uverbs rdma_ucm vmw_pvrdma || fail "no driver of PVRDMA" ;;
esac
chmod 666 /dev/infiniband/* # as udev's rules do
ulimit -l unlimited
exec /usr/sbin/sshd -D -e -f /run/testbed/sshd_config -h "/run/testbed/$name.key" </dev/null >/dev/console 2>&1
