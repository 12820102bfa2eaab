import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readingOf } from '../../src/core/clock-reading.ts';
import type { Channel } from '../../src/core/vote.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { reportClock } from '../../src/votes/intake/clock-report.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freshLedger, rulesFor, THANKS } from '../support/ledgers.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { arrival } from '../support/votes.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const START = Date.parse('2026-06-01T12:00:00Z');

export interface Ballot {
  readonly site?: string;
  readonly channel?: Channel;
  /** How long before its arrival it was cast, by the site's clock; null: it claims no usable time. */
  readonly agoMs?: number | null;
  readonly votedAt?: number;
}

/** A Teller's intake and ledger on a machine whose clock the test sets; it also keeps the true time. */
export class TellerWithClock {
  private readonly opened = freshLedger();
  /** Another process with the same ledger, as a command is. */
  readonly look: Ledger = this.opened.ledger;
  private readonly logged = loggedLines();
  private clock = new FakeClock(START);
  private ledger = this.started();
  private trueNow = START;
  private players = 0;

  /** True time passes. */
  pass(ms: number): void {
    this.trueNow += ms;
    this.clock.advance(ms);
  }

  /** The wall clock is set. */
  jump(ms: number): void {
    this.clock.jump(ms);
  }

  /** Teller is down for a while, and the clock is `aheadMs` ahead of the true time when it starts again. */
  restart(downMs: number, aheadMs: number): void {
    this.trueNow += downMs;
    this.clock = new FakeClock(this.trueNow + aheadMs);
    this.ledger = this.started();
  }

  /** The clock shows the true time again. */
  correct(): void {
    this.clock.jump(this.trueNow - this.clock.now());
  }

  /** The machine sleeps: wall time is right afterwards, monotonic time has not moved. */
  sleep(ms: number, isReported: boolean): void {
    this.trueNow += ms;
    if (isReported) this.clock.sleep(ms);
    else this.clock.jump(ms);
  }

  useClock(wrap: (clock: FakeClock) => FakeClock): void {
    this.clock = wrap(this.clock);
    this.ledger = this.started();
  }

  /** @returns the decision on the vote, and the state of its reward. */
  async vote(player: string, ballot: Ballot = {}): Promise<string> {
    const { site = 'A', channel = 'listener-v2', agoMs = 0, votedAt } = ballot;
    const receivedAt = this.clock.now();
    const claimAt = agoMs === null ? null : (votedAt ?? this.trueNow - agoMs);
    const claim = claimAt === null ? null : ({ at: claimAt, precision: 'ms' } as const);
    const isReported = channel === 'webhook' || channel === 'api';
    const facts = isReported ? { castAt: claimAt ?? 0, eventId: `${player}-${claimAt}` } : {};
    const voted = arrival({ player, service: site, channel, receivedAt, claim, ...facts });
    const reading = readingOf(this.clock);
    const recorded = await this.ledger.record({ ...voted, rules: rulesFor(THANKS) }, reading);
    const [grant] = await this.look.grants({ voteId: recorded.id, limit: 1 });
    const decision = recorded.kind === 'new' ? recorded.decision.kind : 'same';
    return grant === undefined ? decision : `${decision}, ${grant.state}`;
  }

  /** A vote of a player who never voted before. */
  newcomer(ballot: Ballot = {}): Promise<string> {
    this.players += 1;
    return this.vote(`New${this.players}`, ballot);
  }

  /** Votes of these sites, a minute apart, until their usual delays are known. */
  async learnDelays(...ballots: readonly Ballot[]): Promise<void> {
    for (let round = 0; round < 4; round++) {
      for (const ballot of ballots) expect(await this.newcomer(ballot)).toBe('rewarded, pending');
      this.pass(MINUTE);
    }
  }

  release() {
    return this.look.releaseClock(this.clock.now(), null, this.clock.now());
  }

  /** The codes of the log lines about the clock. */
  reported(): string[] {
    return this.logged.lines.flatMap(({ code }) => (String(code).startsWith('clock-') ? String(code) : []));
  }

  async held(): Promise<number> {
    return (await this.look.clock()).held;
  }

  private started(): Ledger {
    return freshLedger(this.opened.file, (news) => reportClock(news, this.logged.log)).ledger;
  }
}

/** The cases that the operators' page lists. */
export const promisedCases = (): string[] => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operators/clock.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => row.split('|')[1]?.trim() ?? '');
};
