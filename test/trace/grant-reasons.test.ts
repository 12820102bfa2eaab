import { expect, test } from 'vitest';
import type { CommandReason, GrantReason } from '../../src/core/grant-reason.ts';
import { reasonAfter } from '../../src/core/grant-reason.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import {
  commandReasonSentence,
  grantNote,
  grantReasonSentence,
  grantTodos,
} from '../../src/operator/trace/grant-reasons.ts';
import { buttonWays, commandWays } from '../../src/operator/trace/grant-ways.ts';

test.each<[Outcome, GrantReason | null]>([
  [{ kind: 'delivered', reply: 'Gave' }, null],
  [
    { kind: 'refused', reply: 'Unknown item' },
    { code: 'refused', facts: { reply: 'Unknown item' } },
  ],
  [{ kind: 'refused', reply: null, reason: 'command-too-long' }, { code: 'command-too-long' }],
  [
    { kind: 'player-offline', reply: 'No player' },
    { code: 'player-offline', facts: { reply: 'No player' } },
  ],
  [{ kind: 'not-sent', reason: 'unreachable' }, { code: 'unreachable' }],
  [{ kind: 'unknown', reason: 'timeout' }, { code: 'timeout' }],
])('gives a grant that ended with %j the reason %j', (outcome, reason) => {
  expect(reasonAfter(outcome)).toEqual(reason);
});

test('puts the facts of a reason into its sentence', () => {
  expect(grantReasonSentence({ code: 'refused', facts: { reply: 'Unknown item' } })).toBe('Unknown item');
  expect(grantReasonSentence({ code: 'by-operator', facts: { dropped: 1 } })).toContain(
    '1 command was dropped',
  );
  expect(grantReasonSentence({ code: 'by-operator', facts: { dropped: 2 } })).toContain('2 commands were');
  const until = Date.UTC(2026, 10, 22, 18);
  expect(grantReasonSentence({ code: 'delayed', facts: { until } })).toContain(
    'not before 2026-11-22T18:00:00',
  );
  expect(grantReasonSentence({ code: 'by-operator' })).not.toContain('dropped');
});

test('gives scripts a note: the reply, the code for a missing reply, or the sentence', () => {
  expect(grantNote(null)).toBeNull();
  expect(grantNote({ code: 'player-offline', facts: { reply: 'No player' } })).toBe('No player');
  expect(grantNote({ code: 'uuid-unknown' })).toBe('uuid-unknown');
  expect(grantNote({ code: 'marked-paid' })).toBe(grantReasonSentence({ code: 'marked-paid' }));
});

test('keeps why the outcome was unknown before the operator said that the command ran', () => {
  const reason: CommandReason = { code: 'ran-by-operator', facts: { before: 'process-ended' } };
  expect(commandReasonSentence(reason, 'delivered')).toContain(
    commandReasonSentence({ code: 'process-ended' }, 'unknown'),
  );
});

test('names the buttons of a page in the advice there', () => {
  const concerned = { id: 7, server: 'lobby', player: 'Steve', command: '“say hi”', ways: buttonWays };
  expect(grantTodos['process-ended'](concerned)).toContain('ran: if it did, “It ran”; if not, “Pay”');
  for (const toDo of Object.values(grantTodos)) expect(toDo(concerned)).not.toContain('teller grants');
});

test('distinguishes a shutdown before a command was sent from one before its reply', () => {
  const sentences = (['not-sent', 'unknown'] as const).map((kind) =>
    commandReasonSentence({ code: 'shut-down' }, kind),
  );
  expect(new Set(sentences).size).toBe(2);
});

test('names the grant and the place to look in the advice', () => {
  const concerned = { id: 7, server: 'lobby', player: 'Steve', command: '“say hi”', ways: commandWays };
  expect(grantTodos['restore-doubt'](concerned)).toContain('check on lobby whether Steve received it');
  expect(grantTodos['process-ended'](concerned)).toContain('“say hi” ran: if it did, `teller grants ran 7`');
  expect(grantTodos['clock-doubt'](concerned)).toContain('`teller clock release`');
});
