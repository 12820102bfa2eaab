import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';

const TOKEN = 'a-token-for-one-vote-that-is-measured';
const PASSWORD = 'measured';
const CONFIG = {
  listener: { host: '127.0.0.1', port: 0 },
  console: { port: 0 },
  sites: { default: { token: TOKEN } },
  rewards: [{ name: 'daily', when: 'online', commands: ['give {player} diamond 1'] }],
};

/** What runs between the arrival of a version 2 vote and the outcome of the RCON command that it earns, on all threads. */
export interface Passed {
  /** From the root of the repository, in the order of the alphabet. */
  readonly files: readonly string[];
  readonly functions: number;
}

/** Runs the source with V8's count of calls, which is set back when Teller has listened for a while. */
export async function passedBy(root: string): Promise<Passed> {
  const folder = mkdtempSync(join(tmpdir(), 'teller-vote-'));
  const children: ChildProcess[] = [];
  const teller = (before: readonly string[], ...words: string[]): ChildProcess => {
    const args = [...before, '--import', 'tsx', join(root, 'src/commands/cli.ts'), ...words];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    return child;
  };
  try {
    const game = await ready(teller([], 'practice', '--password', PASSWORD), /"port":(\d+)/);
    const config = join(folder, 'config.json');
    const gameServers = {
      main: { kind: 'rcon', host: '127.0.0.1', port: Number(game), password: PASSWORD, joinDelay: '0s' },
    };
    writeFileSync(config, JSON.stringify({ ...CONFIG, gameServers, ledger: join(folder, 'teller.db') }), {
      mode: 0o600,
    });
    const running = teller(['--inspect=127.0.0.1:0'], 'run', '--config', config, '--format', 'json');
    const [inspector, port] = await Promise.all([
      ready(running, /(ws:\/\/\S+)/),
      ready(running, /"msg":"ready".*?"port":(\d+)/),
    ]);
    const coverage = await Coverage.start(inspector);
    await wait(3_000); // what it does after its start is not part of the vote
    await coverage.take();
    const sent = teller([], 'send', '--port', port, '--token', TOKEN, '--player', 'Steve');
    await once(sent, 'close');
    await wait(1_500);
    const passed = await coverage.take();
    coverage.close();
    return passedIn(passed, root);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a child prints that matches. Rejects after 30 s. */
function ready(child: ChildProcess, wanted: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const timer = setTimeout(() => reject(new Error(`not ready after 30 s:\n${printed}`)), 30_000);
    const read = (text: Buffer): void => {
      printed += text;
      const found = wanted.exec(printed)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', () => reject(new Error(`ended before it was ready:\n${printed}`)));
  });
}

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number; readonly startOffset: number }[];
  }[];
}

/** The inspector of a process: https://chromedevtools.github.io/devtools-protocol/v8/Profiler, and Node's NodeWorker for its threads. */
class Coverage {
  private nextId = 1;
  private readonly answers = new Map<string, (result: { result?: Script[] }) => void>();
  private readonly threads: (string | null)[] = [null];

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data) => this.read(JSON.parse(String(data)), null));
  }

  static async start(url: string): Promise<Coverage> {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    const coverage = new Coverage(socket);
    await coverage.call('NodeWorker.enable', { waitForDebuggerOnStart: false }, null);
    for (const thread of coverage.threads) {
      await coverage.call('Profiler.enable', {}, thread);
      await coverage.call('Profiler.startPreciseCoverage', { callCount: true, detailed: false }, thread);
    }
    return coverage;
  }

  /** The calls since the start, or since this was last called. */
  async take(): Promise<Script[]> {
    const scripts: Script[] = [];
    for (const thread of this.threads)
      scripts.push(...((await this.call('Profiler.takePreciseCoverage', {}, thread)).result ?? []));
    return scripts;
  }

  close(): void {
    this.socket.close();
  }

  private read(message: Message, thread: string | null): void {
    const { method, params, id, result } = message;
    if (method === 'NodeWorker.attachedToWorker' && params?.sessionId) this.threads.push(params.sessionId);
    if (method === 'NodeWorker.receivedMessageFromWorker' && params?.message)
      this.read(JSON.parse(params.message), params.sessionId ?? null);
    if (id !== undefined) this.answers.get(`${thread} ${id}`)?.(result ?? {});
  }

  private call(method: string, params: object, thread: string | null): Promise<{ result?: Script[] }> {
    const id = this.nextId++;
    const message = JSON.stringify({ id, method, params });
    if (thread === null) this.socket.send(message);
    else void this.call('NodeWorker.sendMessageToWorker', { sessionId: thread, message }, null);
    return new Promise((resolve) => this.answers.set(`${thread} ${id}`, resolve));
  }
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly message?: string };
  readonly result?: { readonly result?: Script[] };
}

function passedIn(scripts: readonly Script[], root: string): Passed {
  const files = new Set<string>();
  const functions = new Set<string>();
  for (const script of scripts) {
    const [, path] = /^file:\/\/(.*\/(?:src|protocol)\/.*\.ts)/.exec(script.url) ?? [];
    if (path === undefined || path.includes('node_modules')) continue;
    for (const { functionName, ranges } of script.functions) {
      const [whole] = ranges;
      if (whole === undefined || whole.count === 0 || whole.startOffset === 0) continue;
      files.add(path.slice(root.length + 1));
      functions.add(`${path} ${functionName} ${whole.startOffset}`);
    }
  }
  return { files: [...files].toSorted(), functions: functions.size };
}
