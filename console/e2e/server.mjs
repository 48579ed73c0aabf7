// Starts the real program with a store of its own, and fills it.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Server {
  data = mkdtempSync(join(tmpdir(), 'mainspring-console-'));

  /** `more` are further arguments of the server. */
  constructor(...more) {
    this.more = more;
  }

  async start(listen = '127.0.0.1:0') {
    const { STORE } = process.env;
    const store = STORE ? ['--store', STORE] : [];
    const name = this.more.includes('--node-name') ? [] : ['--node-name', 'n1'];
    this.child = spawn(process.env.MAINSPRING, ['server', '--data', join(this.data, 'd'), ...store, '--listen', listen, '--grace', '1s', ...name, ...this.more], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    this.url = await new Promise((resolve, reject) => {
      const hear = (chunk) => {
        said += chunk;
        // With the base path, if there is one. The link that signs in is only for terminals: it is asked for over the API.
        const url = /console:\s+(https?:\/\/\S+)\s/.exec(said);
        if (url) resolve(url[1].replace(/\/$/, '').replace(/\/login#.*$/, ''));
      };
      this.child.stdout.on('data', hear);
      this.child.stderr.on('data', hear);
      this.child.on('exit', (code) => reject(new Error(`the program ended with ${code}:\n${said}`)));
    });
    // The first node of a cluster has made it.
    const token = join(this.data, 'd/token');
    this.token = existsSync(token) ? readFileSync(token, 'utf8').trim() : undefined;
  }

  /** Ends it without any goodbye, as a machine that loses power does. */
  async kill() {
    // A journey may have done so already.
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.on('exit', resolve));
    this.child.removeAllListeners('exit');
    const gone = new Promise((resolve) => this.child.on('exit', resolve));
    this.child.kill('SIGKILL');
    await Promise.race([ended, gone]);
  }

  async stop() {
    await this.kill();
    rmSync(this.data, { recursive: true, force: true });
  }

  async call(method, path, body) {
    const text = await this.text(path, method, body);
    return text === '' ? undefined : JSON.parse(text);
  }

  async text(path, method = 'GET', body = undefined) {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  job(name, spec) {
    return this.call('PUT', `/api/v1/namespaces/default/jobs/${name}`, { name, ...spec });
  }

  async run(job) {
    return (await this.call('POST', `/api/v1/namespaces/default/jobs/${job}/run`, {})).id;
  }

  /** Waits until something holds, and says what was waited for when it does not. */
  async until(what, check) {
    const end = Date.now() + 60_000;
    for (;;) {
      const value = await check();
      if (value) return value;
      if (Date.now() > end) throw new Error(`waited a minute for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  final(run) {
    return this.until(`the end of run ${run}`, async () => {
      const { state } = await this.call('GET', `/api/v1/runs/${run}`);
      return ['succeeded', 'failed', 'cancelled', 'skipped'].includes(state) && state;
    });
  }
}

/** Jobs with everything that pages have to bear. */
export async function fill(server) {
  await server.job('nightly-report', { schedule: '0 2 * * 1-5', timezone: 'Asia/Shanghai', run: 'echo report', labels: { team: 'billing' }, description: 'The <b>report</b> of the night & its "figures"' });
  await server.job('always-fails', { run: "echo starting\nprintf '\\033[31mError: relation \"orders\" does not exist\\033[0m\\n' >&2\nprintf 'Stack of calls:\\n  File a.py, line 1\\n  File b.py, line 2\\n  File c.py, line 3\\n'\necho '<script>alert(1)</script>'\nexit 3", labels: { team: 'etl' } });
  await server.job('big-numbers', { run: 'echo id=9007199254740993 >> "$MS_OUTPUT"', input: { html: '<img src=x onerror=alert(1)>' } });
  await server.job('monthly-close', { script: { language: 'python', source: 'import sys\n\n# Sums of the month.\nfor line in sys.stdin:\n    print(line.split(",")[2])\n', args: ['--month', '2026-11'] }, schedule: '30 6 1 * *' });
  await server.job('poll-feed', { run: 'true', keep_data: true, schedule: [{ cron: '*/30 * * * *', name: 'day' }, { cron: '0 3 * * *', name: 'night' }], paused: true });
  await server.call('PUT', '/api/v1/namespaces/default/jobs/poll-feed/data', { cursor: 9007199254740, seen: ['a', 'b'] });
  await server.job('waits', { run: 'true', queue: 'gpu' });
  await server.job('long-one', { run: 'sleep 600' });
  await server.job(`n${'a'.repeat(127)}`, { every: undefined, schedule: { every: '1h' }, noop: true });
  await server.job('resting', { schedule: '*/5 * * * *', noop: true, paused: true });
  await server.call('PUT', '/api/v1/namespaces/default/calendars/holidays', { name: 'holidays', holiday: ['2026-12-25', '2027-01-01'] });
  await server.job('etl-flow', { tasks: { extract: { run: 'echo 1' }, clean: { needs: 'extract', matrix: { part: ['a', 'b'] }, noop: true }, load: { needs: 'clean', run: 'exit 1' }, report: { needs: ['load', 'extract'], noop: true } } });
  await server.job('release-train', { tasks: { test: { noop: true }, 'go-live': { needs: 'test', approval: { prompt: 'Release the train of Monday to all regions?', from: ['ann', 'bob'], timeout: '36h' } }, announce: { needs: 'go-live', noop: true } } });
  await server.run('release-train');
  await server.call('PUT', '/api/v1/namespaces/default/flows/orders', {
    flow: 'orders',
    description: 'Orders of the shop, sorted and kept',
    components: {
      order: { generate: { payload: '3 apples', attributes: { kind: 'fruit' } }, schedule: '1 sec' },
      work: { run: 'wc -c', event: true },
      sort: { route: [{ to: 'large', if: "${{ attributes.kind == 'fruit' }}" }], event: true, end: 'unmatched' },
      store: { log: { message: 'kept' }, event: true, end: 'success' },
      broken: { run: 'exit 3', event: true, end: ['success', 'failure'] },
    },
    connections: [{ from: 'order', to: 'work' }, { from: 'work', to: 'sort' }, { from: 'work', to: 'broken', relationships: 'failure' }, { from: 'sort', to: 'store', relationships: 'large', max_items: 2 }],
  });
  await server.call('POST', '/api/v1/namespaces/default/flows/orders/components', { action: 'start', components: ['order', 'work', 'sort', 'broken'] });
  // Nothing may be sent to this machine, so that its messages are given up or wait.
  await server.call('PUT', '/api/v1/alert-channels/ops', { name: 'ops', webhook: { url: 'http://127.0.0.1:9/' } });
  await server.call('PUT', '/api/v1/alert-rules/etl', { name: 'etl', namespace: 'default', labels: { team: 'etl' }, alerts: [{ failed: true, late: '10m', channels: ['ops'] }, { failed_in_row: 3, runs_longer: '1h', channels: ['ops'], repeat: '4h' }] });
  await server.call('POST', '/api/v1/alert-silences', { namespace: 'default', job: 'resting', until: new Date(Date.now() + 7_200_000).toISOString(), reason: 'The <b>disk</b> is replaced' });
  await server.call('POST', '/api/v1/alert-channels/ops/test');
  const { token } = await server.call('POST', '/api/v1/xxl/apps', { name: 'ledger-exec', title: 'Ledger of the shop' });
  for (const address of ['http://10.1.0.7:9999/', 'http://10.1.0.8:9999/']) {
    await fetch(`${server.url}/xxl-job-admin/api/registry`, { method: 'POST', headers: { 'content-type': 'application/json', 'xxl-job-access-token': token }, body: JSON.stringify({ registryGroup: 'EXECUTOR', registryKey: 'ledger-exec', registryValue: address }) });
  }
  // A name that nobody has.
  await server.call('POST', '/api/v1/webhooks', { name: 'tickets', url: 'https://tickets.invalid/hooks/mainspring', events: ['run.failed'] });
  const flow = await server.run('etl-flow');
  const failed = await server.run('always-fails');
  const big = await server.run('big-numbers');
  await server.call('POST', '/api/v1/queues/gpu/pause', { reason: 'The cards are replaced' });
  await server.run('waits');
  const long = await server.run('long-one');
  await server.final(failed);
  await server.final(big);
  await server.final(flow);
  await server.until('the long run to start', async () => (await server.call('GET', `/api/v1/runs/${long}`)).state === 'running');
  return { failed, big, long, flow };
}
