import { expect, test } from 'vitest';
import type { CommandRow, GrantRow } from '../../src/ledger/ledger.ts';
import { outcomeText } from '../../src/operator/trace/grant-lines.ts';

const AT = Date.parse('2026-06-01T12:00:00Z');

function shown(command: Partial<CommandRow>): string {
  const row: CommandRow = {
    ...{ command: 'give Steve diamond', text: 'give {player} diamond', outcome: 'delivered', attempts: 1 },
    ...{ reply: '', reason: null, startedAt: AT, endedAt: AT },
    ...command,
  };
  const grant: GrantRow = {
    ...{ id: 7, cause: 'vote', voteId: 3, given: null, recipient: 'steve', player: 'Steve', reward: 'daily' },
    ...{ occasion: '', choice: null, filled: {}, server: 'main', pool: null, practice: false, reason: null },
    ...{ likelyPlayer: null, redirected: null, dueFrom: null, expiresAt: null },
    ...{ state: 'delivered', createdAt: AT, changedAt: AT, commands: [row], actions: [] },
  };
  return outcomeText(row, grant);
}

test('a command that was delivered with an empty reply is shown as unseen', () => {
  expect(shown({})).toMatch(/^delivered \(unseen\) at 2026-06-01T12:00:00\.000Z, 1 attempt: /);
});

test('a command whose reply says something is shown as delivered', () => {
  expect(shown({ reply: 'Gave 1 Diamond to Steve' })).toMatch(/^delivered at /);
});

test('an empty reply changes nothing about a command that may not have run', () => {
  expect(shown({ outcome: 'unknown' })).toMatch(/^unknown, may have run at /);
  expect(shown({ reply: null })).toMatch(/^delivered at /);
});
