package org.parley.launcher.doctor;

/**
 * What is wrong.
 *
 * @param code what it is
 * @param seen what there is instead of {@link Code#expected}
 * @param fix the command that mends it, or what to do
 */
record Finding(Code code, String seen, String fix) {}
