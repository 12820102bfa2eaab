import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import { VoteLog } from '../../src/intake/vote-log.ts';
import type { Recorded } from '../../src/ledger/ledger.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { arrival, at, type VoteFacts } from '../support/votes.ts';

const REWARDED: Recorded = {
  kind: 'new',
  id: 7,
  decision: { kind: 'rewarded', nextAt: at('2026-06-02T12:00:00Z'), grants: [], rolls: [] },
};

function logging(practice = false) {
  const clock = new FakeClock();
  const kept = loggedLines();
  const voteLog = new VoteLog(kept.log, clock, practice);
  const say = (recorded: Recorded, facts: VoteFacts = {}) => voteLog.recorded(arrival(facts).vote, recorded);
  return { clock, voteLog, say, ...kept };
}

describe('a recorded vote', () => {
  test('is one line with who, where and what was decided', () => {
    const { say, lines } = logging();
    say(REWARDED, { site: 'List' });
    const cooldown = { kind: 'cooldown', nextAt: at('2026-06-02T12:00:00Z'), takenBy: 7 } as const;
    say({ kind: 'new', id: 8, decision: cooldown }, { site: 'List' });
    say({ kind: 'same', id: 8 }, { site: 'List' });
    expect(lines.map(({ code, sentence }) => [code, sentence])).toEqual([
      ['rewarded', 'Steve voted on List: rewarded, 0 grant(s): none'],
      ['cooldown', 'Steve voted on List: counted; not rewarded again before 2026-06-02T12:00:00.000Z'],
      ['same-vote', 'Steve on List: vote 8 again, counted once'],
    ]);
  });

  test('of an unlisted service says once which entry to add', () => {
    const { say, lines, codes } = logging();
    say(REWARDED, { service: 'My "List"' });
    say(REWARDED, { service: 'My "List"' });
    expect(codes('warn')).toEqual(['unlisted-service']);
    expect(lines.find(({ level }) => level === 'warn')?.sentence).toContain(
      'add "My \\"List\\"": {} to sites',
    );
  });

  test('of ever new unlisted services is mentioned 200 times and no more', () => {
    const { say, codes } = logging();
    for (let n = 0; n < 1_000; n++) say(REWARDED, { service: `List ${n}` });
    expect(codes('warn')).toHaveLength(200);
  });

  test.each([
    ['192.0.2.1', 1],
    ['2001:db8::1', 1],
    ['127.0.0.1', 0],
    ['::1', 0],
    [null, 0],
  ])('from %s with a practice server is warned of %i time(s)', (address, times) => {
    const { say, codes } = logging(true);
    say(REWARDED, { address, site: 'List' });
    expect(codes('warn')).toEqual(Array.from({ length: times }, () => 'practice'));
  });
});

test('votes that cannot be stored are one error line in ten seconds, with their number', () => {
  const { voteLog, clock, lines } = logging();
  const { vote } = arrival();
  const problem = new Problem('ledger-full', 'The disk is full.');
  for (let n = 0; n < 100; n++) voteLog.unable(vote, problem);
  clock.advance(10_000);
  voteLog.unable(vote, problem);
  expect(lines.map(({ level, sentence }) => `${level}: ${sentence}`)).toEqual([
    'error: 1 vote(s) could not be stored, and were not answered ok: The disk is full.',
    'error: 100 vote(s) could not be stored, and were not answered ok: The disk is full.',
  ]);
});
