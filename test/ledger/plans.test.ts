import { describe, expect, test } from 'vitest';
import type { GrantFilter, VoteFilter } from '../../src/ledger/ledger.ts';
import { withoutAddress } from '../../src/ledger/sqlite/forwarding.ts';
import { OpenGrants } from '../../src/ledger/sqlite/open-grants.ts';
import { Orphaned } from '../../src/ledger/sqlite/orphaned.ts';
import { votesOfPeriodSql } from '../../src/ledger/sqlite/period-standings.ts';
import { Reading } from '../../src/ledger/sqlite/reading.ts';
import { receiptsSql } from '../../src/ledger/sqlite/receipts.ts';
import { byReceiptSql } from '../../src/ledger/sqlite/stored-votes.ts';
import { VoteSearch } from '../../src/ledger/sqlite/vote-search.ts';
import { rewardedSinceSql } from '../../src/ledger/sqlite/windows.ts';
import type { Database } from '../../src/platform/sqlite/open.ts';
import { freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { arrival, at } from '../support/votes.ts';

/** SQLite's plan for the queries of `read`: the lines of EXPLAIN QUERY PLAN. */
function planOf(read: (reading: Reading) => unknown): string {
  const { database } = freshLedger();
  const lines: string[] = [];
  const explain = (sql: string, values: readonly unknown[]): [] => {
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
    lines.push(...rows.map(({ detail }) => detail));
    return [];
  };
  const explaining = {
    prepare: (sql: string) => ({
      all: (...values: unknown[]) => explain(sql, values),
      iterate: (...values: unknown[]) => explain(sql, values),
      pluck() {
        return this;
      },
      raw() {
        return this;
      },
    }),
  };
  read(new Reading(explaining as unknown as Database));
  return lines.join('\n');
}

const SINCE = Date.UTC(2026, 5, 1);

const voteFilters: readonly (readonly [Omit<VoteFilter, 'limit'>, string])[] = [
  [{ id: 7 }, 'SEARCH v USING INTEGER PRIMARY KEY (rowid=?)'],
  [{ recipient: 'steve' }, 'SEARCH o USING COVERING INDEX votes_rewarded (recipient_id=?)'],
  [{ site: 'List' }, 'SEARCH v USING COVERING INDEX votes_by_service (service=?)'],
  [{ site: 'default' }, 'SEARCH v USING INDEX votes_by_entry (site=?)'],
  [{ decision: 'too-old' }, 'SEARCH v USING COVERING INDEX votes_by_decision (decision=?)'],
  [{ since: SINCE }, 'SEARCH v USING INTEGER PRIMARY KEY (rowid>?)'],
  [{ after: 7 }, 'SEARCH v USING INTEGER PRIMARY KEY (rowid<?)'],
  [{ decision: 'too-old', since: SINCE }, 'SEARCH v USING INDEX votes_by_decision (decision=? AND rowid>?)'],
  [{ until: SINCE }, 'SEARCH v USING INTEGER PRIMARY KEY (rowid<?)'],
  [
    { channel: 'webhook', since: SINCE, until: SINCE + 1 },
    'SEARCH v USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  ],
  [{ site: 'List', decision: 'too-old' }, 'SEARCH v USING INDEX votes_by_decision (decision=?)'],
  [
    { site: 'List', decision: 'rewarded', channel: 'api' },
    'SEARCH v USING INDEX votes_by_service (service=?)',
  ],
  [
    { recipient: 'steve', decision: 'rewarded' },
    'SEARCH o USING COVERING INDEX votes_rewarded (recipient_id=?)',
  ],
  [
    { recipient: 'steve', site: 'List' },
    'SEARCH o USING COVERING INDEX votes_rewarded (recipient_id=? AND service=?)',
  ],
  [
    { recipient: 'steve', site: 'default', decision: 'cooldown' },
    'SEARCH v USING INDEX votes_by_entry (site=? AND rowid=?)',
  ],
];

const grantFilters: readonly (readonly [Omit<GrantFilter, 'limit'>, string])[] = [
  [{ id: 7 }, 'SEARCH g USING INTEGER PRIMARY KEY (rowid=?)'],
  [{ voteId: 7 }, 'SEARCH g USING INDEX sqlite_autoindex_grants_1 (cause_id=? AND cause=?)'],
  [{ recipient: 'steve' }, 'SEARCH g USING INTEGER PRIMARY KEY (rowid=?)'],
  [
    { recipient: 'steve' },
    'SEARCH o USING COVERING INDEX sqlite_autoindex_grants_1 (cause_id=? AND cause=?)',
  ],
  [{ redirected: true }, 'SEARCH g USING INTEGER PRIMARY KEY (rowid=?)'],
  [{ state: 'held' }, 'SEARCH g USING INDEX grants_open (state=?)'],
  [{ state: 'refused' }, 'SEARCH g USING INDEX grants_open (state=?)'],
  [{ state: 'pending' }, 'SEARCH g USING INDEX grants_open (state=?)'],
  [{ state: 'waiting' }, 'SEARCH g USING INDEX grants_open (state=?)'],
  [{ state: 'cancelled' }, 'SEARCH g USING INDEX grants_open (state=?)'],
  [{ since: SINCE }, 'SEARCH g USING INTEGER PRIMARY KEY (rowid>?)'],
  [{ recipient: 'steve', state: 'held' }, 'SEARCH g USING INTEGER PRIMARY KEY (rowid=?)'],
  [
    { recipient: 'steve', state: 'held', since: SINCE },
    'SEARCH o USING COVERING INDEX grants_unpaid (recipient_id=? AND state=?)',
  ],
  [{ recipient: 'steve', state: 'pending' }, 'SEARCH o USING COVERING INDEX votes_rewarded (recipient_id=?)'],
  [{ recipient: 'steve', redirected: true }, 'SEARCH o USING INTEGER PRIMARY KEY (rowid=?)'],
];

describe('no search reads every vote or grant', () => {
  test.each(voteFilters)('votes by %j are found by an index', (filter, step) => {
    const plan = planOf((reading) => reading.votes({ ...filter, limit: 50 }));
    expect(plan).toContain(step);
    expect(plan).not.toMatch(/SCAN v\b/);
  });

  test('the votes of a site are read in order from two indexes, without sorting', () => {
    const plan = planOf((reading) => reading.votes({ site: 'List', limit: 50 }));
    expect(plan).toMatch(/MERGE \(UNION ALL\)/);
    expect(plan).not.toContain('TEMP B-TREE');
  });

  test('the votes of a recipient for a site are read in order, without sorting those that are not wanted', () => {
    const filter = { recipient: 'steve', site: 'List', decision: 'cooldown' } as const;
    expect(planOf((reading) => reading.votes({ ...filter, limit: 50 }))).not.toContain('TEMP B-TREE');
  });

  test.each([
    [{ recipient: 'steve' }, Number.POSITIVE_INFINITY, 50],
    [{ recipient: 'steve', decision: 'too-old' }, 500, 50],
    [{ recipient: 'steve' }, 20, 20],
    [{ recipient: 'steve', channel: 'api' }, 500, 500],
  ] as const)(
    'of the votes by %j, of which %d are looked at, %d are put in order',
    (filter, lookAt, most) => {
      const searched: { readonly sql: string; readonly values: readonly unknown[] }[] = [];
      const iterate = (sql: string, values: readonly unknown[]): [] => {
        searched.push({ sql, values });
        return [];
      };
      const prepare = (sql: string) => ({
        raw: () => ({ iterate: (...values: unknown[]) => iterate(sql, values) }),
      });
      new VoteSearch({ prepare } as unknown as Database).find({ ...filter, limit: 50 }, lookAt);
      const [{ sql, values } = { sql: '', values: [] }] = searched;
      expect(sql).toMatch(/ORDER BY id DESC LIMIT \? \+ 0\) ORDER BY id DESC$/);
      expect(values.at(-1)).toBe(most);
    },
  );

  test('the votes of a recipient that have a grant are read in order until there are enough', () => {
    const plan = planOf((reading) => reading.grants({ recipient: 'steve', state: 'held', limit: 50 }));
    expect(plan).not.toMatch(/TEMP B-TREE FOR (DISTINCT|ORDER BY)/);
  });

  test.each(grantFilters)('grants by %j are found by an index', (filter, step) => {
    const plan = planOf((reading) => reading.grants({ ...filter, limit: 50 }));
    expect(plan).toContain(step);
    expect(plan).not.toMatch(/SCAN g(rants)?\b/);
  });

  test.each([{ reward: 'never' }, { server: 'nowhere' }, { reward: 'thanks', server: 'nowhere' }])(
    'grants by %j, which was never granted, are not searched for in the grants',
    async (filter) => {
      const { ledger } = freshLedger();
      await record(ledger, [arrival()], rulesFor(THANKS));
      expect(await ledger.grants({ ...filter, limit: 9 })).toEqual([]);
      expect(planOf((reading) => reading.grants({ ...filter, limit: 9 }))).not.toMatch(/\bg\b|grants/);
      const found = await ledger.grants({ reward: 'thanks', server: 'main', limit: 9 });
      expect(found.map(({ id }) => id)).toEqual([1]);
    },
  );

  test('delivered grants are not counted one by one', () => {
    const scans = planOf((reading) => reading.grantStates())
      .split('\n')
      .filter((line) => line.startsWith('SCAN'));
    expect(new Set(scans)).toEqual(new Set(['SCAN grants USING COVERING INDEX grants_open']));
  });
});

test('recording a vote reads the rewarded votes of its player from the index alone', () => {
  const { database } = freshLedger();
  const planOf = (shared: string) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${rewardedSinceSql(shared)}`)
      .all({ recipientId: 1, service: 'List', since: 0 });
  expect(planOf('service = @service')).toMatchObject([
    {
      detail: 'SEARCH votes USING COVERING INDEX votes_rewarded (recipient_id=? AND service=? AND cast_at>?)',
    },
  ]);
  expect(planOf("site = 'default'")).toMatchObject([
    { detail: 'SEARCH votes USING COVERING INDEX votes_rewarded_unlisted (recipient_id=? AND cast_at>?)' },
  ]);
});

test.each([
  ['the same claimed time', 'service = ?', '(<expr>=? AND recipient_id=? AND service=?)'],
  ['the same event ID under another service name', 'event_id = ?', '(<expr>=? AND recipient_id=?)'],
])('recording a vote finds votes with %s by the time', (_, condition, step) => {
  const { database } = freshLedger();
  const search = `SELECT id FROM votes WHERE recipient_id = ? AND claimed_at / 1000 = ? AND ${condition}`;
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${search}`).all(1, 0, 'List') as { detail: string }[];
  expect(plan.map(({ detail }) => detail.replace('COVERING ', ''))).toEqual([
    `SEARCH votes USING INDEX votes_by_claim ${step}`,
  ]);
});

/** The plan of the statement that contains this text, of those that are prepared. */
function plansOfDelivery(
  database: Database,
  text: string,
  prepareAll: (database: Database) => unknown,
): string[] {
  const plans: string[] = [];
  const explaining = {
    prepare: (sql: string) => {
      if (sql.includes(text)) {
        const names = [...sql.matchAll(/@(\w+)/g)].map(([, name = '']) => [
          name,
          name === 'servers' || name === 'keys' ? '[]' : 0,
        ]);
        const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(Object.fromEntries(names)) as {
          detail: string;
        }[];
        plans.push(...rows.map(({ detail }) => detail));
      }
      return database.prepare(sql);
    },
  };
  prepareAll(explaining as unknown as Database);
  return plans;
}

test('whether a vote was forwarded from here is read from the votes of its player on that day', () => {
  const { database } = freshLedger();
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${byReceiptSql}`).all(1, 2, 'List', 3) as {
    detail: string;
  }[];
  expect(plan.map(({ detail }) => detail)[0]).toBe(
    'SEARCH votes USING INDEX votes_by_day (recipient_id=? AND local_day=? AND service=?)',
  );
});

test.each(['cause_id = ?', 'cause_id > ? AND cause_id <= ?'])(
  'the address is taken out of the forwards of votes without reading other grants: %s',
  (votes) => {
    const { database } = freshLedger();
    const values = votes.includes('<') ? [1, 500] : [1];
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${withoutAddress(votes)}`).all(...values) as {
      detail: string;
    }[];
    const steps = plan.map(({ detail }) => detail);
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([]);
    expect(steps).toContainEqual(expect.stringContaining('SEARCH commands USING PRIMARY KEY (grant_id=?)'));
    expect(steps).toContainEqual(
      expect.stringContaining('SEARCH grants USING COVERING INDEX sqlite_autoindex_grants_1'),
    );
  },
);

test('the waiting grants of the players who are online are found by an index', () => {
  const { database } = freshLedger();
  const plans = plansOfDelivery(database, 'json_each(@keys)', (found) => new OpenGrants(found));
  expect(plans).toContain('SEARCH g USING INDEX grants_awaited (server=? AND practice=? AND recipient_id=?)');
});

test('the players whom grants wait for are read from the index alone', () => {
  const { database } = freshLedger();
  const plans = plansOfDelivery(database, '@afterRecipient', (found) => new OpenGrants(found));
  expect(plans).toContain(
    'SEARCH g USING COVERING INDEX grants_awaited (server=? AND practice=? AND recipient_id>?)',
  );
});

test('holding orphaned grants does not read delivered grants', () => {
  const { database } = freshLedger();
  const plans = plansOfDelivery(database, 'other-game-server', (found) => new Orphaned(found));
  expect(plans.filter((step) => /^(SEARCH|SCAN) g\b/.test(step))).toEqual([
    'SEARCH g USING COVERING INDEX grants_pending (server=? AND practice=? AND id<?)',
    'SEARCH g USING COVERING INDEX grants_awaited (server=? AND practice=?)',
    'SEARCH g USING COVERING INDEX grants_delayed_on (server=? AND practice=? AND rowid<?)',
    'SEARCH g USING INDEX grants_open (state=? AND rowid<?)',
  ]);
});

test('receipts read the votes of their page only', () => {
  const { database } = freshLedger();
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${receiptsSql}`).all({ after: 0, upTo: 9 });
  expect(plan).toMatchObject([{ detail: 'SEARCH votes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)' }]);
});

describe('reading', () => {
  test('grants and votes since a time, and votes until one, are right even if the clock was set back in between', async () => {
    const { ledger } = freshLedger();
    const times = ['10:00', '15:30', '11:00', '12:10', '12:50'];
    const arrivals = times.map((time, number) =>
      arrival({ player: `P${number}`, receivedAt: at(`2026-06-01T${time}:00Z`) }),
    );
    await record(ledger, arrivals, rulesFor(THANKS));
    const since = at('2026-06-01T12:30:00Z');
    expect((await ledger.votes({ since, limit: 9 })).map(({ id }) => id)).toEqual([5, 2]);
    expect((await ledger.grants({ since, limit: 9 })).map(({ voteId }) => voteId)).toEqual([5, 2]);
    const until = at('2026-06-01T11:30:00Z');
    expect((await ledger.votes({ until, limit: 9 })).map(({ id }) => id)).toEqual([3, 1]);
    expect(await ledger.votes({ since: at('2026-06-02T00:00:00Z'), limit: 9 })).toEqual([]);
    expect(await ledger.grants({ since: at('2026-06-02T00:00:00Z'), limit: 9 })).toEqual([]);
  });

  test('the votes of a site include those under its entry and those of its service name, each once, newest first', async () => {
    const { ledger } = freshLedger();
    const arrivals = [
      arrival({ player: 'A', service: 'List', site: 'List' }),
      arrival({ player: 'B', service: 'Other', site: 'default' }),
      arrival({ player: 'C', service: 'List', site: 'default' }),
      arrival({ player: 'D', service: 'Twin', site: 'List' }),
    ];
    await record(ledger, arrivals, rulesFor());
    const found = async (site: string, after?: number) =>
      (await ledger.votes({ site, limit: 9, ...(after === undefined ? {} : { after }) })).map(({ id }) => id);
    expect(await found('List')).toEqual([4, 3, 1]);
    expect(await found('List', 4)).toEqual([3, 1]);
    expect(await found('default')).toEqual([3, 2]);
    expect(await found('Other')).toEqual([2]);
  });

  test('the votes of a player do not include those of a user ID with the same spelling', async () => {
    const { ledger } = freshLedger();
    const user = arrival({ service: 'List' });
    const ofUser = { ...user, vote: { ...user.vote, recipient: { kind: 'user', key: 'steve' } as const } };
    await record(ledger, [ofUser, arrival({ player: 'Steve' })], rulesFor(THANKS));
    const decisions = await ledger.judge([arrival({ player: 'Steve' })], 'reasons');
    expect(decisions).toMatchObject([{ takenBy: 2 }]);
  });

  test('the number of grants by state includes delivered grants', async () => {
    const { ledger } = freshLedger();
    expect(await ledger.grantStates()).toEqual({});
    const players = ['A', 'B', 'C', 'D'];
    await record(
      ledger,
      players.map((player) => arrival({ player })),
      rulesFor(THANKS),
    );
    await ledger.cancel(1, { by: 'ann' }, 0);
    for (const [grantId, player, kind] of [
      [2, 'B', 'delivered'],
      [3, 'C', 'refused'],
    ] as const) {
      await ledger.claim({ grantId, position: 0, player, uuid: null, now: 0 });
      const outcome = { kind, reply: '' };
      await ledger.settle({ grantId, position: 0, outcome, state: kind, reason: null, dueAt: 0, endedAt: 0 });
    }
    expect(await ledger.grantStates()).toEqual({ cancelled: 1, delivered: 1, refused: 1, pending: 1 });
  });
});

test('a page of the votes of a period is read by its IDs, however many votes there are', () => {
  const { database } = freshLedger();
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${votesOfPeriodSql}`);
  const rows = plan.all({ after: 0, upTo: 10_000, from: 0, to: 30 }) as { detail: string }[];
  expect(rows.map(({ detail }) => detail)).toEqual([
    'SEARCH v USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
    'SEARCH r USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
});
