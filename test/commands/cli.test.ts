import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Reader } from '../kit/page.ts';
import { desk, furnish } from '../kit/place.ts';
import { service } from '../kit/service.ts';
import { allCommands, typed } from '../kit/typed.ts';
import { sendV2 } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { CLI, compiled, startTeller } from '../support/processes.ts';

const ROOT = join(import.meta.dirname, '../..');

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
const installed = (...words: string[]) => node(compiled(CLI), ...words);
const cloned = (...words: string[]) => node('--import', 'tsx', CLI, ...words);

test('messages show commands as they are typed in a clone or in an installed package', {
  timeout: 60_000,
}, () => {
  const { config } = furnish(temporaryFolder());
  const words = ['explain', 'Steve', '--config', config];
  expect(installed(...words).stderr).toContain('`teller run`');
  expect(cloned(...words).stderr).toContain('`node dist/cli.js run`');
  expect(cloned('explain', '--help').stdout).toContain('Usage: node dist/cli.js explain');
  expect(cloned('dashboard', '--help').stdout).toContain('  node dist/cli.js dashboard vote Steve');
});

test.each([
  [['keys', 'rotate', 'rsa', '--bogus'], "error: unknown option '--bogus' [usage]"],
  [['votes', '--jsn'], "error: unknown option '--jsn' (Did you mean --json?) [usage]"],
  [['votes', 'Steve'], "error: too many arguments for 'votes'. Expected 0 arguments but got 1. [usage]"],
  [['explain'], "error: missing required argument 'name' [usage]"],
  [['votess'], "error: unknown command 'votess' (Did you mean votes?) [usage]"],
])('%j is wrong usage and exits 2', (words, line) => {
  expect(installed(...words)).toMatchObject({ status: 2, stderr: `${line}\n` });
});

test.each([[[]], [['keys', 'rotate']]])('%j shows the help, and is wrong usage', (words) => {
  const { status, stderr } = installed(...words);
  expect(status).toBe(2);
  expect(stderr).toContain('Usage: teller');
  expect(stderr.trimEnd()).toMatch(/^error: .*\[usage\]$/m);
});

/** They do nothing without the name of a command below them. */
const GROUPS =
  /(?:^| )(?:config|dashboard|game-servers|import|players|rewards|rotate|service|shadow|webhook)$/;

test('every command accepts --json', async () => {
  const commands = [...(await allCommands())].filter(([name]) => !GROUPS.test(name));
  expect(commands.length).toBeGreaterThan(60);
  expect(commands.filter(([, flags]) => !flags.includes('--json')).map(([name]) => name)).toEqual([]);
});

test('a command exits silently when the reader of its output is gone', async () => {
  const { folder, config, run } = desk();
  const lines = Array.from({ length: 2_000 }, (_, n) => `P${n},List,2026-05-30T12:00:00Z\n`);
  writeFileSync(join(folder, 'votes.csv'), `player,service,time\n${lines.join('')}`);
  expect((await run('import', 'votes', join(folder, 'votes.csv'))).exit).toBe(0);
  const words = ['votes', '--json', '--limit', '2000', '--config', config];
  const child = spawn(process.execPath, [compiled(CLI), ...words]);
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdout.once('readable', () => {
    child.stdout.read(20);
    child.stdout.destroy();
  });
  const [code] = await once(child, 'close');
  expect([err, code]).toEqual(['', 0]);
});

test('`run` keeps running when the reader of its log is gone', async () => {
  const { folder, config, run } = desk();
  const running = await startTeller(['run', '--config', config], folder);
  running.process.stderr?.destroy();
  // Each vote is a line of the log, and the second comes after the first has failed.
  for (const player of ['Steve', 'Alex', 'Zombie'])
    expect(await sendV2(running.ready.listener.port, { player })).toBe('ok');
  expect((await run('votes', '--json')).json).toHaveLength(3);
  expect(await running.stop()).toBe(0);
});

/** How the page for signing in to a Teller that runs with these flags names the command for it. */
async function shownBy(config: string, ...flags: readonly string[]) {
  await service(['run', ...flags]);
  let link = '';
  await expect
    .poll(async () => (link = (await typed(['console', 'open', '--print'], config)).out), { timeout: 10_000 })
    .toMatch(/^http/);
  const { text } = await new Reader(new URL(link).origin).open('/sign-in');
  return /teller console open(?: --config (?:"[^"]*"|\S+))?/.exec(text)?.[0];
}

test('pages show commands as they are typed on this machine: with a config that they would not read anyway', async () => {
  const folder = join(temporaryFolder(), 'my teller');
  mkdirSync(folder);
  const { config } = furnish(folder);
  expect(await shownBy(config, '--config', config)).toBe(`teller console open --config "${config}"`);
  const here = furnish(temporaryFolder());
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(here.folder);
  onTestFinished(() => cwd.mockRestore());
  expect(await shownBy(here.config)).toBe('teller console open');
});

const explained = async (width?: number) => {
  const person = width === undefined ? undefined : { width };
  return (await typed(['config', 'explain'], null, undefined, person)).out.split('\n');
};
/** The same rows for scripts. */
const keys = async (): Promise<readonly Record<string, string>[]> =>
  (await typed(['config', 'explain', '--json'], null)).json;

test.each([60, 80, 200])('no line of a table is longer than a terminal of %i characters', async (width) => {
  const lines = await explained(width);
  expect(lines.filter((line) => line.length > width)).toEqual([]);
  expect(lines.join(' ')).toContain('MEANING');
  expect(lines.length).toBeGreaterThan((await keys()).length + 1);
});

test('a table that fits is aligned, and a cell that does not is wrapped between its words in its column', async () => {
  const commands = ['say hi'];
  const one = desk({
    party: [
      { name: 'all', every: 100, commands },
      { name: '0123456789012', every: 3, commands },
    ],
  });
  const shown = async (width: number) => (await one.runBy({ width }, 'party')).out.split('\n');
  expect(await shown(80)).toEqual([
    'PARTY          NEXT  VOTES     LEFT  FOR     STARTS AGAIN',
    'all            1     0 of 100  100   voters  never',
    '0123456789012  1     0 of 3    3     voters  never',
  ]);
  expect(await shown(50)).toEqual([
    'PARTY      NEXT  VOTES     LEFT  FOR     STARTS',
    '                                         AGAIN',
    'all        1     0 of 100  100   voters  never',
    '012345678  1     0 of 3    3     voters  never',
    '9012',
  ]);
});

test('in a pipe, each row is one line with two spaces between its cells', async () => {
  const cells = (await keys()).map(({ key, type, default: value, reload, meaning }) =>
    [key, type, value, reload, meaning].join('  ').trimEnd(),
  );
  expect(await explained()).toEqual(['KEY  TYPE  DEFAULT  RELOAD  MEANING', ...cells]);
});

/** Stands in for the program: it says which words it was started with, and goes on if the first one is `hang`. */
const PROGRAM = `const words = process.argv.slice(4);
process.stdout.write(words.join('|') + ' ' + process.pid + '\\n');
if (words[0] === 'hang') setInterval(() => {}, 1000);`;

/** A Teller that runs in this process, and what is typed into it. */
async function typing(clock = new FakeClock()) {
  const before = process.argv[1] ?? '';
  process.argv[1] = join(temporaryFolder({ 'program.cjs': PROGRAM }), 'program.cjs');
  onTestFinished(() => {
    process.argv[1] = before;
  });
  const stream = new PassThrough();
  const { config } = furnish(temporaryFolder(), { log: { level: 'error' } });
  const running = await service(['run', '--typed', '--config', config], { clock, input: () => stream });
  let hasEnded = false;
  void running.ended.then(() => (hasEnded = true));
  const isAnswer = (line: string): boolean => line.startsWith('error: ');
  const started = () => running.out.slice(1).filter((line) => !isAnswer(line));
  /** The commands that were started, each as its words. */
  const words = () => started().map((line) => line.split(' ')[0]);
  const pids = () => started().map((line) => Number(line.split(' ')[1]));
  const answers = () => running.out.filter(isAnswer);
  return {
    ...{ ...running, stream, clock, words, pids, answers },
    type: (text: string | Buffer) => void stream.write(text),
    hasEnded: () => hasEnded,
  };
}

const isAlive = (pid: number | undefined): boolean => {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
};

test('commands run one after another, as they are typed, and may begin as in a shell on this machine', async () => {
  const { type, words } = await typing();
  const text = 'explain "Steve é漢😀"\r\nteller grants pay 7\nnpx tsx\n';
  for (const byte of Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0x0a])]))
    type(Buffer.from([byte]));
  await expect.poll(() => words().length).toBe(4);
  expect(words()).toEqual(['explain|Steve', 'grants|pay|7', 'npx|tsx', '\ufffd\ufffd']);
});

test('a line with an open quote, keys for the cursor, a zero byte or 4,097 characters is answered and not run, and one of 4,096 characters is run', async () => {
  const { type, words, answers } = await typing();
  const longest = 'a'.repeat(4_096);
  for (const line of ['explain "Steve', '\u001b[A', 'explain St\0eve', `${longest}a`, longest])
    type(`${line}\n`);
  await expect.poll(words).toEqual([longest]);
  const why = ['quote.*', 'cannot be printed.*', 'cannot be printed.*', '4096.*'];
  expect(answers()).toEqual(why.map((said) => expect.stringMatching(new RegExp(`${said}\\[usage\\]$`))));
});

test.each([['stop\n'], ['  teller   stop \r\n'], ['reload\n"stop"\n'], ['stop']])(
  '%j stops it',
  async (text) => {
    const { stream, ended } = await typing();
    stream.end(text);
    expect(await ended).toBe(0);
  },
);

test('`stop` waits for the commands typed before it, at most ten seconds, after which they are killed', async () => {
  const { type, words, pids, clock, ended, hasEnded } = await typing();
  type('hang\nnever\nstop\n');
  await expect.poll(words).toEqual(['hang']);
  clock.advance(9_999);
  await new Promise(setImmediate);
  expect([hasEnded(), isAlive(pids()[0])]).toEqual([false, true]);
  clock.advance(1);
  expect(await ended).toBe(0);
  await expect.poll(() => isAlive(pids()[0])).toBe(false);
  expect(words()).toEqual(['hang']);
});

test('more than 1,000 commands that wait are ignored, which is said once, and `stop` is still read at once', async () => {
  const { type, answers, clock, ended } = await typing();
  type('hang\n');
  type('explain Player\n'.repeat(1_000));
  await new Promise(setImmediate);
  expect(answers()).toEqual([]);
  type('explain Player\n'.repeat(2));
  await expect.poll(answers).toEqual([expect.stringMatching(/1000 commands wait.*\[usage\]$/)]);
  type('stop\n');
  await expect.poll(() => clock.pendingTimers).toBeGreaterThan(0);
  await new Promise(setImmediate);
  clock.advance(10_000);
  expect(await ended).toBe(0);
});
