# Prints the medians of one test side by side, with ratio, target and verdict; appends each verdict to the file tally.
#
# Input: samples.tsv sorted by group, side, bytes and value: test.transport.buffer.ranks, openmpi or parley, bytes,
# value. The buffer of Open MPI's groups is "any". Variables: test transport buffer ranks left right targets tally.

function median(key,    n) {
    n = seen[key]
    if (n == 0) return ""
    return n % 2 ? sample[key, (n + 1) / 2] : (sample[key, n / 2] + sample[key, n / 2 + 1]) / 2
}
function line(a, b, c, d, e, f) { printf "| %8s | %10s | %10s | %6s | %7s | %-4s |\n", a, b, c, d, e, f }
BEGIN {
    FS = "\t"
    while ((getline text < targets) > 0) {
        if (text ~ /^#/) continue
        split(text, t, "\t")
        if (t[1] == test && t[2] == transport && t[3] == buffer && t[4] == ranks) {
            bound[t[5]] = t[6]
            target[t[5]] = t[7] + 0
        }
    }
}
$1 == test "." transport ".any." ranks && $2 == "openmpi" ||
$1 == test "." transport "." buffer "." ranks && $2 == "parley" {
    key = $2 SUBSEP $3
    sample[key, ++seen[key]] = $4
    if (!($3 in known)) { known[$3]; size[++rows] = $3 + 0 }
}
END {
    line("size", left, right, "ratio", "target", "")
    print "|---------:|-----------:|-----------:|-------:|--------:|:-----|"
    for (i = 2; i <= rows; i++)
        for (j = i; j > 1 && size[j - 1] > size[j]; j--) {
            s = size[j]
            size[j] = size[j - 1]
            size[j - 1] = s
        }
    for (i = 1; i <= rows; i++) {
        s = size[i]; a = median("openmpi" SUBSEP s); b = median("parley" SUBSEP s)
        ratio = verdict = goal = ""
        if (a != "" && b != "" && a > 0) ratio = b / a
        if (s in target) {
            goal = bound[s] " " sprintf("%.1f", target[s])
            if (ratio != "") {
                verdict = (bound[s] == "<=" ? ratio <= target[s] : ratio >= target[s]) ? "ok" : "miss"
                print verdict >>tally
            }
        }
        line(s ? s : "-", a == "" ? "-" : sprintf("%.2f", a), b == "" ? "-" : sprintf("%.2f", b),
             ratio == "" ? "-" : sprintf("%.2f", ratio), goal, verdict)
    }
    print ""
}
