package org.parley.transport.verbs.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the header of this machine says. */
class LayoutTest {
    private static final Path HEADER = Path.of("/usr/include/infiniband/verbs.h");

    @TempDir
    private Path folder;

    @Test
    void shouldLieWhereTheHeaderSays() throws IOException, InterruptedException {
        final boolean hasCompiler =
                Stream.of(System.getenv("PATH").split(":")).anyMatch(path -> new File(path, "gcc").canExecute());
        assumeTrue(
                hasCompiler && Files.exists(HEADER),
                "needs gcc and " + HEADER + " (Debian: apt-get install gcc libibverbs-dev)");
        final Map<String, Integer> expected = expected();
        final StringBuilder program = new StringBuilder(
                "#include <stddef.h>\n#include <stdio.h>\n#include <infiniband/verbs.h>\nint main(void) {\n");
        for (final String what : expected.keySet()) {
            program.append("printf(\"%s=%d\\n\", \"")
                    .append(what)
                    .append("\", (int) ")
                    .append(what)
                    .append(");\n");
        }
        final Path source = Files.writeString(folder.resolve("layout.c"), program + "return 0;\n}\n");
        final Path binary = folder.resolve("layout");
        run("gcc", "-o", binary.toString(), source.toString());

        assertThat(run(binary.toString()))
                .containsExactlyElementsOf(expected.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .toList());
    }

    private static Map<String, Integer> expected() {
        final Map<String, Integer> all = new LinkedHashMap<>();
        add(all, Layout.Device.class, "ibv_device", Map.of());
        add(
                all,
                Layout.Context.class,
                "ibv_context",
                Map.of(
                        "POLL_CQ", "ops.poll_cq",
                        "REQ_NOTIFY_CQ", "ops.req_notify_cq",
                        "POST_SRQ_RECV", "ops.post_srq_recv",
                        "POST_SEND", "ops.post_send",
                        "POST_RECV", "ops.post_recv"));
        add(all, Layout.DeviceAttr.class, "ibv_device_attr", Map.of());
        add(all, Layout.PortAttr.class, "ibv_port_attr", Map.of());
        add(all, Layout.Mr.class, "ibv_mr", Map.of());
        add(all, Layout.Cq.class, "ibv_cq", Map.of());
        add(all, Layout.Qp.class, "ibv_qp", Map.of());
        add(
                all,
                Layout.QpInitAttr.class,
                "ibv_qp_init_attr",
                Map.of(
                        "MAX_SEND_WR", "cap.max_send_wr",
                        "MAX_RECV_WR", "cap.max_recv_wr",
                        "MAX_SEND_SGE", "cap.max_send_sge",
                        "MAX_RECV_SGE", "cap.max_recv_sge",
                        "MAX_INLINE_DATA", "cap.max_inline_data"));
        add(all, Layout.QpAttr.class, "ibv_qp_attr", Map.of());
        add(
                all,
                Layout.AhAttr.class,
                "ibv_ah_attr",
                Map.of("DGID", "grh.dgid", "SGID_INDEX", "grh.sgid_index", "HOP_LIMIT", "grh.hop_limit"));
        add(
                all,
                Layout.SrqInitAttr.class,
                "ibv_srq_init_attr",
                Map.of("MAX_WR", "attr.max_wr", "MAX_SGE", "attr.max_sge"));
        all.put("sizeof(struct ibv_send_wr)", WorkRequest.SEND_BYTES);
        all.put("sizeof(struct ibv_recv_wr)", WorkRequest.RECEIVE_BYTES);
        all.put("sizeof(struct ibv_sge)", WorkRequest.SGE_BYTES);
        all.put("sizeof(struct ibv_wc)", WorkRequest.COMPLETION_BYTES);
        all.put("offsetof(struct ibv_send_wr, wr_id)", 0);
        for (final String wr : List.of("ibv_send_wr", "ibv_recv_wr")) {
            all.put("offsetof(struct " + wr + ", next)", WorkRequest.NEXT);
            all.put("offsetof(struct " + wr + ", sg_list)", WorkRequest.SG_LIST);
            all.put("offsetof(struct " + wr + ", num_sge)", WorkRequest.NUM_SGE);
        }
        all.put("offsetof(struct ibv_send_wr, opcode)", WorkRequest.OPCODE);
        all.put("offsetof(struct ibv_send_wr, send_flags)", WorkRequest.SEND_FLAGS);
        all.put("offsetof(struct ibv_send_wr, wr.rdma.remote_addr)", WorkRequest.REMOTE_ADDR);
        all.put("offsetof(struct ibv_send_wr, wr.rdma.rkey)", WorkRequest.RKEY);
        all.put("offsetof(struct ibv_send_wr, wr.ud.ah)", WorkRequest.UD_AH);
        all.put("offsetof(struct ibv_send_wr, wr.ud.remote_qpn)", WorkRequest.UD_REMOTE_QPN);
        all.put("offsetof(struct ibv_send_wr, wr.ud.remote_qkey)", WorkRequest.UD_REMOTE_QKEY);
        all.put("offsetof(struct ibv_sge, addr)", 0);
        all.put("offsetof(struct ibv_sge, length)", WorkRequest.SGE_LENGTH);
        all.put("offsetof(struct ibv_sge, lkey)", WorkRequest.SGE_LKEY);
        all.put("offsetof(struct ibv_wc, wr_id)", 0);
        all.put("offsetof(struct ibv_wc, status)", WorkRequest.WC_STATUS);
        all.put("offsetof(struct ibv_wc, opcode)", WorkRequest.WC_OPCODE);
        all.put("offsetof(struct ibv_wc, vendor_err)", WorkRequest.WC_VENDOR_ERR);
        all.put("offsetof(struct ibv_wc, byte_len)", WorkRequest.WC_BYTE_LEN);
        all.put("offsetof(struct ibv_wc, qp_num)", WorkRequest.WC_QP_NUM);
        all.put("offsetof(struct ibv_wc, src_qp)", WorkRequest.WC_SRC_QP);
        all.put("IBV_WR_RDMA_WRITE", WorkRequest.RDMA_WRITE);
        all.put("IBV_WR_SEND", WorkRequest.SEND);
        all.put("IBV_WR_RDMA_READ", WorkRequest.RDMA_READ);
        all.put("IBV_SEND_SIGNALED", WorkRequest.SIGNALED);
        all.put("IBV_SEND_INLINE", WorkRequest.INLINE);
        all.put("IBV_WC_RECV", WorkRequest.RECEIVED);
        all.put("IBV_WC_WR_FLUSH_ERR", WorkRequest.FLUSHED);
        all.put("IBV_QPT_RC", QueuePair.RELIABLE_CONNECTION);
        all.put("IBV_QPT_UD", QueuePair.UNRELIABLE_DATAGRAM);
        all.put("IBV_ACCESS_LOCAL_WRITE", VerbsContext.LOCAL_WRITE);
        all.put("IBV_ACCESS_REMOTE_WRITE", VerbsContext.REMOTE_WRITE);
        all.put("IBV_ACCESS_REMOTE_READ", VerbsContext.REMOTE_READ);
        return all;
    }

    private static void add(
            final Map<String, Integer> all,
            final Class<?> layout,
            final String struct,
            final Map<String, String> nested) {
        final List<Field> fields = new ArrayList<>(List.of(layout.getDeclaredFields()));
        fields.removeIf(field -> field.isSynthetic() || !Modifier.isStatic(field.getModifiers()));
        for (final Field field : fields) {
            final String name =
                    nested.getOrDefault(field.getName(), field.getName().toLowerCase(Locale.ROOT));
            final String what = field.getName().equals("SIZE")
                    ? "sizeof(struct " + struct + ")"
                    : "offsetof(struct " + struct + ", " + name + ")";
            try {
                all.put(what, field.getInt(null));
            } catch (final IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private List<String> run(final String... command) throws IOException, InterruptedException {
        final Path output = folder.resolve("output");
        final Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        final List<String> lines = Files.readAllLines(output);
        assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
        return lines;
    }
}
