import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { furnish } from '../kit/place.ts';
import { service } from '../kit/service.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';

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

test.each([
  ['an open quote', 'explain "Steve\n', /quote.*\[usage\]$/],
  ['keys for the cursor', '\u001b[A\n', /cannot be printed.*\[usage\]$/],
  ['a zero byte', 'explain St\0eve\n', /cannot be printed.*\[usage\]$/],
  ['4,097 characters', `${'a'.repeat(4_097)}\n`, /4096.*\[usage\]$/],
])('a line with %s is answered and not run, and the next one is run', async (_, text, sentence) => {
  const { type, words, answers } = await typing();
  type(`${text}reload\n`);
  await expect.poll(words).toEqual(['reload']);
  expect(answers()).toEqual([expect.stringMatching(sentence)]);
});

test('a line of 4,096 characters is run', async () => {
  const { type, words } = await typing();
  type(`${'a'.repeat(4_096)}\n`);
  await expect.poll(words).toEqual(['a'.repeat(4_096)]);
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
