import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { compile } from '../support/compile.ts';

const ROOT = join(import.meta.dirname, '../..');
export const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
export const TOKEN = 'bench-token-of-thirty-two-characters';

/** Makes a process report its CPU time and memory on request, without keeping it alive. */
const USAGE_REPORTER = `data:text/javascript,${encodeURIComponent(`
  process.on('message', () => process.send({ ...process.cpuUsage(), rss: process.memoryUsage.rss() }));
  process.channel.unref();
`)}`;

export interface Usage {
  /** Seconds of CPU since the start, user and system. */
  readonly cpu: number;
  readonly rssMiB: number;
}

/** A server in its own process. */
export interface Server {
  readonly port: number;
  /** From spawn to the ready line. */
  readonly startMs: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Kills the child when the benchmark exits. */
export function killAtExit(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
}

/** Creates a folder outside the repository, which is removed when the process exits. */
export function workFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'teller-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Compiles Teller into this folder, as it is installed, and returns its CLI file. */
export const install = (folder: string): string => join(compile(join(folder, 'installed')), 'src/cli.js');

/** How many players a filled ledger has: each voted ten times. */
export const playersOf = (votes: number): number => Math.max(1, Math.floor(votes / 10));

export const CLONE = join(ROOT, 'src/cli.ts');

/** A folder with a config; the first start creates the keys. */
export function configIn(
  folder: string,
  name: string,
  overrides: object = {},
): { config: string; ledger: string } {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  const config = join(home, 'config.json');
  const base = {
    listener: { host: '127.0.0.1', port: 0 },
    sites: { default: { token: TOKEN }, Bench: {} },
    rewards: [],
  };
  writeFileSync(config, JSON.stringify({ ...base, ...overrides }));
  return { config, ledger: join(home, 'data/teller.db') };
}

export const startTeller = (cli: string, config: string, flags: readonly string[] = []): Promise<Server> =>
  start([...flags, cli, 'run', '--config', config]);

export const startBare = (): Promise<Server> => start([join(import.meta.dirname, 'bare-server.ts')]);

async function start(args: readonly string[]): Promise<Server> {
  const loader = args.some((arg) => arg.endsWith('.ts')) ? ['--import', TSX] : [];
  const spawned = performance.now();
  const child = spawn(process.execPath, [...loader, '--import', USAGE_REPORTER, ...args], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    cwd: tmpdir(),
  });
  const exited = once(child, 'exit');
  killAtExit(child);
  const port = await readyPort(child);
  return {
    port,
    startMs: performance.now() - spawned,
    usage: () => usageOf(child),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function readyPort(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{"msg":"ready"')) return JSON.parse(line).listener.port;
  }
  throw new Error('the server ended before it was ready');
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  const answer = once(child, 'message');
  child.send('usage');
  const [{ user, system, rss }] = await answer;
  return { cpu: (user + system) / 1e6, rssMiB: rss / 2 ** 20 };
}
