#!/usr/bin/env python3
"""A complete worker for mainspring, with nothing but Python's standard library (Unix).

    (umask 077; mainspring worker token create python > token)
    MAINSPRING_SERVER=http://127.0.0.1:7070 MAINSPRING_TOKEN_FILE=token QUEUES=default SLOTS=4 python3 worker.py

The protocol is in docs/reference/worker-protocol.md. What it leaves out: HTTP tasks, and a journal on disk.
"""
import copy, datetime, json, os, queue, signal, subprocess, tempfile, threading, time, urllib.error, urllib.request

HANDLERS = {"greet": lambda run, log: log("hello, " + run["input"].get("who", "nobody")) or {"greeted": True},
            # What a handler makes of run["data"] is what a job with keep_data gives to its next run.
            "count": lambda run, log: run["data"].update(seen=run["data"].get("seen", 0) + 1)}
SERVER = os.environ.get("MAINSPRING_SERVER", "http://127.0.0.1:7070").rstrip("/") + "/api/v1/workers"
TOKEN = open(os.environ.get("MAINSPRING_TOKEN_FILE", "token")).read().strip()
SPEC = {"name": os.environ.get("NAME", "python"), "slots": int(os.environ.get("SLOTS", "4")),
        "queues": os.environ.get("QUEUES", "default").split(",")}
lock = threading.RLock()
me = {}         # id, hold_ms and give_up_ms, as the server said; `heard`: when a request was sent that was answered
held = {}       # (run, attempt) -> Task, until its end is recorded
outbox = queue.Queue(1000)  # (id of the worker, "logs" or "ends", what); whoever prints waits while it is full
stopping = threading.Event()


class Refused(Exception):
    """The server says no; the text is the code of the error."""


def send(method, path, body=None, timeout=5.0):
    headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}
    sent = time.monotonic()
    try:
        request = urllib.request.Request(SERVER + path, json.dumps(body).encode() if body else None, headers, method=method)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        if error.code >= 500 or error.code == 401:  # trying again may help
            raise OSError(f"{error.code} from {path}") from error
        raise Refused(json.loads(error.read())["code"]) from error
    me["heard"] = sent
    return json.loads(text) if text else None


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def work():
    """Asks what there is to do, again and again."""
    number, wait = 0, 0
    while not (stopping.is_set() and not held):
        try:
            if "id" not in me:
                me.update(send("POST", "", SPEC))
                print("joined as", me["id"], flush=True)
            with lock:
                free = 0 if stopping.is_set() else SPEC["slots"] - sum(not task.over for task in list(held.values()))
                names = [{"run": run, "attempt": attempt} for run, attempt in list(held)]
            number, asked = number + 1, time.monotonic()
            until_lost = me["heard"] + me["give_up_ms"] / 1000 - asked
            poll = {"number": number, "free": max(free, 0), "runs": names, "wait_ms": wait if free > 0 else min(wait, 200)}
            orders = send("POST", f"/{me['id']}/poll", poll, timeout=max(0.5, min(me["hold_ms"] / 1000 + 4, until_lost)))
            wait = me["hold_ms"]
            for run in orders["runs"] if time.monotonic() - asked < me["give_up_ms"] / 1000 else []:
                with lock:  # one that was given before is given again when an answer got lost
                    if (run["run"], run["attempt"]) not in held:
                        held[run["run"], run["attempt"]] = task = Task(run)
                        threading.Thread(target=task.execute, daemon=True).start()
            end("cancelled", lambda task: task.run["run"] in orders["cancel"])
            time.sleep(0.05)
        except OSError as error:
            print("no answer:", error, flush=True)
            wait = 0
            if "id" in me and time.monotonic() - me["heard"] >= me["give_up_ms"] / 1000:
                end("lost", lambda task: task.run["shared"])  # others may be given these now
            time.sleep(0.5)
        except Refused as error:
            if str(error) != "worker.not_found":
                raise
            end("lost", lambda task: True)  # it was taken for dead: nothing of what it does counts
            held.clear()
            me.pop("id")
            number = 0
    send("DELETE", f"/{me['id']}")


def end(why, chosen):
    for task in [task for task in list(held.values()) if chosen(task)]:
        task.end(why)


def report():
    """Sends logs and ends in their order, and repeats them until they are recorded."""
    while True:
        items = [outbox.get()]
        while len(items) < 50 and not outbox.empty():
            items.append(outbox.get())
        while mine := [item for item in items if item[0] == me.get("id")]:
            body = {kind: [what for _, of, what in mine if of == kind] for kind in ("logs", "ends")}
            try:
                send("POST", f"/{me['id']}/report", {"now": now(), **body})
            except OSError:
                time.sleep(0.5)
                continue
            except Refused as error:
                print("a report was refused:", error, flush=True)
            for what in body["ends"]:
                held.pop((what["run"], what["attempt"]), None)
            break


class Task:
    def __init__(self, run):
        self.run, self.worker, self.name = run, me["id"], {"run": run["run"], "attempt": run["attempt"]}
        self.why, self.process, self.line, self.over = None, None, 0, False
        self.given = copy.deepcopy(run.get("data"))  # absent where the job keeps nothing

    def log(self, text):
        for piece in [text[at:at + 4000] for at in range(0, len(text), 4000)] or [""]:  # 16 KiB a line, whatever the letters
            line = {"at": now(), "stream": "stdout", "text": piece, "partial": len(piece) == 4000}
            outbox.put((self.worker, "logs", {**self.name, "first_line": self.line, "lines": [line]}))
            self.line += 1

    def execute(self):
        started, timeout = now(), self.run.get("timeout_ms")
        timer = threading.Timer(timeout / 1000 if timeout else 1e6, self.end, ["timed_out"])
        timer.daemon = True
        timer.start()
        try:
            done = self.perform(self.run["task"])
        except Exception as error:
            done = {"outcome": "failed", "error_code": "handler.failed", "error": str(error)}
        timer.cancel()
        done = {**done, "outcome": self.why or done["outcome"], "started_at": started, "ended_at": now()}
        self.over = True
        outbox.put((self.worker, "ends", {**self.name, **done}))

    def perform(self, task):
        if task["kind"] == "handler" and task["name"] in HANDLERS:
            output = HANDLERS[task["name"]](self.run, self.log)
            return {"outcome": "succeeded", "output": output, **self.left(self.run.get("data"))}
        if task["kind"] not in ("run", "exec"):
            return {"outcome": "failed", "error_code": "task.not_enabled", "error": f"this worker has no {task}"}
        with tempfile.TemporaryDirectory() as folder:
            return self.process_task(task, os.path.join(folder, "data"))

    def left(self, data):
        return {"data": data} if self.given is not None and data != self.given else {}

    def process_task(self, task, data):
        argv = task["argv"] if task["kind"] == "exec" else [task.get("shell") or "sh", "-c", task["script"]]
        inputs = self.run["input"].items() if isinstance(self.run["input"], dict) else ()
        text = lambda value: value if isinstance(value, str) else json.dumps(value)
        env = {**os.environ, **self.run.get("env", {}), "MS_RUN_ID": self.run["run"], "MS_ATTEMPT": str(self.run["attempt"]),
               "MS_JOB": f"{self.run['namespace']}/{self.run['job']}", "MS_FIRE_TIME": self.run["fire_at"],
               **{"MS_PARAM_" + name.upper().replace("-", "_"): text(value) for name, value in inputs}}
        if self.given is not None:
            env["MS_DATA"] = data
            with open(data, "w") as file:
                json.dump(self.given, file)
        with lock:  # in a session of its own, so that it can be ended as a whole
            self.process = self.process or subprocess.Popen(
                argv if not self.why else ["false"], env=env, cwd=self.run.get("working_dir"), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        for line in self.process.stdout:
            self.log(line.decode("utf-8", "replace").rstrip("\r\n"))
        code = self.process.wait()
        how = {"exit_code": code} if code >= 0 else {"signal": -code}
        if code:
            return {"outcome": "failed", "error_code": "process.exit", **how}
        with open(data) if self.given is not None else open(os.devnull) as file:
            left = json.loads(file.read() or "null")
        return {"outcome": "succeeded", **how, **self.left(left)}

    def end(self, why):
        """Tells it to end: a process has until KILL follows TERM; a handler would have to look at `why` itself."""
        with lock:
            if self.why or self.over:
                return
            self.why = why
            if self.process:
                self.kill(signal.SIGTERM)
                timer = threading.Timer(2 if why == "lost" else 5, self.kill, [signal.SIGKILL])
                timer.daemon = True
                timer.start()

    def kill(self, number):
        if not self.over:
            os.killpg(self.process.pid, number)


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    threading.Thread(target=report, daemon=True).start()
    work()
