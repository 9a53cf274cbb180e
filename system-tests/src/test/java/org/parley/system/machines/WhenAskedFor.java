package org.parley.system.machines;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What runs with {@code -Dtest.guests=all} only: guests are to take no more than ten minutes of {@code ./verify}. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(
        named = "test.guests",
        matches = "all",
        disabledReason = "guests have ten minutes of verify; mvn verify -Dtest.guests=all runs this, too")
@interface WhenAskedFor {}
