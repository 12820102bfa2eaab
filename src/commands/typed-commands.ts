import type { Readable } from 'node:stream';
import type { Cancel, Clock } from '../core/clock.ts';
import { UNPRINTABLE } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { splitWords } from '../core/split-words.ts';
import { LineSplitter } from '../platform/line-splitter.ts';
import type { Terminal } from '../platform/terminal.ts';
import { type ExitCode, printProblem } from './command.ts';
import { startTyped, type TypedProcess } from './typed-process.ts';

export interface TypedCommandsParts {
  readonly input: Readable;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** How commands begin in a shell on this machine. They may begin like this here too. */
  readonly teller: string;
  readonly start: (words: readonly string[]) => TypedProcess;
}

/** In UTF-16 units. */
const LINE_MAX = 4_096;
/** How many commands may wait for one that takes long: at most 4 MB of text. */
const WAITING_MAX = 1_000;
/** How long `stop` waits for the commands that were typed before it. */
const STOP_PATIENCE_MS = 10_000;

/**
 * Commands that are typed into a running Teller, one per line, as in a panel's console. They run one after another. `stop`
 * stops Teller; the end of the input does not, because under a service manager it is empty from the start.
 */
class TypedCommands {
  /** Resolves when `stop` is typed. */
  readonly stopAsked: Promise<void>;
  private stop: () => void = () => {};
  private waiting: (readonly string[] | Problem)[] = [];
  private isWorking = false;
  private isClosed = false;
  private isOverflowTold = false;
  private running: TypedProcess | null = null;
  private cancelPatience: Cancel | null = null;

  constructor(private readonly parts: TypedCommandsParts) {
    this.stopAsked = new Promise((resolve) => {
      this.stop = resolve;
    });
  }

  open(): void {
    const { input, teller } = this.parts;
    const lines = new LineSplitter(LINE_MAX, {
      onLine: (line) => this.take(wordsOf(line, teller)),
      onTooLong: () => this.take(refusal(`has more than ${LINE_MAX} characters`)),
    });
    input.on('data', (piece: Buffer) => lines.push(piece));
    input.on('end', () => lines.end());
    // A terminal that was closed, or a descriptor that was never open for reading, as under nohup.
    input.on('error', () => {});
  }

  /** Ends the command in progress, and forgets those that wait. */
  close(): void {
    this.isClosed = true;
    this.waiting = [];
    this.cancelPatience?.();
    this.running?.kill();
    // Otherwise the input keeps the process running.
    this.parts.input.destroy();
  }

  private take(typed: readonly string[] | Problem | null): void {
    if (typed === null || this.isClosed) return;
    // However many commands wait, all is read, because `stop` may be among it.
    if (isStop(typed)) this.cancelPatience ??= this.parts.clock.after(STOP_PATIENCE_MS, this.stop);
    if (this.waiting.length < WAITING_MAX || isStop(typed)) this.waiting.push(typed);
    else this.tellOverflow();
    void this.work();
  }

  private tellOverflow(): void {
    if (this.isOverflowTold) return;
    this.isOverflowTold = true;
    const what = `was one too many: ${WAITING_MAX} commands wait, and until they have run, it and those typed after it are ignored`;
    printProblem(this.parts.terminal, new Problem('usage', `the typed line ${what}, except \`stop\``));
  }

  private async work(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      await this.answer(next);
    }
    this.isWorking = false;
    this.isOverflowTold = false;
  }

  private async answer(typed: readonly string[] | Problem): Promise<void> {
    if (typed instanceof Problem) return printProblem(this.parts.terminal, typed);
    if (isStop(typed)) return this.stop();
    try {
      this.running = this.parts.start(typed);
      await this.running.ended;
    } catch (error) {
      this.parts.terminal.err(`error: the command could not be run (${String(error)})`);
    } finally {
      this.running = null;
    }
  }
}

/** The words of a command, without what it begins with in a shell; null if there are none. */
function wordsOf(line: string, teller: string): readonly string[] | Problem | null {
  if (line.trim() === '') return null;
  // The keys for the cursor arrive as such characters, where the terminal does not handle them.
  if (line.replaceAll('\t', ' ').search(UNPRINTABLE) >= 0)
    return refusal('has characters that cannot be printed');
  const words = splitWords(line);
  if (words === null) return refusal('has a quote that is not closed');
  const prefix = [['teller'], teller.split(' ')].find((each) => each.every((word, at) => words[at] === word));
  return words.slice(prefix?.length ?? 0);
}

const refusal = (what: string): Problem => new Problem('usage', `the typed line ${what}, so it was ignored`);

const isStop = (typed: readonly string[] | Problem): boolean =>
  !(typed instanceof Problem) && typed.length === 1 && typed[0] === 'stop';

type OnAsked = (callback: () => void) => void;

/** What a command that runs until it is stopped has for this. */
interface StoppableParts extends Pick<TypedCommandsParts, 'clock' | 'teller'> {
  readonly stopped: () => Promise<unknown>;
  readonly onReloadAsked?: OnAsked;
  readonly input?: () => Readable;
}

/**
 * Runs `body`, a command that runs until it is stopped. Signals are listened to at once: one that comes while `body` starts is
 * obeyed when it has started. From when it asks for `stopped`, commands can be typed into it, of which `stop` is one. They
 * are read only if the operator says so: a shell stops a process that reads the terminal in the background (SIGTTIN).
 *
 * @param config the config file of typed commands without --config; null: nothing is read, so no commands can be typed
 */
export async function withTypedCommands<Parts extends StoppableParts>(
  config: string | null,
  terminal: Terminal,
  parts: Parts,
  body: (parts: Parts) => Promise<ExitCode>,
): Promise<ExitCode> {
  const signalled = parts.stopped();
  const onReloadAsked = remembering(parts.onReloadAsked);
  if (config === null || parts.input === undefined)
    return body({ ...parts, stopped: () => signalled, onReloadAsked });
  const { clock, teller } = parts;
  // All of it is the answer to what was typed. Standard error has the log.
  const answers = { ...terminal, err: terminal.out };
  const start = (words: readonly string[]) => startTyped(words, config, answers);
  const typed = new TypedCommands({ input: parts.input(), terminal: answers, clock, teller, start });
  const stopped = (): Promise<unknown> => {
    const asked = Promise.race([signalled, typed.stopAsked]);
    void asked.then(() => typed.close());
    typed.open();
    return asked;
  };
  try {
    return await body({ ...parts, stopped, onReloadAsked });
  } finally {
    typed.close();
  }
}

/** Also calls back for what was asked before somebody listened. */
function remembering(onAsked: OnAsked = () => {}): OnAsked {
  let isAsked = false;
  let tell = (): void => {
    isAsked = true;
  };
  onAsked(() => tell());
  return (callback) => {
    tell = callback;
    if (isAsked) callback();
  };
}
