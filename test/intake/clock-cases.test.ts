import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { type Looked, looking } from '../kit/ledger-file.ts';
import { listingApi, record } from '../kit/listing-api.ts';
import { TOKEN } from '../kit/vote.ts';
import { hooked, payload, post } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse('2026-06-01T12:00:00Z');
const PAID = 'rewarded, paid';
const HELD = 'rewarded, held';

interface Ballot {
  readonly site?: string;
  readonly via?: 'v1' | 'v2';
  /** How long before its arrival it was cast, by the site's clock; null: it claims no usable time. */
  readonly agoMs?: number | null;
}

const [A, B]: readonly [Ballot, Ballot] = [{ site: 'A' }, { site: 'B' }];
const UNSIGNED: Ballot = { via: 'v1', agoMs: null };

/** A clock that an operator moves, to practise. */
class MovedClock extends FakeClock {
  movedMs = 0;
  override now = (): number => this.base() + this.movedMs;
  base = (): number => super.now();
}

/** A Teller on a machine whose clock the test sets; it also keeps the true time. */
class TellerWithClock {
  private trueNow = START;
  private players = 0;

  private readonly look: Looked;

  private constructor(
    readonly teller: Here,
    readonly api: Awaited<ReturnType<typeof listingApi>>,
  ) {
    this.look = looking(teller);
  }

  static async started(clock: FakeClock): Promise<TellerWithClock> {
    const api = await listingApi(clock);
    const sites = { default: { token: TOKEN }, A: api.site(), B: hooked(), C: {}, D: {} };
    return new TellerWithClock(await here({ sites, webhook: { host: '127.0.0.1', port: 0 } }, clock), api);
  }

  /** True time passes. */
  pass(ms: number): void {
    this.trueNow += ms;
    this.teller.clock.advance(ms);
  }

  /** The wall clock is set. */
  jump(ms: number): void {
    this.teller.clock.jump(ms);
  }

  /** Teller is down for a while, and the clock is `aheadMs` ahead of the true time when it starts again. */
  async restart(downMs: number, aheadMs: number): Promise<void> {
    this.trueNow += downMs;
    await this.teller.restart(() => this.jump(this.trueNow + aheadMs - this.teller.clock.now()));
  }

  /** The clock shows the true time again. */
  correct(): void {
    this.jump(this.trueNow - this.teller.clock.now());
  }

  /** The machine sleeps: wall time is right afterwards, monotonic time has not moved. */
  sleep(ms: number, isReported: boolean): void {
    this.trueNow += ms;
    if (isReported) this.teller.clock.sleep(ms);
    else this.jump(ms);
  }

  /** @returns the decision on the vote, and whether its reward is held. */
  async vote(player: string, { site = 'A', via = 'v2', agoMs = 0 }: Ballot = {}): Promise<string> {
    const timestamp = agoMs === null ? '' : String(this.trueNow - agoMs);
    const answer = await this.teller.vote({ player, site, via, timestamp });
    expect(answer).toBe(via === 'v1' ? '' : 'ok');
    return this.newest();
  }

  async newest(): Promise<string> {
    const [vote] = (await this.look.votes()).slice(-1);
    const [grant] = (await this.look.grants()).slice(-1);
    if (vote === undefined || grant?.voteId !== vote.id) return vote?.decision ?? 'no vote';
    return `${vote.decision}, ${grant.state === 'held' ? 'held' : 'paid'}`;
  }

  /** A vote of a player who never voted before. */
  newcomer(ballot: Ballot = {}): Promise<string> {
    this.players += 1;
    return this.vote(`New${this.players}`, ballot);
  }

  async release(): Promise<void> {
    expect(await this.teller.run('clock', 'release', '--yes')).toMatchObject({ exit: 0 });
    expect(await this.held()).toBe(0);
  }

  /** The log lines about the clock. */
  lines = () => this.teller.log.filter(({ code }) => code.startsWith('clock-'));
  reported = () => this.lines().map(({ code }) => code);

  async held(): Promise<number> {
    return (await this.teller.run('clock', '--json')).json[0].held;
  }
}

/** After this jump, `paidBefore` is not paid again, and new players' rewards are held. */
async function expectDoubted(teller: TellerWithClock, paidBefore: string): Promise<void> {
  expect(await teller.vote(paidBefore, UNSIGNED)).toBe('cooldown');
  expect(await teller.newcomer(UNSIGNED)).toBe(HELD);
  expect(teller.reported()).toEqual(['clock-doubtful']);
}

async function expectQuiet(teller: TellerWithClock): Promise<void> {
  expect(teller.reported()).toEqual([]);
  expect(await teller.held()).toBe(0);
}

/** One test for each row of the table on the operators' page. */
const cases: Readonly<Record<string, (teller: TellerWithClock) => Promise<void>>> = {
  'a step of less than 10 minutes': async (teller) => {
    for (const stepMs of [9 * MINUTE, -9 * MINUTE, 500]) {
      expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
      teller.jump(stepMs);
      expect(await teller.newcomer(A)).toBe(PAID);
      teller.pass(2 * HOUR);
    }
    await teller.restart(0, -9 * MINUTE);
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    await expectQuiet(teller);
  },

  'daylight saving time begins or ends': async (teller) => {
    // Wall time is UTC, which has no daylight saving time.
    expect(await teller.newcomer()).toBe(PAID);
    teller.pass(12 * HOUR);
    expect(await teller.newcomer()).toBe(PAID);
    await expectQuiet(teller);
  },

  'a jump forward while Teller runs': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.pass(HOUR);
    teller.jump(26 * HOUR);
    await expectDoubted(teller, 'Steve');
    teller.pass(22 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe('cooldown');
    teller.pass(HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(HELD);
  },

  'a jump forward and back': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.jump(26 * HOUR);
    await expectDoubted(teller, 'Steve');
    // The log says by how much the clock is ahead.
    expect(teller.lines()).toMatchObject([
      {
        ...{ level: 'warn', code: 'clock-doubtful', fields: { reason: 'jumped', aheadMs: 93_600_000 } },
        sentence: naming('2026-06-02T14:00:00.000Z', '26 h'),
      },
    ]);
    expect(await teller.vote('Alex', UNSIGNED)).toBe(HELD);
    teller.pass(HOUR);
    teller.correct();
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    expect(await teller.vote('Steve', UNSIGNED)).toBe('cooldown');
    expect(await teller.vote('Alex', UNSIGNED)).toBe('cooldown');
    expect(teller.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    // What is still held is released by a command, as the log says.
    expect(teller.lines()[1]).toMatchObject({ level: 'info' });
    expect(teller.lines()[1]?.sentence).toEqual(naming('teller clock release'));
    expect(await teller.held()).toBe(2);
    await teller.release();
    teller.pass(23 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
  },

  'a jump back while Teller runs': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.pass(HOUR);
    teller.jump(-2 * DAY);
    await expectDoubted(teller, 'Steve');
  },

  'clock at 1970 at boot, then set by NTP': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    await teller.restart(HOUR, -Date.parse('2026-06-01T13:00:00Z'));
    await expectDoubted(teller, 'Steve');
    expect(await teller.vote('Alex', UNSIGNED)).toBe(HELD);
    teller.pass(MINUTE);
    teller.correct();
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    expect(teller.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    // Alex’s vote stays dated as if no time had passed since Steve’s, but the 24 hours are neither shorter nor longer.
    await teller.release();
    teller.pass(DAY - 2 * MINUTE);
    expect(await teller.vote('Alex', UNSIGNED)).toBe('cooldown');
    teller.pass(MINUTE);
    expect(await teller.vote('Alex', UNSIGNED)).toBe(PAID);
  },

  'clock at 1970 on the very first start': async (teller) => {
    await teller.restart(0, -START);
    expect(await teller.vote('Steve')).toBe(HELD);
    teller.pass(MINUTE);
    teller.correct();
    expect(await teller.vote('Steve')).toBe('cooldown');
    expect(await teller.newcomer()).toBe(PAID);
    expect(teller.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    expect(await teller.held()).toBe(1);
    await teller.release();
  },

  'behind the newest vote after a restart': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    await teller.restart(MINUTE, -2 * DAY);
    await expectDoubted(teller, 'Steve');
    await teller.restart(MINUTE, -2 * DAY);
    expect(await teller.newcomer(UNSIGNED)).toBe(HELD);
    // Two days later the wrong clock shows the time of that vote, and is still wrong.
    teller.pass(2 * DAY);
    expect(await teller.newcomer(UNSIGNED)).toBe(HELD);
    teller.correct();
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
  },

  'a clock that had always been wrong is corrected': async (teller) => {
    teller.jump(3 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.correct();
    await expectDoubted(teller, 'Steve');
    expect([await teller.newcomer(A), await teller.newcomer(B)]).toEqual([HELD, HELD]);
    expect(await teller.held()).toBe(3);
    await teller.release();
    expect([await teller.newcomer(A), await teller.newcomer(B)]).toEqual([PAID, PAID]);
    expect(await teller.vote('Steve', UNSIGNED)).toBe('cooldown');
  },

  'a machine that was asleep, on Linux': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.sleep(3 * HOUR, true);
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    expect(await teller.vote('Steve', UNSIGNED)).toBe('cooldown');
    teller.pass(21 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.sleep(8 * HOUR, true);
    teller.jump(26 * HOUR);
    await expectDoubted(teller, 'Steve');
    teller.correct();
    expect(await teller.held()).toBeGreaterThan(0);
  },

  'a machine that was asleep, elsewhere': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.sleep(3 * HOUR, false);
    await expectDoubted(teller, 'Steve');
    expect([await teller.vote('Alex', UNSIGNED), await teller.newcomer(A)]).toEqual([HELD, HELD]);
    await teller.release();
    expect([await teller.newcomer(A), await teller.newcomer(B)]).toEqual([PAID, PAID]);
    teller.pass(DAY - MINUTE);
    expect(await teller.vote('Alex', UNSIGNED)).toBe('cooldown');
    teller.pass(MINUTE);
    expect(await teller.vote('Alex', UNSIGNED)).toBe(PAID);
  },

  'a clock is released although it is wrong': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.pass(HOUR);
    teller.jump(26 * HOUR);
    await expectDoubted(teller, 'Steve');
    expect(await teller.vote('Alex', UNSIGNED)).toBe(HELD);
    await teller.release();
    for (const player of ['Steve', 'Alex']) expect(await teller.vote(player, UNSIGNED)).toBe('cooldown');
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    teller.pass(23 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    expect(await teller.vote('Alex', UNSIGNED)).toBe('cooldown');
    teller.pass(HOUR);
    expect(await teller.vote('Alex', UNSIGNED)).toBe(PAID);
  },

  'a listing whose own clock is wrong by hours': async (teller) => {
    const wrong = { site: 'C', agoMs: 5 * HOUR };
    const ballots = [A, wrong, { site: 'D', agoMs: 5 * HOUR }, wrong];
    for (const ballot of ballots) expect(await teller.newcomer(ballot)).toBe(PAID);
    await teller.restart(HOUR, 0);
    for (const ballot of ballots) expect(await teller.newcomer(ballot)).toBe(PAID);
    await expectQuiet(teller);
  },

  'a listing without usable times': async (teller) => {
    const ballots = [A, { site: 'C', agoMs: null }, { site: 'D', agoMs: null }];
    for (const ballot of ballots) expect(await teller.newcomer(ballot)).toBe(PAID);
    await teller.restart(HOUR, 0);
    for (const ballot of ballots) expect(await teller.newcomer(ballot)).toBe(PAID);
    await expectQuiet(teller);
  },

  'a single vote that arrives an hour late': async (teller) => {
    expect(await teller.newcomer({ site: 'A', agoMs: HOUR })).toBe(PAID);
    await teller.restart(MINUTE, 0);
    expect(await teller.newcomer({ site: 'B', agoMs: HOUR })).toBe(PAID);
    expect(await teller.newcomer(A)).toBe(PAID);
    await expectQuiet(teller);
  },

  'a proxy delivers a queue an hour late': async (teller) => {
    expect(await teller.newcomer(A)).toBe(PAID);
    for (let vote = 0; vote < 10; vote++) {
      if (vote === 5) await teller.restart(HOUR, 0);
      for (const site of ['A', 'B']) {
        expect(await teller.newcomer({ site, agoMs: HOUR - vote * 1_000 })).toBe(PAID);
      }
    }
    expect([await teller.newcomer(A), await teller.newcomer(B)]).toEqual([PAID, PAID]);
    await expectQuiet(teller);
  },

  'the API and the webhook report old votes': async (teller) => {
    expect([await teller.newcomer(A), await teller.newcomer(B)]).toEqual([PAID, PAID]);
    await teller.restart(DAY, 0);
    const votedAt = new Date(teller.teller.clock.now() - 20 * HOUR).toISOString();
    const body = payload({ eventId: 'old' }, { votedAt, playerName: 'Old' });
    expect((await post(teller.teller, body)).status).toBe(200);
    expect(await teller.newest()).toBe(PAID);
    teller.api.votes.push(record(1, Date.parse(votedAt), 'Older'));
    await teller.teller.until(() => teller.teller.log.some(({ code }) => code === 'recovered'), 1_000);
    expect(await teller.newest()).toBe(PAID);
    await expectQuiet(teller);
  },

  'the practice clock is moved': async (teller) => {
    const clock = teller.teller.clock as MovedClock;
    expect(await teller.vote('Steve')).toBe(PAID);
    for (let day = 0; day < 3; day++) {
      clock.movedMs += DAY;
      teller.pass(MINUTE);
      expect(await teller.vote('Steve')).toBe(PAID);
      expect(await teller.newcomer(B)).toBe(PAID);
    }
    await expectQuiet(teller);
  },

  'not detected: ahead after a restart': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    await teller.restart(MINUTE, 26 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    await expectQuiet(teller);
  },

  'not detected: slow drift': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    for (let hours = 0; hours < 22; hours++) {
      teller.pass(HOUR);
      teller.jump(6 * MINUTE);
      expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    }
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    await expectQuiet(teller);
  },
};

/** The cases that the operators' page lists. */
const promised = (): string[] => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operators/clock.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => row.split('|')[1]?.trim() ?? '');
};

test.each(Object.entries(cases))('a wrong clock %s', { timeout: 40_000 }, async (name, play) => {
  const isMoved = name === 'the practice clock is moved';
  await play(await TellerWithClock.started(isMoved ? new MovedClock(START) : new FakeClock(START)));
});

test('a wrong clock is tested for each case on the operators’ page', () => {
  expect(promised()).toEqual(Object.keys(cases));
});
