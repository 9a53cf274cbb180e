# The first process of a host: host.sh HOST VISIBLE...  It becomes the host's sshd, which also takes in orphans.
# It runs in its host's network namespace, and in mount, PID, IPC and UTS namespaces of its own. What is
# VISIBLE here in /tmp stays so; all else of /tmp and /dev/shm is the host's own.
set -eu
host=$1
shift
echo "$host" >/proc/sys/kernel/hostname
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t tmpfs -o mode=1777 shm /dev/shm
for path; do
  case $path in
    /tmp/*)
      if [ -d "$path" ]; then continue; fi # in a visible folder
      old=/run/tmp/${path#/tmp/}
      if [ ! -e "$old" ]; then continue; fi # class paths name folders that a module has not
      if [ -d "$old" ]; then mkdir -p "$path"; else mkdir -p "${path%/*}"; : >>"$path"; fi
      mount --bind "$old" "$path"
      ;;
  esac
done
umount /run/tmp
for file in hosts resolv.conf shadow; do
  if [ -e "/etc/$file" ]; then mount --bind "/run/testbed/$file" "/etc/$file"; fi
done
echo ready
exec /usr/sbin/sshd -D -e -f /run/testbed/sshd_config -h "/run/testbed/$host.key" </dev/null >"/run/testbed/$host.log" 2>&1
