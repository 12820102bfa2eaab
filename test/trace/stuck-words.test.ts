import { describe, expect, test } from 'vitest';
import { FORWARD } from '../../src/core/forward.ts';
import type { GrantRow, StuckGroup } from '../../src/ledger/ledger.ts';
import { buttonWays, commandWays } from '../../src/operator/trace/grant-ways.ts';
import { stuckWords } from '../../src/operator/trace/stuck-words.ts';

const group = (state: StuckGroup['state'], reason: StuckGroup['reason'], reward = 'daily') => ({
  ...{ server: 'lobby', state, reason },
  grants: [{ reward } as GrantRow],
});

describe('what is stuck on one game server for one reason says why, and what to do', () => {
  test.each([
    [group('refused', 'refused'), 'The game server refused', '“Pay with the new commands”'],
    [group('refused', 'command-too-long'), 'A command cannot be sent: it is longer', '“Cancel”'],
    [
      group('held', 'timeout'),
      'A command may have run: no complete reply',
      'check on lobby whether the command ran',
    ],
    [group('held', 'process-ended'), 'A command may have run: Teller stopped', '“It ran”'],
    [group('held', 'restore-doubt'), 'It may have been paid before the restore', '“Mark as paid”'],
    [group('held', 'clock-doubt'), 'This machine’s clock was doubtful', '`teller clock release`'],
    [group('held', 'other-game-server'), 'Its game server was changed', 'pay it on lobby as it is now'],
    [group('held', null), 'Held without a stored reason', '“Pay”'],
    [
      group('held', 'timeout', FORWARD),
      'Forwarded votes may have reached lobby',
      'look on lobby for each vote',
    ],
    [group('refused', 'refused', FORWARD), 'lobby refused the votes', 'forwards them again'],
    [group('held', 'clock-doubt', FORWARD), 'This machine’s clock was doubtful', '`teller clock release`'],
  ])('%#', (stuck, title, todo) => {
    const words = stuckWords(stuck, true, buttonWays);
    expect(words.title).toContain(title);
    expect(words.todo).toContain(todo);
    expect(words.todo).not.toContain('teller grants');
  });
});

test('without its game server in the config, nothing can be paid first', () => {
  const { todo } = stuckWords(group('held', 'timeout'), false, buttonWays);
  expect(todo).toContain('add lobby to `gameServers` again');
  expect(todo).not.toContain('It ran');
});

test('in a terminal, commands say the same', () => {
  expect(stuckWords(group('refused', 'refused'), true, commandWays).todo).toContain('teller grants pay');
});
