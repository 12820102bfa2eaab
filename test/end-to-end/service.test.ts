import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createServer, Server } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { furnish, type Place } from '../kit/place.ts';
import { serve } from '../kit/serve.ts';
import { type Around, service } from '../kit/service.ts';
import { typed } from '../kit/typed.ts';
import { sendV2 } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compiled } from '../support/processes.ts';

const place = (more: object = {}): Place => furnish(temporaryFolder(), more);

/** Starts it. @param flags of `run`. */
const running = ({ config }: Place, flags: readonly string[] = [], around: Around = {}) =>
  service(['run', '--config', config, ...flags], around);

interface Line {
  readonly level: number;
  readonly code: string;
  readonly msg: string;
}
const linesOf = (err: readonly string[]): readonly Line[] => err.map((line) => JSON.parse(line));
const codesOf = (err: readonly string[]): readonly string[] => linesOf(err).map(({ code }) => code);

describe('the log', () => {
  /** What is logged by a start on a practice server: the warning `practice`, and at its end the information `ending`. */
  async function logged(log: object, flags: readonly string[] = [], interactive = false) {
    const { err, stop } = await running(place({ log }), flags, { interactive });
    await stop();
    return err;
  }

  test('is JSON without a terminal, from level and time to the sentence, and sentences at a terminal, unless a format is set', async () => {
    const [line = ''] = await logged({});
    expect(Object.keys(JSON.parse(line))).toEqual(['level', 'time', 'code', 'msg']);
    const msg = expect.stringContaining('practice server');
    expect(JSON.parse(line)).toMatchObject({ level: 40, code: 'practice', msg });
    expect((await logged({}, [], true)).join('\n')).toMatch(/ {2}rewards go to a practice server/);
    const [ofConfig] = codesOf((await logged({ format: 'json' }, [], true)).slice(0, 1));
    const [ofFlag] = codesOf((await logged({ format: 'text' }, ['--format', 'json'], true)).slice(0, 1));
    expect([ofConfig, ofFlag]).toEqual(['practice', 'practice']);
  });

  test('as text without a terminal has date, level and code, and no colours', async () => {
    const [line] = await logged({ format: 'text' });
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}warn {3}rewards go to .* \[practice\]$/);
  });

  test('has what is at least as important as its level', async () => {
    expect(codesOf(await logged({ level: 'info' }))).toContain('ending');
    expect(codesOf(await logged({ level: 'warn' }))).toEqual(['practice']);
    expect(await logged({ level: 'error' })).toEqual([]);
  });

  test('has a warning of Node.js once, and Node.js itself prints nothing', async () => {
    const before = process.listeners('warning');
    onTestFinished(() => {
      process.removeAllListeners('warning');
      for (const listener of before) process.on('warning', listener);
    });
    const { err, stop } = await running(place());
    process.emitWarning('11 abort listeners added', 'MaxListenersExceededWarning');
    await expect.poll(() => codesOf(err)).toContain('process-warning');
    expect(process.listenerCount('warning')).toBe(1);
    await stop();
    expect(codesOf(err).filter((code) => code === 'process-warning')).toHaveLength(1);
  });
});

/** How often this process has tried to listen on a port since then. */
function triesOf(port: number): () => number {
  const { listen } = Server.prototype;
  let tried = 0;
  Reflect.set(Server.prototype, 'listen', function (this: Server, ...given: Parameters<Server['listen']>) {
    if ((given as unknown as [{ port?: number }])[0].port === port) tried += 1;
    return listen.apply(this, given);
  });
  onTestFinished(() => void Reflect.set(Server.prototype, 'listen', listen));
  return () => tried;
}

test('--wait-port waits until the port is free, and says once that it waits, and by which command its holder is shown', async () => {
  const holder = createServer();
  const port = await serve(holder);
  const tried = triesOf(port);
  const clock = new FakeClock();
  const at = place({ listener: { host: '127.0.0.1', port } });
  const starting = running(at, ['--wait-port'], { clock });
  let isReady = false;
  void starting.then(() => (isReady = true));
  const passUntil = async (seen: () => boolean): Promise<void> => {
    for (; !seen(); await new Promise((resolve) => setTimeout(resolve, 2))) clock.advance(200);
  };
  await passUntil(() => tried() >= 10);
  expect(isReady).toBe(false);
  holder.close();
  await passUntil(() => isReady);
  const { ready, err } = await starting;
  expect(ready.listener.port).toBe(port);
  expect(codesOf(err).filter((code) => code.startsWith('port-'))).toEqual(['port-wait', 'port-free']);
  const { msg } = linesOf(err).find(({ code }) => code === 'port-wait') ?? expect.fail();
  expect(msg).toContain(`port ${port}`);
  if (process.platform === 'linux') expect(msg).toContain(`ss -ltnp 'sport = :${port}'`);
});

test('--wait-port does not wait for what does not pass, such as an address of another machine', async () => {
  const { ready, err } = await running(place({ listener: { host: '192.0.2.1', port: 0 } }), ['--wait-port']);
  expect([ready, err.at(-1)]).toEqual([null, expect.stringContaining('port-not-allowed')]);
});

/** A folder with a program in the place of systemd-notify, which a start finds and is asked to tell. */
function notifier(script: string): string {
  const folder = temporaryFolder({ 'systemd-notify': `#!/bin/sh\n${script}\n` });
  chmodSync(join(folder, 'systemd-notify'), 0o755);
  vi.stubEnv('PATH', `${folder}:/bin:/usr/bin`);
  vi.stubEnv('NOTIFY_SOCKET', '/run/notify');
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

test('systemd is told which process is ready', async () => {
  const folder = notifier('echo "$NOTIFY_SOCKET $@" > "$0.part"; mv "$0.part" "$0.told"');
  const { err } = await running(place());
  const told = join(folder, 'systemd-notify.told');
  await expect.poll(() => existsSync(told)).toBe(true);
  expect(readFileSync(told, 'utf8')).toBe(`/run/notify --ready --pid=${process.pid}\n`);
  expect(codesOf(err)).not.toContain('notify-failed');
});

test('systemd that cannot be told is logged, and Teller runs on', async () => {
  notifier('exit 3');
  const { ready, err } = await running(place());
  await expect.poll(() => codesOf(err)).toContain('notify-failed');
  expect(err.join('\n')).toContain('"exit":3');
  expect(ready).toMatchObject({ msg: 'ready' });
});

test('systemd is told nothing where it does not ask', async () => {
  const folder = notifier('touch "$0.told"');
  vi.stubEnv('NOTIFY_SOCKET', undefined);
  await running(place());
  expect(existsSync(join(folder, 'systemd-notify.told'))).toBe(false);
});

test.runIf(process.platform === 'linux').each([
  ['a machine that sleeps for half an hour is believed', true, 'delivered'],
  ['a clock that is set half an hour ahead is not', false, 'held'],
])('%s: a vote after that is %s', async (_, isSleep, state) => {
  const at = place();
  const { ready } = await running(at);
  const [{ now }, { uptime }] = [Date, os];
  const set = (wall: typeof now, up: typeof uptime): void => {
    Date.now = wall;
    Reflect.set(os, 'uptime', up);
    syncBuiltinESMExports();
  };
  onTestFinished(() => set(now, uptime));
  const states = async () =>
    (await typed(['grants', '--json'], at.config)).json.map((grant: { state: string }) => grant.state);
  expect(await sendV2(ready.listener.port, { player: 'Steve' })).toBe('ok');
  await expect.poll(states).toEqual(['delivered']);
  set(
    () => now() + 1_800_000,
    () => uptime() + (isSleep ? 1_800 : 0),
  );
  expect(await sendV2(ready.listener.port, { player: 'Alex', at: now() })).toBe('ok');
  await expect.poll(states).toEqual([state, 'delivered']);
});

test.skipIf(process.platform !== 'linux')(
  'a process that npm runs does not take its parent for ended while no more files can be opened',
  async () => {
    const script = compiled(join(import.meta.dirname, '../support/full-files.ts'));
    const limited = ['-c', 'ulimit -n 128; exec "$0" "$1"', process.execPath, script];
    const { stdout } = await promisify(execFile)('sh', limited);
    expect(JSON.parse(stdout)).toEqual({ files: true, reason: 'none' });
  },
);

describe('a service', () => {
  /** More than what fits into a pipe and may wait. */
  const TOO_MANY = 20_000;

  /** One that has logged this many lines, which nothing has read. */
  async function chattyService(lines: number, err: number | 'pipe' = 'pipe'): Promise<ChildProcess> {
    const script = compiled(join(import.meta.dirname, '../support/chatty-service.ts'));
    const child = spawn(process.execPath, [script, String(lines)], { stdio: ['ignore', 'pipe', err] });
    onTestFinished(() => void child.kill('SIGKILL'));
    if (child.stdout === null) throw new Error('no standard output');
    await once(createInterface({ input: child.stdout }), 'line');
    return child;
  }

  /** Stops it. @returns its exit code. */
  async function stop(child: ChildProcess): Promise<number | null> {
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    return code;
  }

  type Entry = { readonly code: string; readonly lines?: number };
  const entriesIn = (log: string): Entry[] =>
    log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);

  test('whose log is read again reports exactly how many lines were lost, and stops with its exit code', async () => {
    const child = await chattyService(TOO_MANY);
    let bytes = 0;
    child.stderr?.on('data', (chunk: Buffer) => (bytes += chunk.length));
    const log = text(child.stderr ?? expect.fail());
    // Until then, there may be no room for the service's last line.
    await expect.poll(() => bytes).toBeGreaterThan(1_000_000);
    expect(await stop(child)).toBe(1);
    const entries = entriesIn(await log);
    const shown = entries.filter(({ code }) => code === 'chatty').length;
    const reports = entries.filter(({ code }) => code === 'log-lines-lost');
    expect(reports).toHaveLength(1);
    expect(shown + (reports[0]?.lines ?? 0)).toBe(TOO_MANY);
    expect(entries.slice(-2).map(({ code }) => code)).toEqual(['log-lines-lost', 'last']);
  });

  test('logs every line to a file, the last one included, and goes on while the disk of its log is full', async () => {
    const file = join(temporaryFolder(), 'teller.log');
    for (const name of existsSync('/dev/full') ? [file, '/dev/full'] : [file]) {
      const opened = openSync(name, 'a');
      onTestFinished(() => closeSync(opened));
      expect(await stop(await chattyService(100, opened))).toBe(1);
    }
    const codes = entriesIn(readFileSync(file, 'utf8')).map(({ code }) => code);
    expect(codes).toEqual([...Array(100).fill('chatty'), 'last']);
  });
});
