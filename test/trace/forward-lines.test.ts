import { describe, expect, test } from 'vitest';
import { FORWARD, forwardText } from '../../src/core/forward.ts';
import type { GrantReason } from '../../src/core/grant-reason.ts';
import type { GrantState } from '../../src/core/settlement.ts';
import type { CommandRow, GrantRow } from '../../src/ledger/ledger.ts';
import { grantLines } from '../../src/operator/trace/grant-lines.ts';
import { type GrantContext, grantTodo } from '../../src/operator/trace/grant-todo.ts';
import { naming } from '../support/naming.ts';

const AT = Date.parse('2026-06-01T12:00:00Z');
const NO_PATTERNS = { refusedReplies: [], offlineReplies: [], deliveredReplies: [] };
const CONTEXT: GrantContext = { patterns: NO_PATTERNS, queue: null, pauses: [] };

function forward(state: GrantState, reason: GrantReason | null, command: Partial<CommandRow> = {}): GrantRow {
  const text = forwardText({ service: 'List', player: 'Steve', address: '203.0.113.9', at: AT });
  const row: CommandRow = {
    ...{ command: text, text, outcome: null, attempts: 0, reply: null, reason: null },
    ...{ startedAt: null, endedAt: null },
    ...command,
  };
  return {
    ...{ id: 7, cause: 'vote', voteId: 3, given: null, recipient: 'steve', player: null, reward: FORWARD },
    ...{ occasion: '', choice: null, filled: {}, server: 'old', pool: null, practice: false, state, reason },
    ...{ likelyPlayer: null, redirected: null, dueFrom: null, expiresAt: null },
    ...{ createdAt: AT, changedAt: AT + 60_000, commands: [row], actions: [] },
  };
}

const linesOf = (grant: GrantRow, context = CONTEXT) =>
  grantLines(grant, AT, context).map(({ about, text }) => `${about} ${text}`);

describe('a forward is explained in one line', () => {
  test.each<readonly [GrantRow, readonly (string | RegExp)[]]>([
    [forward('delivered', null, { outcome: 'delivered', reply: 'ok' }), ['forwarded to old', /: ok$/]],
    [forward('delivered', null, { outcome: 'delivered', reply: '' }), ['forwarded to old', 'version 1']],
    [forward('delivered', { code: 'marked-paid' }, { outcome: 'unknown' }), ['the operator said so']],
    [forward('held', { code: 'timeout' }, { outcome: 'unknown' }), ['held', '[timeout]', 'not forwarded']],
    [forward('held', { code: 'restore-doubt' }), ['held', '[restore-doubt]']],
    [
      forward('refused', { code: 'refused', facts: { reply: 'Name too long' } }),
      ['refused', 'Name too long'],
    ],
    [forward('cancelled', { code: 'expired' }), ['not forwarded to old', 'expired']],
    [forward('pending', null), ['to be forwarded to old', '2026-06-01T12:00:00.000Z']],
    [
      forward('pending', { code: 'votifier.error-answer' }, { attempts: 3, outcome: 'not-sent' }),
      ['3 attempt'],
    ],
    [forward('pending', null, { startedAt: AT }), ['being forwarded to old']],
  ])('%#', (grant, facts) => {
    const [line] = linesOf(grant);
    expect(line).toEqual(naming('grant 7', ...facts));
    expect(line).not.toContain('203.0.113.9');
  });
});

test('the operator is told what to look for, and with which commands to go on', () => {
  const held = forward('held', { code: 'timeout' }, { outcome: 'unknown' });
  expect(grantTodo(held, CONTEXT)).toEqual(
    naming('Steve on List from 2026-06-01T12:00:00.000Z', 'grants mark-paid 7', 'grants pay 7'),
  );
  expect(grantTodo(forward('held', { code: 'clock-doubt' }), CONTEXT)).toContain('teller clock release');
  expect(grantTodo(forward('held', { code: 'other-game-server' }), CONTEXT)).toContain('grants pay 7');
  expect(grantTodo(forward('refused', null), CONTEXT)).toContain('grants pay 7');
  expect(grantTodo(forward('delivered', null), CONTEXT)).toBeNull();
  expect(grantTodo(forward('pending', null), CONTEXT)).toContain('nothing');
});

test('while the other listener is down, its forwards say since when and why', () => {
  const queue = { reason: 'votifier.unreachable', since: AT } as const;
  const lines = linesOf({ ...forward('pending', null), expiresAt: AT + 1 }, { ...CONTEXT, queue });
  expect(lines).toContainEqual(naming('waiting:', 'forwarded to old', '[votifier.unreachable]'));
  expect(lines).toContainEqual(naming('expires:', 'has not been forwarded'));
  expect(lines.at(-1)).toEqual(naming('to do:', 'Teller keeps trying'));
});
