import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import type { Recorded } from '../../src/ledger/ledger.ts';
import { VoteLog } from '../../src/votes/intake/vote-log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { naming } from '../support/naming.ts';
import { arrival, at, type VoteFacts } from '../support/votes.ts';

const REWARDED: Recorded = {
  kind: 'new',
  id: 7,
  decision: { kind: 'rewarded', nextAt: at('2026-06-02T12:00:00Z'), rewards: [] },
};

function logging(practice = false) {
  const clock = new FakeClock();
  const kept = loggedLines();
  const voteLog = new VoteLog(kept.log, clock, practice);
  const say = (recorded: Recorded, facts: VoteFacts = {}) => voteLog.recorded(arrival(facts).vote, recorded);
  return { clock, voteLog, say, ...kept };
}

describe('a recorded vote', () => {
  test('gets one line with player, site and decision', () => {
    const { say, lines } = logging();
    say(REWARDED, { site: 'List' });
    const cooldown = {
      kind: 'cooldown',
      nextAt: at('2026-06-02T12:00:00Z'),
      takenBy: 7,
      rewards: [],
    } as const;
    say({ kind: 'new', id: 8, decision: cooldown }, { site: 'List' });
    say({ kind: 'same', id: 8 }, { site: 'List' });
    expect(lines.map(({ code, sentence }) => [code, sentence])).toEqual([
      ['rewarded', naming('Steve', 'List', '0')],
      ['cooldown', naming('Steve', 'List', '2026-06-02T12:00:00.000Z')],
      ['same-vote', naming('Steve', 'List', '8')],
    ]);
  });

  test('that is not rewarded gets a line for the first ten in ten seconds, and a count for the rest', () => {
    const { say, clock, lines } = logging();
    const cooldown = {
      kind: 'cooldown',
      nextAt: at('2026-06-02T12:00:00Z'),
      takenBy: 7,
      rewards: [],
    } as const;
    for (let id = 1; id <= 300; id++) say({ kind: 'new', id, decision: cooldown }, { site: 'List' });
    for (let id = 301; id <= 350; id++) say({ ...REWARDED, id }, { site: 'List' });
    clock.advance(10_000);
    expect(lines.filter(({ code }) => code === 'cooldown').map(({ sentence }) => sentence)).toEqual([
      ...Array(10).fill(naming('Steve', 'List', '2026-06-02T12:00:00.000Z')),
      naming('300', '10 s'),
    ]);
    expect(lines.filter(({ code }) => code === 'rewarded')).toHaveLength(50);
  });

  test('from an unlisted service makes the log say once which entry to add', () => {
    const { say, lines, codes } = logging();
    say(REWARDED, { service: 'My "List"' });
    say(REWARDED, { service: 'My "List"' });
    expect(codes('warn')).toEqual(['unlisted-service']);
    expect(lines.find(({ level }) => level === 'warn')?.sentence).toContain('"My \\"List\\"": {}');
  });

  test('that was not rewarded because of another service without an entry gets one warning per service', () => {
    const { say, lines } = logging();
    const decision = { kind: 'unlisted', nextAt: 0, takenBy: 7, rewards: [] } as const;
    for (const id of [8, 9]) say({ kind: 'new', id, decision, sharedWith: 'One' }, { service: 'Two' });
    expect(lines.filter(({ code }) => code === 'window-shared')).toMatchObject([
      {
        level: 'warn',
        fields: { vote: 8, service: 'Two', sharedWith: 'One' },
        sentence: naming('Steve', 'One', '"Two": {}', 'teller sites add', 'pays this vote'),
      },
    ]);
  });

  test('from an unlisted service is mentioned only for the first 200 services', () => {
    const { say, codes } = logging();
    for (let n = 0; n < 1_000; n++) say(REWARDED, { service: `List ${n}` });
    expect(codes('warn')).toHaveLength(200);
  });

  test('is logged without characters that move the cursor or break the line', () => {
    const { say, lines } = logging();
    say(REWARDED, { service: 'a\u009b2J\u202eb\u2028c' });
    const escaped = 'a\\u009b2J\\u202eb\\u2028c';
    expect(lines.map(({ code, sentence }) => [code, sentence])).toEqual([
      ['rewarded', naming('Steve', escaped)],
      ['unlisted-service', naming(`"${escaped}": {}`)],
    ]);
    for (const { sentence } of lines) expect(sentence).not.toMatch(/[\p{C}\p{Zl}]/u);
  });

  test.each([
    ['192.0.2.1', 1],
    ['2001:db8::1', 1],
    ['127.0.0.1', 0],
    ['::1', 0],
    [null, 0],
  ])('from %s causes %i warnings if rewards go to a practice server', (address, times) => {
    const { say, codes } = logging(true);
    say(REWARDED, { address, site: 'List' });
    expect(codes('warn')).toEqual(Array.from({ length: times }, () => 'practice'));
  });
});

describe('the log has one line per cause and ten seconds (rule 11)', () => {
  test('logs a block that is replayed 2,000 times once, and then the count', () => {
    const { say, clock, lines } = logging();
    for (let n = 0; n < 2_000; n++) say({ kind: 'same', id: 8 }, { site: 'List' });
    expect(lines).toMatchObject([{ code: 'same-vote', fields: { vote: 8 } }]);
    clock.advance(10_000);
    expect(lines.slice(1)).toMatchObject([
      {
        level: 'info',
        code: 'same-vote',
        fields: { repeats: 2_000 },
        sentence: naming('2000', '10 s'),
      },
    ]);
    clock.advance(60_000);
    say({ kind: 'same', id: 8 }, { site: 'List' });
    expect(lines).toHaveLength(3);
  });

  test('logs a single repeat without a count', () => {
    const { say, clock, lines } = logging();
    say({ kind: 'same', id: 8 });
    clock.advance(10_000);
    expect(lines).toHaveLength(1);
  });

  test('counts votes that cannot be stored separately for each problem', () => {
    const { voteLog, clock, lines } = logging();
    const { vote } = arrival();
    for (let n = 0; n < 100; n++) voteLog.unable(vote, new Problem('ledger-full', 'The disk is full.'));
    voteLog.unable(vote, new Problem('ledger-locked', 'It is locked.'));
    clock.advance(10_000);
    expect(lines.map(({ level, code, sentence }) => [`${level} ${code}`, sentence])).toEqual([
      ['error ledger-full', naming('steve', 'List', 'The disk is full.')],
      ['error ledger-locked', naming('steve', 'List', 'It is locked.')],
      ['error ledger-full', naming('100', '10 s')],
    ]);
  });

  test('logs a bug with its stack', () => {
    const { voteLog, lines } = logging();
    voteLog.unable(arrival().vote, new TypeError('x is undefined'));
    expect(lines).toMatchObject([
      {
        level: 'error',
        code: 'bug',
        fields: { stack: expect.stringContaining('vote-log.test.ts') },
        sentence: naming('steve', 'List', 'x is undefined'),
      },
    ]);
  });

  test('logs the counts so far when the process stops', () => {
    const { voteLog, say, codes } = logging();
    say({ kind: 'same', id: 8 });
    say({ kind: 'same', id: 8 });
    voteLog.close();
    expect(codes('info')).toEqual(['same-vote', 'same-vote']);
  });
});
