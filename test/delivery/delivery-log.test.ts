import { expect, test } from 'vitest';
import { FORWARD, forwardText } from '../../src/core/forward.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { logOutcome } from '../../src/delivery/delivery-log.ts';
import type { OpenGrant } from '../../src/ledger/ledger.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { naming } from '../support/naming.ts';

const GRANT = {
  id: 7,
  recipientKey: 'steve',
  player: 'Steve',
  reward: 'daily',
  safeToRunTwice: false,
} as OpenGrant;

/** The sentence that is logged for an outcome. */
function sentence(outcome: Outcome, command = 'give Steve diamond 1', grant = GRANT): string {
  const { log, lines } = loggedLines();
  logOutcome(log, 'main', grant, command, outcome);
  return lines[0]?.sentence ?? '';
}

test('logs a delivered command with its reply, or says that it had no output', () => {
  expect(sentence({ kind: 'delivered', reply: 'Gave 1 [Diamond] to Steve' })).toEqual(
    naming('Steve', 'give Steve diamond 1', 'Gave 1 [Diamond] to Steve'),
  );
  expect(sentence({ kind: 'delivered', reply: '' })).toEqual(naming('Steve', 'give Steve diamond 1'));
});

const FORGED = 'ok\u001b[2J\r\n12:00:00  Herobrine voted on \u009b31m\u202eList\u2028';

test.each(['delivered', 'refused', 'player-offline'] as const)(
  'a game server cannot forge a line of the log with a reply that is %s',
  (kind) => {
    expect(sentence({ kind, reply: FORGED })).toContain('ok?[2J / 12:00:00  Herobrine voted on ?31m?List?');
    expect(sentence({ kind, reply: FORGED })).toMatch(/^[^\p{C}\u2028\u2029]*$/u);
    expect(sentence({ kind, reply: 'x'.repeat(100_000) }).length).toBeLessThan(400);
  },
);

test('logs why Teller refuses to send a command', () => {
  expect(sentence({ kind: 'refused', reply: null, reason: 'command-too-long' })).toContain(
    '[command-too-long]',
  );
});

test('a player name or a user ID cannot forge a log line', () => {
  const reply = 'Gave';
  const spelled = sentence({ kind: 'delivered', reply }, 'give "\u202eSteve" diamond 1');
  expect(spelled).toEqual(naming('Steve', 'give "?Steve" diamond 1', 'Gave'));
  expect(spelled).not.toMatch(/[\p{C}\p{Zl}]/u);
  const user = { ...GRANT, player: null, recipientKey: '1180\u009b2J' };
  expect(sentence({ kind: 'delivered', reply }, 'coins 5', user)).toEqual(
    naming('1180?2J', 'coins 5', 'Gave'),
  );
});

test('logs the full text of a command that may have run, so that the operator can search for it', () => {
  const command = `say ${'x'.repeat(1_400)}`;
  expect(sentence({ kind: 'unknown', reason: 'timeout' }, command)).toContain(command);
});

test('logs a warning for a reply that looks like a failure, with the config entry that would refuse it', () => {
  const { log, lines } = loggedLines();
  const doubt = 'no account for \\S+';
  const outcome = { kind: 'delivered', reply: 'Sorry, no account for Steve', doubt } as const;
  logOutcome(log, 'main', GRANT, 'pay Steve 5', outcome);
  expect(lines.map(({ code }) => code)).toEqual(['delivered', 'reply-doubtful']);
  expect(lines[1]?.sentence).toEqual(naming('"no account for \\\\S+"', 'gameServers.main.refusedReplies'));
});

test.each<readonly [Outcome, readonly (string | RegExp)[]]>([
  [{ kind: 'delivered', reply: 'ok' }, ['forwarded to main', 'vote of Steve on List', /→ ok$/]],
  [{ kind: 'delivered', reply: '' }, ['version 1']],
  [{ kind: 'refused', reply: 'Name too long' }, ['grant 7', 'not forwarded', 'Name too long']],
  [{ kind: 'refused', reply: null, reason: 'votifier.too-long' }, ['[votifier.too-long]']],
  [{ kind: 'unknown', reason: 'timeout' }, ['held', 'grants mark-paid 7', 'grants pay 7']],
  [{ kind: 'not-sent', reason: 'votifier.no-greeting' }, ['grant 7', 'no Votifier greeting']],
])('logs which vote was forwarded without the address that it came from: %j', (outcome, facts) => {
  const vote = forwardText({ service: 'List', player: 'Steve', address: '203.0.113.9', at: 0 });
  const { log, lines } = loggedLines();
  logOutcome(log, 'main', { ...GRANT, player: null, reward: FORWARD }, vote, outcome);
  expect(lines.map(({ sentence: said }) => said)).toEqual([naming(...facts)]);
  expect(JSON.stringify(lines)).not.toContain('203.0.113.9');
});
