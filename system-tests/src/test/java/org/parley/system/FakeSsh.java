package org.parley.system;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * What stands for ssh where there is one machine: runs the command here, as a child that it has two
 * pipes to, and so that killing it cuts these pipes. Hosts of any name exist.
 */
final class FakeSsh {
    private static final String SCRIPT = """
            #!/usr/bin/perl
            use strict; use IO::Select;
            $SIG{PIPE} = 'IGNORE';
            my ($host, $command) = @ARGV;
            sub note { open(my $f, '>', "$0.$_[0].new"); print $f $_[1]; close $f; rename "$0.$_[0].new", "$0.$_[0]"; }
            pipe(my $in, my $to); pipe(my $from, my $out);
            my $pid = fork;
            if (!$pid) {
              close $to; close $from;
              open(STDIN, '<&', $in); open(STDOUT, '>&', $out); close $in; close $out;
              exec '/bin/sh', '-c', $command;
            }
            close $in; close $out;
            note("$host.agent", $pid); note($host, $$);
            my $select = IO::Select->new(\\*STDIN, $from);
            LOOP: while (1) {
              for my $handle ($select->can_read) {
                my $count = sysread($handle, my $bytes, 65536);
                my $isInput = fileno($handle) == 0;
                if (!$count) { last LOOP unless $isInput; $select->remove($handle); close $to; next; }
                my $target = $isInput ? $to : \\*STDOUT;
                for (my $done = 0; $done < $count;) {
                  my $written = syswrite($target, $bytes, $count - $done, $done);
                  last LOOP unless defined $written;
                  $done += $written;
                }
              }
            }
            waitpid($pid, 0);
            exit($? & 127 ? 255 : $? >> 8);
            """;

    private final Path script;

    private FakeSsh(Path script) {
        this.script = script;
    }

    /** Makes one in a folder. */
    static FakeSsh in(Path folder) throws IOException {
        return new FakeSsh(executable(folder, "fake-ssh", SCRIPT));
    }

    /** Makes a script. */
    static Path executable(Path folder, String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    Path path() {
        return script;
    }

    /** Returns the process that leads to a host. */
    long shell(String host) {
        return pid(host);
    }

    /** Returns the agent's process on a host. */
    long agent(String host) {
        return pid(host + ".agent");
    }

    private long pid(String name) {
        Path file = Path.of(script + "." + name);
        await().atMost(Launch.PATIENCE).until(() -> Files.exists(file));
        try {
            return Long.parseLong(Files.readString(file).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
