package org.parley.engine;

import java.util.Arrays;

/** First in, first out: frames of a type, with flags, and two numbers that found no room on the wire. */
final class AnswerQueue {
    private static final int FIELDS = 3;

    private long[] values = new long[FIELDS * 4];
    private int head;
    private int tail;

    boolean isEmpty() {
        return head == tail;
    }

    void add(final int type, final long first, final long second) {
        if (tail == values.length) {
            compactOrGrow();
        }
        values[tail] = type;
        values[tail + 1] = first;
        values[tail + 2] = second;
        tail += FIELDS;
    }

    int type() {
        return (int) values[head];
    }

    long first() {
        return values[head + 1];
    }

    long second() {
        return values[head + 2];
    }

    void remove() {
        head += FIELDS;
        if (head == tail) {
            head = 0;
            tail = 0;
        }
    }

    void clear() {
        head = 0;
        tail = 0;
    }

    private void compactOrGrow() {
        final int used = tail - head;
        final long[] target = used > values.length / 2 ? new long[values.length * 2] : values;
        System.arraycopy(values, head, target, 0, used);
        if (target == values) {
            Arrays.fill(values, used, tail, 0);
        }
        values = target;
        head = 0;
        tail = used;
    }
}
