import { expect, test } from 'vitest';
import type { Outcome } from '../../src/core/outcome.ts';
import { logOutcome } from '../../src/delivery/delivery-log.ts';
import type { OpenGrant } from '../../src/ledger/ledger.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { withFacts } from '../support/sentences.ts';

const GRANT = {
  id: 7,
  recipientKey: 'steve',
  player: 'Steve',
  reward: 'daily',
  safeToRunTwice: false,
} as OpenGrant;

/** The sentence that the log gives for an outcome. */
function told(outcome: Outcome, command = 'give Steve diamond 1', grant = GRANT): string {
  const { log, lines } = loggedLines();
  logOutcome(log, 'main', grant, command, outcome);
  return lines[0]?.sentence ?? '';
}

test('a delivered command is told with its reply, and an empty reply as taken', () => {
  expect(told({ kind: 'delivered', reply: 'Gave 1 [Diamond] to Steve' })).toEqual(
    withFacts('Steve', 'give Steve diamond 1', 'Gave 1 [Diamond] to Steve'),
  );
  expect(told({ kind: 'delivered', reply: '' })).toEqual(withFacts('Steve', 'give Steve diamond 1'));
});

const FORGED = 'ok\u001b[2J\r\n12:00:00  Herobrine voted on \u009b31m\u202eList\u2028';

test.each(['delivered', 'refused', 'player-offline'] as const)(
  'a game server cannot forge a line of the log with a reply that is %s',
  (kind) => {
    expect(told({ kind, reply: FORGED })).toContain('ok?[2J / 12:00:00  Herobrine voted on ?31m?List?');
    expect(told({ kind, reply: FORGED })).toMatch(/^[^\p{C}\u2028\u2029]*$/u);
    expect(told({ kind, reply: 'x'.repeat(100_000) }).length).toBeLessThan(400);
  },
);

test('a command that Teller refuses to send is told with the reason', () => {
  expect(told({ kind: 'refused', reply: null, reason: 'command-too-long' })).toContain('[command-too-long]');
});

test('nor by the way it spells a player, nor a site with a user id', () => {
  const reply = 'Gave';
  const spelled = told({ kind: 'delivered', reply }, 'give "\u202eSteve" diamond 1');
  expect(spelled).toEqual(withFacts('Steve', 'give "?Steve" diamond 1', 'Gave'));
  expect(spelled).not.toMatch(/[\p{C}\p{Zl}]/u);
  const user = { ...GRANT, player: null, recipientKey: '1180\u009b2J' };
  expect(told({ kind: 'delivered', reply }, 'coins 5', user)).toEqual(
    withFacts('1180?2J', 'coins 5', 'Gave'),
  );
});

test('a command that may have run is told to its end, so that the operator can look for it', () => {
  const command = `say ${'x'.repeat(1_400)}`;
  expect(told({ kind: 'unknown', reason: 'timeout' }, command)).toContain(command);
});

test('a reply that looks like a failure is a warning of its own, with the entry that would refuse it', () => {
  const { log, lines } = loggedLines();
  const doubt = 'no account for \\S+';
  const outcome = { kind: 'delivered', reply: 'Sorry, no account for Steve', doubt } as const;
  logOutcome(log, 'main', GRANT, 'pay Steve 5', outcome);
  expect(lines.map(({ code }) => code)).toEqual(['delivered', 'reply-doubtful']);
  expect(lines[1]?.sentence).toEqual(withFacts('"no account for \\\\S+"', 'gameServers.main.refusedReplies'));
});
