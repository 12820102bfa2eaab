/**
 * How calls become transactions. They are gathered into batches, each batch is one transaction, and a call is answered when that is
 * on disk: one fsync for all that waited. So the slower the disk, the larger the batches, and a lone call waits for nobody.
 *
 * There are no savepoints. If a call fails, its batch is rolled back, and each of its calls runs again in a transaction of its own,
 * so that only the faulty one is refused. If the transaction itself is lost, or cannot be committed, all of its calls are refused:
 * what is wrong then is the disk, and each of them would have to wait for it.
 */
import { type Clock, nextTurn } from '../core/clock.ts';
import type { Schedule, Tx, Value } from './db.ts';
import type { SqliteFile } from './sqlite.ts';

/** How long a call waits while another process has the database locked; shorter than a sender's deadline. */
export const LOCKED_PATIENCE_MS = 3_000;
/** More would make a transaction long, and with it the wait of the calls that come next. */
const BATCH_MAX = 512;

/** A call on its way to the database. Arguments and results are plain values, which can be sent to another thread. */
export interface Request {
  readonly name: string;
  readonly args: readonly unknown[];
  /** How long to wait if another process has locked the database. */
  readonly patienceMs: number;
}

export type Answer = { readonly value: unknown } | { readonly error: unknown };

/** The answers to a batch, in the order of its requests, and what its transactions have told besides. */
export interface Answered {
  readonly answers: readonly Answer[];
  readonly news: readonly unknown[];
}

/** An open database with what can be called. */
export interface Work extends Schedule {
  readonly file: SqliteFile;
  /** What no transaction can undo, such as a lock: it runs before the transaction of its batch. */
  readonly outside: Readonly<Record<string, (...args: never[]) => unknown>>;
  /** Called before each transaction that writes. Throws if nothing may be written. */
  beforeWriting(): void;
  /** The error to answer with; a Problem for an error of the database or its disk. */
  asProblem(error: unknown): unknown;
  close(): void;
}

/** A request of the batch that is being run, and the place of its answer. */
interface Member extends Request {
  readonly index: number;
}

/** The names of what can be called: those that only read, and the others. */
export const namesOf = ({ writes, settles, looks, reads, outside }: Work): Names => ({
  reads: Object.keys(reads),
  others: [writes, settles, looks, outside].flatMap((calls) => Object.keys(calls)),
});

export interface Names {
  readonly reads: readonly string[];
  readonly others: readonly string[];
}

/** Runs batches on the thread of the database. One at a time: the next one only when the promise of the last has ended. */
export class BatchRunner {
  private readonly memos = new Map<string, Promise<unknown>>();
  private version = -1;
  private answers: Answer[] = [];
  private news: unknown[] = [];

  /** @param monotonic a clock in milliseconds. */
  constructor(
    private readonly work: Work,
    private readonly monotonic: () => number,
  ) {
    // SQLite keeps copies of pages that a statement may have to undo, by default in a temporary file once they are more than 64 KiB.
    if (!work.file.connection.readonly) work.file.connection.pragma('temp_store = MEMORY');
  }

  async run(requests: readonly Request[]): Promise<Answered> {
    const { work } = this;
    this.answers = [];
    this.news = [];
    const inside: Member[] = [];
    for (const [index, { name, args, patienceMs }] of requests.entries())
      if (name in work.outside)
        this.answers[index] = await this.attempt(async () => (work.outside[name] as Plain)(...args));
      else inside.push({ name, args, patienceMs, index });
    if (inside.some(({ name }) => name in work.writes || name in work.settles)) await this.transact(inside);
    else for (const member of inside) this.answers[member.index] = await this.look(member);
    return { answers: this.answers, news: this.news };
  }

  /** One state of the database for all that the call reads. */
  private look(member: Member): Promise<Answer> {
    const { file } = this.work;
    return this.attempt(async () => {
      file.begin('to read', member.patienceMs);
      try {
        this.dropStaleMemos();
        return await this.call(member, []);
      } finally {
        file.rollback();
      }
    });
  }

  private async transact(members: readonly Member[]): Promise<void> {
    const { file } = this.work;
    let begun: readonly Member[] = members;
    let failed: Member | null = null;
    const afterCommit: (() => void)[] = [];
    const told = this.news.length;
    try {
      this.work.beforeWriting();
      begun = this.begin(members);
      if (begun.length === 0) return;
      this.dropStaleMemos();
      for (const member of begun) {
        failed = member;
        this.answers[member.index] = { value: await this.call(member, afterCommit) };
        if (!file.isInTransaction) throw new Error('the transaction has ended without an error');
      }
      failed = null;
      file.commit();
    } catch (error) {
      const isLost = failed === null || !file.isInTransaction;
      file.rollback();
      file.ended(error);
      this.memos.clear();
      this.news.length = told;
      if (!isLost && begun.length > 1) {
        for (const member of begun) await this.transact([member]);
        return;
      }
      this.refuse(begun, error);
      // Nothing else knows what happened on a game server.
      const settlements = begun.filter(({ name }) => name in this.work.settles);
      if (settlements.length < begun.length) await this.transact(settlements);
      return;
    }
    file.ended(null);
    for (const act of afterCommit) act();
  }

  private refuse(members: readonly Member[], error: unknown): void {
    const problem = this.work.asProblem(error);
    for (const { index } of members) this.answers[index] = { error: problem };
  }

  private async call({ name, args }: Member, afterCommit: (() => void)[]): Promise<unknown> {
    const { writes, settles, looks, reads } = this.work;
    const call = writes[name] ?? settles[name] ?? looks[name] ?? reads[name];
    if (call === undefined) throw new Error(`the database has no call ${name}`);
    const tx = new CallTx(this.work.file, this.memos, this.news, afterCommit);
    try {
      return await (call as (tx: Tx, ...args: readonly unknown[]) => Promise<unknown>)(tx, ...args);
    } finally {
      tx.hasEnded = true;
    }
  }

  private async attempt(body: () => Promise<unknown>): Promise<Answer> {
    try {
      return { value: await body() };
    } catch (error) {
      return { error: this.work.asProblem(error) };
    }
  }

  /** Another process may have changed what they were read from. */
  private dropStaleMemos(): void {
    const version = this.work.file.version();
    if (version !== this.version) this.memos.clear();
    this.version = version;
  }

  /** @returns the members that are still waiting for it. Those whose patience ended meanwhile have their answer. */
  private begin(members: readonly Member[]): readonly Member[] {
    const startedAt = this.monotonic();
    let waiting = members;
    while (waiting.length > 0) {
      const leastMs = Math.min(...waiting.map(({ patienceMs }) => patienceMs));
      try {
        this.work.file.begin('to write', leastMs - (this.monotonic() - startedAt));
        return waiting;
      } catch (error) {
        if (!this.work.file.isBusy(error)) throw error;
        const waitedMs = this.monotonic() - startedAt;
        const isOver = ({ patienceMs }: Member): boolean => patienceMs <= waitedMs;
        this.refuse(waiting.filter(isOver), error);
        waiting = waiting.filter((member) => !isOver(member));
      }
    }
    return waiting;
  }
}

type Plain = (...args: readonly unknown[]) => unknown;

/** The transaction of one call on SQLite, whose statements run at once. */
class CallTx implements Tx {
  hasEnded = false;

  constructor(
    private readonly file: SqliteFile,
    private readonly memos: Map<string, Promise<unknown>>,
    private readonly news: unknown[],
    private readonly actions: (() => void)[],
  ) {}

  async all<Row>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.open().all(sql, values) as Row[];
  }

  async get<Row>(sql: string, values: readonly Value[] = []): Promise<Row | null> {
    return (this.open().get(sql, values) as Row | undefined) ?? null;
  }

  async run(sql: string, values: readonly Value[] = []): Promise<number> {
    return this.open().run(sql, values);
  }

  each(parameter: `$${number}`): string {
    return `(SELECT value FROM json_each(${parameter}))`;
  }

  memo<Read>(key: string, read: () => Promise<Read>): Promise<Read> {
    const known = this.memos.get(key) as Promise<Read> | undefined;
    if (known !== undefined) return known;
    const reading = read();
    this.memos.set(key, reading);
    return reading;
  }

  forget(key: string): void {
    this.memos.delete(key);
  }

  afterCommit(act: () => void): void {
    this.actions.push(act);
  }

  tell(news: unknown): void {
    this.news.push(news);
  }

  private open(): SqliteFile {
    if (this.hasEnded) throw new Error('a call has gone on after its end: a statement was not awaited');
    return this.file;
  }
}

interface Waiting extends Omit<Request, 'patienceMs'> {
  /** Monotonic. */
  readonly since: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** After a batch of at least so many calls, about as many are likely to come soon. */
const MANY_CALLS = 8;
/** How long the next batch then waits for them at most, as a part of the time that this one took. */
const GATHERED_PART = 1 / 2;
const GATHERED_MAX_MS = 20;

/**
 * Gathers the calls of one turn of the event loop, and then whatever came while the last batch was being written. If those were many,
 * their senders are about to send again. So where a batch is an fsync, the next one waits a little, until there are as many again.
 */
export class Gathering {
  private waiting: Waiting[] = [];
  private running: Promise<void> | null = null;
  private isPlanned = false;
  private expected = 0; // the calls of a recent batch; falls by one with each smaller batch, because senders also leave
  private gatherMs = 0;

  /**
   * @param runBatch if it rejects, all calls of the batch reject with that error.
   * @param waitsForMore whether calls that come soon are worth a wait: those that write, on a thread of their own.
   */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic' | 'nextTurn' | 'after'>,
    private readonly patienceMs: number,
    private readonly runBatch: (requests: readonly Request[]) => Promise<readonly Answer[]>,
    private readonly waitsForMore = false,
  ) {}

  call(name: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ name, args, since: this.clock.monotonic(), resolve, reject });
      this.plan();
    });
  }

  /** Resolves when everything that was called is answered. */
  async finished(): Promise<void> {
    while (this.waiting.length > 0 || this.running !== null) await (this.running ?? nextTurn(this.clock));
  }

  private plan(): void {
    if (this.running !== null || this.waiting.length === 0) return;
    // Once the expected calls have come, there is nobody left to wait for.
    if (this.isPlanned && this.waiting.length !== this.expected) return;
    this.isPlanned = true;
    const start = (): void => {
      if (!this.isPlanned) return;
      this.isPlanned = false;
      this.running = this.answer(this.waiting.splice(0, BATCH_MAX)).finally(() => {
        this.running = null;
        this.plan();
      });
    };
    if (this.waiting.length >= this.expected) this.clock.nextTurn(start);
    else this.clock.after(this.gatherMs, start);
  }

  private async answer(batch: readonly Waiting[]): Promise<void> {
    const startedAt = this.clock.monotonic();
    const over = startedAt - this.patienceMs;
    // Filled by `push`: a hot `map` makes an array with holes, which is copied to the thread key by key.
    const requests: Request[] = [];
    for (const { name, args, since } of batch)
      requests.push({ name, args, patienceMs: Math.max(0, Math.ceil(since - over)) });
    try {
      const answers = await this.runBatch(requests);
      batch.forEach(({ resolve, reject }, index) => {
        const answer = answers[index] as Answer;
        if ('error' in answer) reject(answer.error);
        else resolve(answer.value);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    const pauseMs = Math.ceil((this.clock.monotonic() - startedAt) * GATHERED_PART);
    this.gatherMs = Math.min(pauseMs, GATHERED_MAX_MS);
    const isWorthIt = this.waitsForMore && batch.length >= MANY_CALLS && pauseMs > 0;
    this.expected = isWorthIt ? Math.max(batch.length, this.expected - 1) : 0;
  }
}
