import { judgeRequest } from '../../../../protocol/rcon/packet.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../../../core/clock.ts';
import {
  BUCKET_BYTES,
  type CommandProof,
  markedCommand,
  markQuestion,
  removalOf,
} from '../../../core/proof.ts';
import type { Random } from '../../../core/random.ts';
import { type Answered, NOBODY } from '../../game-server.ts';
import type { ProofAnswer, ProvingServer } from '../../proving-server.ts';
import { plain } from '../../reply-text.ts';
import { hasRunOn, type MarkState, markableRoot, readGameTime, readMark } from './mark-words.ts';

/** An answer, and the times between which the game server gave it. */
export interface TimedAnswer {
  readonly answered: Answered;
  readonly from: Moment;
  readonly to: Moment;
}

interface StorageProofParts {
  readonly clock: Clock;
  readonly random: Random;
  /** For how long a command whose connection is gone may still arrive. */
  readonly lateMs: number;
  ask(question: string): Promise<Answered>;
  /** The time does not include that for connecting. */
  askTimed(question: string): Promise<TimedAnswer>;
}

/** Plugins can change `time`, but not `minecraft:time`, which servers without plugins do not know. */
const TIME_FORMS = ['minecraft:time query gametime', 'time query gametime'] as const;
const TIME_FRESH_MS = 30_000;
/** An answer that took longer is not used: as much less may be missing from the game time later. */
const PRECISE_MS = 1_000;
const READINGS = 3;
/** How long the answer counts that something is not possible: it may be, after the game server has started again. */
const NO_FOR_MS = 10 * 60_000;
/** A game server that did not answer so many questions in a row does not answer them at all. */
const UNANSWERED_MAX = 2;
const BUCKET_MARKS = 100;
const BUCKET_MS = 24 * 60 * 60_000;

interface Reading extends Moment {
  readonly ticks: number;
}

interface Bucket {
  readonly name: string;
  readonly since: Moment;
  marks: number;
  /** When the game time of its marks was asked for, in monotonic ms, by mark. */
  readonly seenAt: Map<string, number>;
}

/** Proof by storage on a game server with RCON (core/proof.ts). One call at a time. */
export class StorageProof implements ProvingServer {
  private readonly roots = new Map<string, { readonly is: boolean; readonly at: Moment }>();
  private stores: { readonly is: boolean; readonly at: Moment } | null = null;
  private timeForm: string = TIME_FORMS[0];
  private reading: Reading | null = null;
  /** When it was found that the game server does not tell the game time in words that are understood. */
  private timelessAt: Moment | null = null;
  private unanswered = 0;
  private current: Bucket | null = null;
  private earlier: Bucket | null = null;

  constructor(private readonly parts: StorageProofParts) {}

  get bucket(): string | null {
    return this.current?.name ?? null;
  }

  /** A question whose answer also says the game time: it proves as well as any other that a connection works. */
  get probe(): string {
    return this.timeForm;
  }

  prepareAtOnce(command: string): CommandProof | null | undefined {
    const root = markableRoot(command);
    if (root === null || !this.fits(command)) return null;
    const known = [this.stillKnown(this.stores), this.stillKnown(this.roots.get(root))];
    if (known.includes(false)) return null;
    return known.includes(null) || this.needsTime ? undefined : this.newProof();
  }

  async prepare(command: string): Promise<CommandProof | null> {
    const root = markableRoot(command);
    if (root === null || !this.fits(command)) return null;
    if (!(await this.canStore())) return null;
    const isCovered = this.stillKnown(this.roots.get(root)) ?? (await this.understands(command, root));
    if (!isCovered) return null;
    if (this.needsTime) await this.readTime();
    return this.newProof();
  }

  async prove(proof: CommandProof, claimedAt: number): Promise<ProofAnswer> {
    const answered = await this.parts.ask(markQuestion(proof.mark));
    if (answered.kind === 'unanswered') return answered;
    const state: MarkState = readMark(answered.text, proof.mark);
    if (state === 'unclear') return { kind: 'not-known', reason: 'mark-unclear' };
    if (state !== 'absent') return { kind: state };
    const restMs = claimedAt + this.parts.lateMs - this.parts.clock.now();
    if (restMs > 0) return { kind: 'later', restMs: Math.min(restMs, this.parts.lateMs) };
    return this.proveNotRun(proof);
  }

  async remove(bucket: string): Promise<boolean> {
    return (await this.parts.ask(removalOf(bucket))).kind === 'reply';
  }

  async canStore(): Promise<boolean> {
    const known = this.stillKnown(this.stores);
    if (known !== null) return known;
    const { ask, random } = this.parts;
    // A `check` may try the same at the same time.
    const bucket = `check${random.bytes(BUCKET_BYTES).toString('hex')}`;
    const mark = `${bucket}.1`;
    const written = await ask(markedCommand('time query gametime', mark));
    const read = written.kind === 'reply' ? await ask(markQuestion(mark)) : written;
    if (read.kind === 'reply') await ask(removalOf(bucket));
    if (this.mayAnswer(read)) return false;
    this.stores = this.found(read.kind === 'reply' && readMark(read.text, mark) === 'ran');
    return this.stores.is;
  }

  async covers(command: string): Promise<boolean> {
    const root = markableRoot(command);
    if (root === null || !this.fits(command)) return false;
    return this.understands(command, root);
  }

  /**
   * Whether the game understands a command after `run`: it reads the whole line first. Plugin commands that are not in
   * the game's own dispatcher are unknown to it there.
   */
  private async understands(command: string, root: string): Promise<boolean> {
    const answered = await this.parts.ask(`execute if entity ${NOBODY} run ${command.replace(/^\//, '')}`);
    if (this.mayAnswer(answered)) return false;
    const is = answered.kind === 'reply' && plain(answered.text).trim() === '';
    this.roots.set(root, this.found(is));
    return is;
  }

  /** Call this when the game server did not know a command that it was sent with a mark. */
  forget(command: string): void {
    const root = markableRoot(command);
    if (root !== null) this.roots.delete(root);
  }

  /** Call this with an answer to `probe`. */
  sawTime({ answered, from, to }: TimedAnswer): number | null {
    const ticks = answered.kind === 'reply' ? readGameTime(answered.text) : null;
    if (answered.kind === 'reply' && ticks === null)
      this.timeForm = TIME_FORMS.find((form) => form !== this.timeForm) ?? this.timeForm;
    if (ticks === null || to.monotonic - from.monotonic > PRECISE_MS) return ticks;
    this.reading = { ...from, ticks };
    return ticks;
  }

  private async proveNotRun({ mark, seen }: CommandProof): Promise<ProofAnswer> {
    if (seen === null) return NO_MARK;
    for (let left = READINGS; left > 0; left--) {
      const timed = await this.parts.askTimed(this.timeForm);
      const ticks = this.sawTime(timed);
      if (timed.answered.kind === 'unanswered') return timed.answered;
      if (ticks !== null && hasRunOn(seen, ticks, this.elapsedMs(mark, seen.at, timed.to)))
        return { kind: 'not-run' };
    }
    return NO_MARK;
  }

  /** Monotonic time if the mark was made by this process: nothing sets it. */
  private elapsedMs(mark: string, at: number, to: Moment): number {
    const made = this.current?.seenAt.get(mark) ?? this.earlier?.seenAt.get(mark);
    return made === undefined ? to.wall - at : to.monotonic - made;
  }

  private async readTime(): Promise<void> {
    this.reading = null;
    for (let left = READINGS; left > 0 && this.reading === null; left--) {
      const timed = await this.parts.askTimed(this.timeForm);
      this.sawTime(timed);
      if (timed.answered.kind === 'unanswered') return;
    }
    if (this.reading === null) this.timelessAt = this.now();
  }

  private newProof(): CommandProof {
    const bucket = this.bucketNow();
    bucket.marks += 1;
    const mark = `${bucket.name}.${bucket.marks}`;
    const { reading } = this;
    if (reading === null || ageOf(this.parts.clock, reading) >= TIME_FRESH_MS) return { mark, seen: null };
    bucket.seenAt.set(mark, reading.monotonic);
    return { mark, seen: { ticks: reading.ticks, at: reading.wall } };
  }

  private bucketNow(): Bucket {
    const { clock, random } = this.parts;
    const { current } = this;
    if (current !== null && current.marks < BUCKET_MARKS && ageOf(clock, current.since) < BUCKET_MS)
      return current;
    this.earlier = current;
    const name = `t${random.bytes(BUCKET_BYTES).toString('hex')}`;
    this.current = { name, since: this.now(), marks: 0, seenAt: new Map() };
    return this.current;
  }

  private get needsTime(): boolean {
    const { clock } = this.parts;
    if (this.reading !== null && ageOf(clock, this.reading) < TIME_FRESH_MS) return false;
    return this.timelessAt === null || ageOf(clock, this.timelessAt) >= NO_FOR_MS;
  }

  private fits(command: string): boolean {
    return judgeRequest(markedCommand(command, `t${'0'.repeat(2 * BUCKET_BYTES)}.999`)) === null;
  }

  private found(is: boolean): { readonly is: boolean; readonly at: Moment } {
    return { is, at: this.now() };
  }

  private stillKnown(
    found: { readonly is: boolean; readonly at: Moment } | null | undefined,
  ): boolean | null {
    if (found == null) return null;
    return found.is || ageOf(this.parts.clock, found.at) < NO_FOR_MS ? found.is : null;
  }

  /** Whether the question is worth asking again: the connection may have broken by chance, or nothing was sent. */
  private mayAnswer(answered: Answered): boolean {
    if (answered.kind === 'reply') this.unanswered = 0;
    else if (UNANSWERED.has(answered.reason)) this.unanswered += 1;
    return answered.kind === 'unanswered' && this.unanswered < UNANSWERED_MAX;
  }

  private now(): Moment {
    return momentOf(this.parts.clock);
  }
}

const NO_MARK: ProofAnswer = { kind: 'not-known', reason: 'no-mark' };

/** The game server got the question. */
const UNANSWERED: ReadonlySet<string> = new Set(['timeout', 'closed', 'bad-reply', 'login-lost']);
