import { describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { post, SECRET, signature } from '../webhook-tools/started-sink.ts';
import { refused, start } from './running-sink.ts';

const COMMAND = {
  ...{ id: 'r-1', command: 'give Steve diamond 1', server: 'city', commandId: '7-0', grant: 7 },
  ...{ reward: 'daily', occasion: 'total 25', vote: 31, site: 'A.example', player: 'Steve' },
  ...{ uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5', attempt: 1 },
};

const at = () => new FakeClock('2026-06-01T12:00:00Z');

async function running(...words: string[]) {
  const { sink, printed, ended } = await start(['--commands', '--secret', SECRET, ...words], at());
  const send = async (change: object = {}) => {
    const body = JSON.stringify({ ...COMMAND, ...change });
    return await post(sink, body, signature(body));
  };
  return { sink, printed, ended, send };
}

test('each command is one line with its facts and the answer', async () => {
  const { send, printed } = await running();
  expect((await send()).status).toBe(204);
  await send({ id: 'r-2', attempt: 2 });
  await send({ id: 'r-3', command: 'say §chi\nyou', commandId: undefined });
  expect((await printed(4)).slice(1)).toEqual([
    '2026-06-01T12:00:00.000Z  city  give Steve diamond 1; for Steve; UUID 069a79f4-44e9-4726-a5be-fca90e38aaf5; reward daily; occasion total 25; vote 31; on A.example; commandId 7-0; attempt 1; answered 204',
    naming('attempt 2', 'ran already', 'answered 204'),
    '2026-06-01T12:00:00.000Z  city  say hi / you; tried by the operator; answered 204',
  ]);
});

test('--answer is what it says, in turn, and --online who is there', async () => {
  const { send, printed } = await running('--answer', 'player-offline,delivered', '--online', 'Steve, Alex');
  expect((await send()).status).toBe(200);
  await send({ id: 'r-2', attempt: 2 });
  await send({ id: 'r-3', command: undefined, ask: 'players' });
  expect((await printed(4)).slice(1)).toEqual([
    naming('answered 200 player-offline'),
    naming('answered 200 delivered'),
    '2026-06-01T12:00:00.000Z  city  asks who is online; answered 200: Steve, Alex',
  ]);
});

test('with --json each is one object, and --count ends it', async () => {
  const { send, printed, ended } = await running('--json', '--count', '1', '--answer', 'refused');
  await send({ id: 'r-0', command: undefined, ask: 'players' });
  await send();
  const [, players = '', command = ''] = await printed(3);
  expect(JSON.parse(players)).toMatchObject({ kind: 'players', players: null, answered: 400 });
  expect(JSON.parse(command)).toEqual({
    ...COMMAND,
    ...{ kind: 'command', receivedAt: '2026-06-01T12:00:00.000Z', signature: 'valid' },
    ...{ again: false, replayed: false, answered: 200, outcome: 'refused', afterMs: 0 },
  });
  expect((await ended).exit).toBe(0);
});

test('a wrong signature and a request that is no command are shown', async () => {
  const { sink, printed } = await running();
  const body = JSON.stringify(COMMAND);
  await post(sink, body, signature(body, 'another'));
  await post(sink, '{}', signature('{}'));
  expect((await printed(3)).slice(1)).toEqual([
    naming('WRONG', 'answered 401'),
    naming('no command', 'answered 400'),
  ]);
});

test('without --secret a command is taken as it is', async () => {
  const { sink, printed } = await start(['--commands'], at());
  expect((await post(sink, JSON.stringify(COMMAND), undefined)).status).toBe(204);
  expect((await printed(2))[1]).toEqual(naming('not checked', 'answered 204'));
});

describe('refuses', () => {
  test.each([
    [['--online', 'Steve'], '--online needs --commands'],
    [['--commands', '--answer', 'delivered'], '--secret'],
    [['--commands', '--online', 'Steve'], '--secret'],
    [['--commands', '--secret', SECRET, '--answer', '200'], '--answer'],
    [['--commands', '--secret', SECRET, '--answer', 'ofline'], '--answer'],
    [['--commands', '--secret', SECRET, '--online', 'a b'], '--online'],
  ])('%j', async (words, named) => {
    const { exit, err } = await refused(words);
    expect(exit).toBe(2);
    expect(err).toEqual(naming(named));
  });
});
