import { isBusy, patiently } from './busy.ts';
import type { Answer, Answered, CallKind, Request } from './calls.ts';
import { Checkpoints } from './checkpoints.ts';
import { Savepoints, TransactionLost } from './savepoints.ts';
import type { DatabaseWork } from './work.ts';

/** A request of the batch that is being run, and the place of its answer. */
interface Member extends Request {
  readonly index: number;
  readonly kind: CallKind;
}

const isWrite = ({ kind }: Member): boolean => kind === 'write' || kind === 'settle';

/**
 * Runs batches of calls, each in one transaction, so that a batch costs one fsync. A call that fails is rolled back to
 * its savepoint and does not disturb the others. If the transaction is lost, all of its calls fail, even those that only
 * read, and those not yet run are skipped, because each of them would be committed on its own. The settlements are then
 * tried once more without the others: nothing else knows what happened on the game server.
 */
export class BatchRunner {
  private readonly savepoints: Savepoints;
  private readonly checkpoints: Checkpoints;

  /** @param monotonic a clock in milliseconds. */
  constructor(
    private readonly work: DatabaseWork<object>,
    private readonly monotonic: () => number,
  ) {
    this.savepoints = new Savepoints(work.database);
    this.checkpoints = new Checkpoints(work.database);
  }

  run(requests: readonly Request[]): Answered {
    const kinds = this.work.kinds as Readonly<Record<string, CallKind>>;
    const members = requests.map((request, index) => ({
      ...request,
      index,
      kind: kinds[request.name] as CallKind,
    }));
    const answers: Answer[] = new Array(requests.length);
    const outside = members.filter(({ kind }) => kind === 'outside');
    for (const member of outside) answers[member.index] = this.attempt(() => this.call(member));
    const inside = members.filter(({ kind }) => kind !== 'outside');
    if (inside.some(isWrite)) return { answers, news: this.transact(inside, answers) };
    for (const member of inside) answers[member.index] = this.attempt(() => this.look(member));
    return { answers, news: [] };
  }

  private call({ name, args }: Request): unknown {
    const calls = this.work.calls as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
    return calls[name]?.(...args);
  }

  private look(member: Member): unknown {
    return patiently(this.work.database, member.patienceMs, () => this.call(member));
  }

  private attempt(body: () => unknown): Answer {
    try {
      return { value: body() };
    } catch (error) {
      return { error: this.work.asProblem(error) };
    }
  }

  private transact(members: readonly Member[], answers: Answer[]): readonly unknown[] {
    let begun = members;
    try {
      this.work.beforeWriting?.();
      begun = this.begin(members, answers);
      if (begun.length === 0) return [];
      this.work.begin?.(begun);
      for (const member of begun) answers[member.index] = this.callInSavepoint(member);
      this.savepoints.commit();
    } catch (error) {
      this.savepoints.rollback();
      const cause = error instanceof TransactionLost ? error.cause : error;
      this.checkpoints.failed(cause);
      this.checkpoints.ended();
      const problem = this.work.asProblem(cause);
      for (const { index } of begun) answers[index] = { error: problem };
      return this.settleAlone(begun, answers);
    }
    this.checkpoints.ended();
    return this.work.committed?.() ?? [];
  }

  private settleAlone(members: readonly Member[], answers: Answer[]): readonly unknown[] {
    const settlements = members.filter(({ kind }) => kind === 'settle');
    if (settlements.length === 0 || settlements.length === members.length) return [];
    return this.transact(settlements, answers);
  }

  private callInSavepoint(member: Member): Answer {
    return this.savepoints.run(
      () => this.call(member),
      (error) => {
        this.checkpoints.failed(error);
        return this.work.asProblem(error);
      },
    );
  }

  /**
   * Begins a transaction, because a deferred one that reads before it writes fails if another process wrote in between.
   * @returns the members that are still waiting for it. Those whose patience ended meanwhile have their answer.
   */
  private begin(members: readonly Member[], answers: Answer[]): readonly Member[] {
    const startedAt = this.monotonic();
    let waiting = members;
    while (waiting.length > 0) {
      const leastMs = Math.min(...waiting.map(({ patienceMs }) => patienceMs));
      try {
        const leftMs = leastMs - (this.monotonic() - startedAt);
        patiently(this.work.database, leftMs, () => this.savepoints.begin());
        return waiting;
      } catch (error) {
        if (!isBusy(error)) throw error;
        const waitedMs = this.monotonic() - startedAt;
        const problem = this.work.asProblem(error);
        for (const { index, patienceMs } of waiting) {
          if (patienceMs <= waitedMs) answers[index] = { error: problem };
        }
        waiting = waiting.filter(({ patienceMs }) => patienceMs > waitedMs);
      }
    }
    return waiting;
  }
}
