import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.quartz.Job;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.impl.StdSchedulerFactory;

/**
 * The load of `mainspring bench fires` for Quartz's clustered JDBC store: jobs that do nothing, each with one simple trigger, all
 * due at once or spread so that a given number is due each second. The parent fills the tables and counts from them; the nodes are
 * processes of their own, asked over their standard input.
 */
public final class Fires {
    private static final String NAME = "bench";
    private static final long HOUR_MS = 3_600_000;
    /** Lateness beyond this is counted as this. */
    private static final int LATEST_MS = 600_000;

    private static final AtomicLong EXECUTED = new AtomicLong();
    private static final AtomicInteger[] LATENESS = new AtomicInteger[LATEST_MS + 1];

    /** Does nothing but note how late it is. */
    public static final class Noop implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            long late = System.currentTimeMillis() - context.getScheduledFireTime().getTime();
            LATENESS[(int) Math.max(0, Math.min(LATEST_MS, late))].incrementAndGet();
            EXECUTED.incrementAndGet();
        }
    }

    private record Plan(String url, int nodes, int triggers, int rate, int seconds, int threads, int batch) {
        static Plan parse(String[] arguments) {
            Map<String, String> given = new HashMap<>();
            for (int i = 0; i + 1 < arguments.length; i += 2) {
                given.put(arguments[i], arguments[i + 1]);
            }
            List<String> known = List.of("--url", "--nodes", "--triggers", "--rate", "--seconds", "--threads", "--batch");
            if (arguments.length % 2 != 0 || !known.containsAll(given.keySet()) || !given.containsKey("--url")) {
                System.err.println("usage: Fires --url jdbc:postgresql://… [--nodes N] [--triggers N] [--rate R, 0 drains]"
                        + " [--seconds S] [--threads T] [--batch B]");
                System.exit(2);
            }
            return new Plan(given.get("--url"), number(given, "--nodes", 1), number(given, "--triggers", 100_000),
                    number(given, "--rate", 0), number(given, "--seconds", 30), number(given, "--threads", 10),
                    number(given, "--batch", 1));
        }

        private static int number(Map<String, String> given, String name, int usual) {
            return given.containsKey(name) ? Integer.parseInt(given.get(name)) : usual;
        }

        long intervalMs() {
            return rate == 0 ? HOUR_MS : Math.max(1, triggers * 1_000L / rate);
        }

        /** The first instant of a trigger after the beginning, as SQL over its number. */
        String phase() {
            return rate == 0 ? "0" : intervalMs() + " * number / " + triggers;
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0 && arguments[0].equals("node")) {
            serve(Plan.parse(List.of(arguments).subList(1, arguments.length).toArray(new String[0])));
        } else {
            measure(Plan.parse(arguments), arguments);
        }
    }

    // The parent.

    private static void measure(Plan plan, String[] arguments) throws Exception {
        try (Connection database = DriverManager.getConnection(plan.url)) {
            refuseTables(database);
            makeTables(database);
            List<Node> nodes = new ArrayList<>();
            for (int i = 0; i < plan.nodes; i++) {
                nodes.add(Node.start(arguments));
            }
            for (Node node : nodes) {
                node.ask("executed");
            }
            // The first filling tells how long the second takes, whose instants hold.
            long filled = System.currentTimeMillis();
            fill(database, plan, 0);
            long begin = System.currentTimeMillis() + 2 * (System.currentTimeMillis() - filled) + 5_000;
            fill(database, plan, begin);
            for (Node node : nodes) {
                node.ask("start");
            }
            if (System.currentTimeMillis() > begin) {
                throw new IllegalStateException("the load began before all was in place");
            }
            Thread.sleep(begin - System.currentTimeMillis());
            long limit = begin + plan.seconds * 1_000L;
            while (System.currentTimeMillis() < limit && !(plan.rate == 0 && sum(nodes, "executed") >= plan.triggers)) {
                Thread.sleep(20);
            }
            for (Node node : nodes) {
                node.ask("rest");
            }
            double seconds = (System.currentTimeMillis() - begin) / 1_000.0;
            double cpu = sum(nodes, "cpu");
            double rss = sum(nodes, "rss");
            TreeMap<Integer, Long> lateness = new TreeMap<>();
            long executed = (long) sum(nodes, "executed");
            for (Node node : nodes) {
                for (String pair : node.ask("lateness").split(" ")) {
                    if (!pair.isEmpty()) {
                        String[] parts = pair.split(":");
                        lateness.merge(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Long::sum);
                    }
                }
                node.process.destroy();
            }
            print(database, plan, new Measured(executed, seconds, cpu, rss, lateness));
        }
    }

    private record Measured(long executed, double seconds, double cpu, double rss, TreeMap<Integer, Long> lateness) {
        int point(long permille) {
            long at = Math.min(executed * permille / 1_000, executed - 1);
            for (Map.Entry<Integer, Long> entry : lateness.entrySet()) {
                at -= entry.getValue();
                if (at < 0) {
                    return entry.getKey();
                }
            }
            return 0;
        }
    }

    private static void print(Connection database, Plan plan, Measured measured) throws SQLException {
        // Each fire is recorded in the row of its trigger; what was recorded and never entered is lost.
        long recorded = count(database, "SELECT coalesce(sum(times_triggered), 0) FROM qrtz_simple_triggers");
        String most = plan.rate == 0 ? "1" : Long.toString((long) (measured.seconds * 1_000 / plan.intervalMs()) + 1);
        long twice = count(database, "SELECT coalesce(sum(greatest(0, times_triggered - " + most + ")), 0) FROM qrtz_simple_triggers");
        System.out.printf(Locale.ROOT,
                "{\"store\":\"quartz %s on postgres %s\",\"nodes\":%d,\"threads\":%d,\"batch\":%d,\"fires\":%d,\"seconds\":%.3f,"
                        + "\"fires_per_second\":%.1f,\"lateness_ms\":{\"p50\":%d,\"p99\":%d,\"p999\":%d,\"max\":%d},"
                        + "\"lost\":%d,\"duplicates\":%d,\"cpu_seconds\":%.2f,\"rss_mb\":%.1f,\"settings\":\"%s\"}%n",
                version(), database.getMetaData().getDatabaseProductVersion().split(" ")[0], plan.nodes, plan.threads,
                plan.batch, measured.executed, measured.seconds, measured.executed / measured.seconds, measured.point(500),
                measured.point(990), measured.point(999), measured.point(1_000), Math.max(0, recorded - measured.executed), twice,
                measured.cpu, measured.rss,
                "JobStoreTX, clustered, HikariCP of " + pool(plan) + ", acquireTriggersWithinLock " + (plan.batch > 1)
                        + ", synchronous commit and fsync as the server has them");
    }

    private static long count(Connection database, String sql) throws SQLException {
        try (Statement statement = database.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static double sum(List<Node> nodes, String question) throws IOException {
        double sum = 0;
        for (Node node : nodes) {
            sum += Double.parseDouble(node.ask(question));
        }
        return sum;
    }

    /** A benchmark fills the tables: never somebody's own. */
    private static void refuseTables(Connection database) throws SQLException {
        if (count(database, "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'qrtz_%' AND schemaname = current_schema()") > 0) {
            System.err.println("error: the database has Quartz's tables already; name an empty one");
            System.exit(4);
        }
    }

    /** Quartz's own definitions, which its jar carries. */
    private static void makeTables(Connection database) throws Exception {
        String path = "org/quartz/impl/jdbcjobstore/tables_postgres.sql";
        try (var stream = Fires.class.getClassLoader().getResourceAsStream(path); Statement statement = database.createStatement()) {
            if (stream == null) {
                throw new IllegalStateException("Quartz's jar does not hold " + path);
            }
            for (String line : new String(stream.readAllBytes(), StandardCharsets.UTF_8).replaceAll("(?m)^\\s*--.*$", "").split(";")) {
                if (!line.isBlank() && !line.toLowerCase(Locale.ROOT).contains("drop table") && !line.strip().equalsIgnoreCase("commit")) {
                    statement.execute(line);
                }
            }
        }
    }

    /** One job a trigger, so that no two fires share a row. */
    private static void fill(Connection database, Plan plan, long begin) throws SQLException {
        String[] statements = {
            "INSERT INTO qrtz_job_details (sched_name, job_name, job_group, job_class_name, is_durable, is_nonconcurrent,"
                    + " is_update_data, requests_recovery, job_data)"
                    + " SELECT ?, 'job-' || number, 'bench', 'Fires$Noop', true, false, false, false, ''::bytea",
            "INSERT INTO qrtz_triggers (sched_name, trigger_name, trigger_group, job_name, job_group, next_fire_time, prev_fire_time,"
                    + " priority, trigger_state, trigger_type, start_time, end_time, misfire_instr, job_data)"
                    + " SELECT ?, 't-' || number, 'bench', 'job-' || number, 'bench', first, -1, 5, 'WAITING', 'SIMPLE', first, 0, 0,"
                    + " ''::bytea",
            "INSERT INTO qrtz_simple_triggers (sched_name, trigger_name, trigger_group, repeat_count, repeat_interval, times_triggered)"
                    + " SELECT ?, 't-' || number, 'bench', -1, " + plan.intervalMs() + ", 0",
        };
        String numbers = " FROM (SELECT number, " + begin + " + " + plan.phase() + " AS first"
                + " FROM generate_series(0::bigint, " + (plan.triggers - 1) + ") AS number) AS triggers";
        try (Statement empty = database.createStatement()) {
            empty.execute("TRUNCATE qrtz_simple_triggers, qrtz_triggers, qrtz_job_details CASCADE");
        }
        for (String sql : statements) {
            try (PreparedStatement insert = database.prepareStatement(sql + numbers); Statement analyze = database.createStatement()) {
                insert.setString(1, NAME);
                insert.execute();
                // Without statistics, each row's foreign key would be looked up by reading the whole table.
                analyze.execute("ANALYZE");
            }
        }
    }

    private record Node(Process process, BufferedReader answers, PrintStream questions) {
        static Node start(String[] arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-cp",
                    System.getProperty("java.class.path"), "Fires", "node"));
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            return new Node(process, process.inputReader(), new PrintStream(process.getOutputStream(), true));
        }

        String ask(String question) throws IOException {
            questions.println(question);
            String answer = answers.readLine();
            if (answer == null) {
                throw new IOException("a node has ended");
            }
            return answer;
        }
    }

    // A node.

    private static void serve(Plan plan) throws Exception {
        for (int i = 0; i < LATENESS.length; i++) {
            LATENESS[i] = new AtomicInteger();
        }
        Scheduler scheduler = new StdSchedulerFactory(settings(plan)).getScheduler();
        PrintStream out = System.out;
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        for (String question = questions.readLine(); question != null; question = questions.readLine()) {
            switch (question) {
                case "start" -> {
                    scheduler.start();
                    out.println("started");
                }
                case "executed" -> out.println(EXECUTED.get());
                case "cpu" -> out.println(cpuSeconds());
                case "rss" -> out.println(rssMb());
                case "rest" -> {
                    scheduler.shutdown(true);
                    out.println("rested");
                }
                default -> out.println(lateness());
            }
        }
        System.exit(0);
    }

    private static int pool(Plan plan) {
        return plan.threads + 5;
    }

    private static Properties settings(Plan plan) {
        Properties settings = new Properties();
        String store = "org.quartz.jobStore.";
        String source = "org.quartz.dataSource.bench.";
        settings.put("org.quartz.scheduler.instanceName", NAME);
        settings.put("org.quartz.scheduler.instanceId", "AUTO");
        settings.put("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.put("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(plan.batch));
        settings.put("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
        settings.put("org.quartz.threadPool.threadCount", Integer.toString(plan.threads));
        settings.put(store + "class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        settings.put(store + "driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
        settings.put(store + "dataSource", "bench");
        settings.put(store + "isClustered", "true");
        settings.put(store + "acquireTriggersWithinLock", Boolean.toString(plan.batch > 1));
        // A drain that takes longer than a minute is to stay a drain.
        settings.put(store + "misfireThreshold", Long.toString(HOUR_MS));
        settings.put(source + "provider", "hikaricp");
        settings.put(source + "driver", "org.postgresql.Driver");
        settings.put(source + "URL", plan.url);
        settings.put(source + "user", user(plan.url));
        settings.put(source + "password", "");
        settings.put(source + "maxConnections", Integer.toString(pool(plan)));
        return settings;
    }

    private static String user(String url) {
        for (String part : url.substring(url.indexOf('?') + 1).split("&")) {
            if (part.startsWith("user=")) {
                return part.substring("user=".length());
            }
        }
        return System.getProperty("user.name");
    }

    private static String lateness() {
        StringBuilder line = new StringBuilder();
        for (int ms = 0; ms < LATENESS.length; ms++) {
            int count = LATENESS[ms].get();
            if (count > 0) {
                line.append(ms).append(':').append(count).append(' ');
            }
        }
        return line.toString();
    }

    private static double cpuSeconds() {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() / 1e9;
    }

    private static double rssMb() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) / 1_024.0;
            }
        }
        return 0;
    }

    private static String version() {
        return System.getProperty("quartz.version", "unknown");
    }
}
