import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand as runTeller } from '../../src/commands/run.ts';
import { STOP_PATIENCE_MS, TypedCommands } from '../../src/commands/typed-commands.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { configFolder } from '../support/config-folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { runCommand } from './run-command.ts';

interface Started {
  readonly words: readonly string[];
  readonly end: () => void;
  isKilled: boolean;
}

/** A reader of typed commands, whose commands run until the test ends them. */
function typing({ endAtOnce = false, teller = 'node dist/cli.js' } = {}) {
  const stream = new PassThrough();
  const terminal = fakeTerminal();
  const clock = new FakeClock();
  const started: Started[] = [];
  let isStopped = false;
  const start = (words: readonly string[]) => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    if (endAtOnce) end();
    const command: Started = { words, end, isKilled: false };
    started.push(command);
    const kill = () => {
      command.isKilled = true;
      end();
    };
    return { ended, kill };
  };
  const typed = new TypedCommands({ input: stream, terminal, clock, teller, start });
  void typed.stopAsked.then(() => {
    isStopped = true;
  });
  typed.open();
  onTestFinished(() => typed.close());
  return {
    ...{ typed, stream, clock, started, answers: terminal.errLines },
    type: (text: string | Buffer) => void stream.write(text),
    words: () => started.map((command) => command.words.join(' ')),
    isStopped: () => isStopped,
  };
}

test('without --typed, standard input is not even opened', async () => {
  const { config } = configFolder();
  const terminal = fakeTerminal();
  let isOpened = false;
  const input = () => {
    isOpened = true;
    return new PassThrough();
  };
  const parts = {
    clock: systemClock,
    random: systemRandom,
    stopped: async () => {},
    input,
    teller: 'teller',
  };
  const run = (...words: readonly string[]) =>
    runCommand(runTeller(terminal, parts), terminal, [...words, '--config', config]);
  expect([(await run()).exit, isOpened]).toEqual([0, false]);
  expect([(await run('--typed')).exit, isOpened]).toEqual([0, true]);
});

test('commands run one after another, in the order in which they are typed', async () => {
  const { type, words, started } = typing();
  type('explain Steve\nrel');
  type('oad\r\n');
  await expect.poll(words).toEqual(['explain Steve']);
  started[0]?.end();
  await expect.poll(words).toEqual(['explain Steve', 'reload']);
});

test('a command may begin as in a shell on this machine', async () => {
  const { type, words } = typing({ endAtOnce: true });
  type('teller grants pay 7\nnode dist/cli.js check\nteller\nnpx tsx\n');
  await expect.poll(words).toEqual(['grants pay 7', 'check', '', 'npx tsx']);
});

test.each([['stop\n'], ['  teller   stop \r\n'], ['reload\n"stop"\n']])('%j asks to stop', async (text) => {
  const { type, typed } = typing({ endAtOnce: true });
  type(text);
  await expect(typed.stopAsked).resolves.toBeUndefined();
});

test('`stop` needs no line break at the end of the input', async () => {
  const { stream, typed } = typing();
  stream.end('stop');
  await expect(typed.stopAsked).resolves.toBeUndefined();
});

test('the end of the input and an error of it do not ask to stop, and a command in progress goes on', async () => {
  const { stream, started, isStopped } = typing();
  stream.end('check\n');
  await expect.poll(() => stream.closed).toBe(true);
  const broken = typing();
  broken.stream.destroy(new Error('EIO'));
  await expect.poll(() => broken.stream.closed).toBe(true);
  expect([isStopped(), broken.isStopped(), started[0]?.isKilled]).toEqual([false, false, false]);
});

test('`stop` waits for the commands typed before it, at most ten seconds', async () => {
  const { type, clock, words, started, typed, isStopped } = typing();
  type('reload\nstop\n');
  await expect.poll(words).toEqual(['reload']);
  clock.advance(STOP_PATIENCE_MS - 1);
  await Promise.resolve();
  expect([isStopped(), started[0]?.isKilled]).toEqual([false, false]);
  clock.advance(1);
  await typed.stopAsked;
  typed.close();
  expect(started[0]?.isKilled).toBe(true);
});

test('`stop` comes at once after the commands typed before it have ended', async () => {
  const { type, words, started, typed, isStopped } = typing();
  type('reload\nstop\n');
  await expect.poll(words).toEqual(['reload']);
  expect(isStopped()).toBe(false);
  started[0]?.end();
  await expect(typed.stopAsked).resolves.toBeUndefined();
});

test.each([
  ['an open quote', 'explain "Steve\n', /quote/],
  ['keys for the cursor', '\u001b[A\n', /cannot be printed/],
  ['a zero byte', 'explain St\0eve\n', /cannot be printed/],
  ['4,097 characters', `${'a'.repeat(4_097)}\n`, /4096/],
])('a line with %s is answered and not run, and the next one is run', async (_, text, sentence) => {
  const { type, words, answers } = typing({ endAtOnce: true });
  type(`${text}reload\n`);
  await expect.poll(words).toEqual(['reload']);
  expect(answers).toEqual([expect.stringMatching(sentence)]);
  expect(answers[0]).toMatch(/\[usage\]$/);
});

test('bytes that are no text are a command that does not exist, for the command line to answer', async () => {
  const { type, words } = typing({ endAtOnce: true });
  type(Buffer.from([0xff, 0xfe, 0x0a]));
  await expect.poll(words).toEqual(['\ufffd\ufffd']);
});

test('a command that cannot be started is answered, and the next one is run', async () => {
  const stream = new PassThrough();
  const terminal = fakeTerminal();
  let calls = 0;
  const start = () => {
    if (calls++ === 0) throw new Error('EAGAIN');
    return { ended: Promise.resolve(), kill: () => {} };
  };
  const parts = { input: stream, terminal, clock: new FakeClock(), teller: 'teller', start };
  const typed = new TypedCommands(parts);
  onTestFinished(() => typed.close());
  typed.open();
  stream.write('check\ncheck\n');
  await expect.poll(() => calls).toBe(2);
  expect(terminal.errLines).toEqual([expect.stringContaining('EAGAIN')]);
});

test('of 300 commands that are typed at once, all run in the end', async () => {
  const { stream, words, started } = typing();
  for (let n = 0; n < 300; n++) stream.write(`explain Player${n}\n`);
  for (let n = 0; n < 300; n++) {
    await expect.poll(() => started.length, { interval: 1 }).toBe(n + 1);
    started[n]?.end();
  }
  expect(words().at(-1)).toBe('explain Player299');
});

test('`stop` is read at once, however many commands were typed before it, and comes ten seconds later at most', async () => {
  const { stream, clock, typed, words } = typing();
  for (let n = 0; n < 5_000; n++) stream.write(`explain Player${n}\n`);
  stream.write('stop\n');
  await expect.poll(() => clock.pendingTimers).toBe(1);
  clock.advance(STOP_PATIENCE_MS);
  await typed.stopAsked;
  expect(words()).toEqual(['explain Player0']);
});

test('more commands than can wait are ignored, which is said once, and those that can wait are run', async () => {
  const { type, words, answers, started } = typing();
  for (let n = 0; n < 1_003; n++) type(`explain Player${n}\n`);
  await expect.poll(() => answers).toEqual([expect.stringMatching(/1000 commands wait.*\[usage\]$/)]);
  for (let n = 0; n < 1_001; n++) {
    await expect.poll(() => started.length, { interval: 1 }).toBe(n + 1);
    started[n]?.end();
  }
  type('explain Later\n');
  await expect.poll(() => words().slice(1_000)).toEqual(['explain Player1000', 'explain Later']);
});

test('after it is closed, nothing is run any more', async () => {
  const { type, typed, started, stream } = typing();
  type('check\nreload\n');
  await expect.poll(() => started.length).toBe(1);
  typed.close();
  await expect.poll(() => stream.closed).toBe(true);
  expect(started.map(({ words, isKilled }) => [words, isKilled])).toEqual([[['check'], true]]);
});
