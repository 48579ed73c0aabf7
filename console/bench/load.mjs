// Clients that do what a browser with the console does, without drawing anything.
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The value below which a share of the values lies: the nearest rank. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]);
}

/** One that reads the event stream, and may have the dashboard open. */
export class Watcher {
  end = new AbortController();

  static async listen(server, topics) {
    const watcher = new Watcher();
    watcher.server = server;
    const headers = { authorization: `Bearer ${server.token}`, accept: 'text/event-stream' };
    const response = await fetch(`${server.url}/api/v1/stream?topics=${topics}`, { headers, signal: watcher.end.signal });
    if (!response.ok) throw new Error(`the stream answered ${response.status}`);
    watcher.read(response.body.getReader());
    return watcher;
  }

  async read(reader) {
    try {
      while (!(await reader.read()).done);
    } catch {
      // Stopped.
    }
  }

  /** Fetches what the dashboard and the list of jobs show, as often as they do; notes how long each took, in milliseconds. */
  dashboard(answers) {
    this.repeat('/api/v1/dashboard?range=24h&namespace=default', 5000, answers);
    this.repeat('/api/v1/namespaces/default/jobs?q=state:failing&recent=14&limit=100', 5000, answers);
    this.repeat('/api/v1/namespaces/default/runs?limit=100', 2000, answers);
  }

  async repeat(path, every, answers) {
    // Browsers do not begin together.
    await wait(Math.random() * every);
    while (!this.end.signal.aborted) {
      const begun = performance.now();
      try {
        await this.server.call('GET', path);
        answers.push(performance.now() - begun);
      } catch (error) {
        if (!this.end.signal.aborted) throw error;
      }
      await wait(every);
    }
  }

  stop() {
    this.end.abort();
  }
}
