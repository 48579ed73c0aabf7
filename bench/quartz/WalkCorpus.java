import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.quartz.CronExpression;

/**
 * Times how long Quartz takes to parse a cron expression and to find its next fire time, over the recorded corpus.
 *
 * <p>Usage: {@code WalkCorpus CORPUS VERSION}. Prints one line of JSON. The method is that of
 * {@code crates/mainspring-schedule/examples/walk_corpus.rs}; change both or neither.
 */
public final class WalkCorpus {
    private static final long WARM_UP_NS = 5_000_000_000L;
    private static final int ROUNDS = 21;

    private static final Pattern TEXT = Pattern.compile("\"(expr|zone)\":\"([^\"\\\\]*)\"");
    private static final Pattern START = Pattern.compile("\"start\":(-?\\d+)");
    private static final Pattern FIRES = Pattern.compile("\"fires\":\\[(-?\\d+(?:,-?\\d+)*)");

    private record Case(String text, CronExpression cron, Date start, long[] fires) {}

    public static void main(String[] args) throws Exception {
        List<Case> corpus = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            Case read = read(line);
            if (read != null) {
                corpus.add(read);
            }
        }
        long fires = corpus.stream().mapToLong(c -> c.fires.length).sum();
        long differences = corpus.stream().filter(c -> !answersAsRecorded(c)).count();
        double[] parse = time(() -> parseAll(corpus), corpus.size());
        double[] walk = time(() -> walkAll(corpus), fires);
        System.out.printf(
                Locale.ROOT,
                "{\"library\":\"quartz %s\",\"expressions\":%d,\"fires\":%d,\"differences\":%d,\"rounds\":%d,"
                        + "\"parse_median_ns\":%.0f,\"parse_min_ns\":%.0f,\"fire_median_ns\":%.0f,\"fire_min_ns\":%.0f}%n",
                args[1], corpus.size(), fires, differences, ROUNDS, parse[ROUNDS / 2], parse[0], walk[ROUNDS / 2], walk[0]);
    }

    /** The question of a line that has fires and that this version of Quartz answers alike, or null. */
    private static Case read(String line) throws ParseException {
        Matcher fires = FIRES.matcher(line);
        // Quartz 2.3.2 hangs on some of the lines marked so, and rejects or answers others differently.
        // Escapes are left out because the patterns above do not read them.
        if (line.contains("\"v2_3_2\":") || line.contains("\\") || !fires.find()) {
            return null;
        }
        Matcher start = START.matcher(line);
        Matcher text = TEXT.matcher(line);
        String expr = null;
        String zone = null;
        while (text.find()) {
            if (text.group(1).equals("expr")) {
                expr = text.group(2);
            } else {
                zone = text.group(2);
            }
        }
        if (expr == null || zone == null || !start.find()) {
            throw new IllegalArgumentException("not a line of the corpus: " + line);
        }
        CronExpression cron = new CronExpression(expr);
        cron.setTimeZone(TimeZone.getTimeZone(zone));
        long[] recorded = Arrays.stream(fires.group(1).split(",")).mapToLong(Long::parseLong).toArray();
        return new Case(expr, cron, new Date(Long.parseLong(start.group(1))), recorded);
    }

    private static boolean answersAsRecorded(Case c) {
        Date t = c.start;
        for (long recorded : c.fires) {
            t = c.cron.getTimeAfter(t);
            if (t == null || t.getTime() != recorded) {
                return false;
            }
        }
        return true;
    }

    private static long parseAll(List<Case> corpus) {
        long sum = 0;
        for (Case c : corpus) {
            try {
                sum += new CronExpression(c.text).getCronExpression().length();
            } catch (ParseException e) {
                throw new IllegalStateException("parsed before: " + c.text, e);
            }
        }
        return sum;
    }

    /** As many fires as were recorded: at most twelve, fewer where the search was cut off. */
    private static long walkAll(List<Case> corpus) {
        long sum = 0;
        for (Case c : corpus) {
            Date t = c.start;
            for (int i = 0; i < c.fires.length && t != null; i++) {
                t = c.cron.getTimeAfter(t);
                sum += t == null ? 0 : t.getTime();
            }
        }
        return sum;
    }

    /** Nanoseconds per item of each round after the warm-up, in ascending order. */
    private static double[] time(LongSupplier round, long items) {
        long expected = round.getAsLong();
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < WARM_UP_NS) {
            check(expected, round.getAsLong());
        }
        double[] ns = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            long sum = round.getAsLong();
            ns[i] = (double) (System.nanoTime() - start) / items;
            check(expected, sum);
        }
        Arrays.sort(ns);
        return ns;
    }

    /** Uses the result, so that the work cannot be optimised away. */
    private static void check(long expected, long sum) {
        if (expected != sum) {
            throw new IllegalStateException("two rounds disagree: " + expected + " and " + sum);
        }
    }
}
