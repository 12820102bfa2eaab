import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { configFolder } from '../support/config-folder.ts';
import { CLI, compiled, startTeller, type TellerReady, teller } from '../support/processes.ts';

const VOTES = 200;

const CTRL_S = '\u0013';
const CTRL_Q = '\u0011';

const noPipe = spawnSync('mkfifo', ['--version']).error === undefined ? null : ' (SKIPPED: no mkfifo)';
const noTerminal =
  spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
    ? null
    : ' (SKIPPED: this machine has no script(1) that runs a command in a terminal)';

/** Sends votes of players P1, P2, …; all of them have to be answered ok. */
async function votesAreAnswered(folder: string, port: number): Promise<void> {
  const words = ['--config', 'config.json', '--port', String(port), '--count', String(VOTES)];
  const sent = await teller(['send', '--player', 'P{n}', ...words], folder);
  expect(sent).toMatchObject({ code: 0, err: '' });
}

/** A named pipe that is full. */
function fullPipe(file: string): void {
  expect(spawnSync('mkfifo', [file]).status).toBe(0);
  const pipe = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(pipe));
  const page = Buffer.alloc(4096);
  try {
    for (;;) writeSync(pipe, page);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
}

test.skipIf(noPipe !== null)(
  `while its log is a full pipe, Teller answers every vote and stops when asked${noPipe ?? ''}`,
  async () => {
    const { folder } = configFolder();
    fullPipe(join(folder, 'log'));
    const into = ['sh', '-c', 'exec "$0" "$@" 2>log'];
    const running = await startTeller(['run', '--config', 'config.json'], folder, into);
    await votesAreAnswered(folder, running.ready.listener.port);
    expect(await running.stop()).toBe(0);
  },
);

interface InTerminal {
  readonly ready: TellerReady;
  readonly screen: () => string;
  type(keys: string): void;
  /** Sends SIGTERM to Teller, and resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** A Teller in a terminal of its own. */
async function inTerminal(folder: string): Promise<InTerminal> {
  const command = `echo $$ >pid; exec '${process.execPath}' '${compiled(CLI)}' run --config config.json`;
  const child: ChildProcess = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, SHELL: '/bin/sh', CI: undefined },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('no terminal');
  let shown = '';
  stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  const ready = new Promise<TellerReady>((resolve) => {
    createInterface({ input: stdout }).on('line', (line) => {
      if (line.startsWith('{"msg":"ready"')) resolve(JSON.parse(line));
    });
  });
  return {
    ready: await ready,
    screen: () => shown,
    type: (keys) => void stdin.write(keys),
    stop: async () => {
      process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGTERM');
      const [code] = await once(child, 'exit');
      return code;
    },
  };
}

test.skipIf(noTerminal !== null)(
  `after Ctrl-S in its terminal, Teller answers every vote; after Ctrl-Q, it shows them${noTerminal ?? ''}`,
  async () => {
    const { folder } = configFolder();
    const running = await inTerminal(folder);
    running.type(CTRL_S);
    await votesAreAnswered(folder, running.ready.listener.port);
    expect(running.screen()).not.toContain(`P${VOTES}`);
    running.type(CTRL_Q);
    await expect.poll(running.screen).toContain(`P${VOTES}`);
    expect(await running.stop()).toBe(0);
  },
);

test.skipIf(noTerminal !== null)(
  `after Ctrl-S in its terminal, Teller stops when asked${noTerminal ?? ''}`,
  async () => {
    const { folder } = configFolder();
    const running = await inTerminal(folder);
    running.type(CTRL_S);
    await votesAreAnswered(folder, running.ready.listener.port);
    expect(await running.stop()).toBe(0);
  },
);
