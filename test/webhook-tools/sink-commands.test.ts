import { expect, test } from 'vitest';
import { SECRET, signature } from '../kit/webhook.ts';
import { naming } from '../support/naming.ts';
import { NOW, sinking } from './sinking.ts';

const COMMAND = {
  ...{ id: 'r-1', command: 'give Steve diamond 1', server: 'city', commandId: '7-0', grant: 7 },
  ...{ reward: 'daily', occasion: 'total 25', vote: 31, site: 'A.example', player: 'Steve' },
  ...{ uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5', attempt: 1 },
};
const ASKS = { id: 'r-0', command: undefined, ask: 'players' };

/** Runs it with --commands. */
async function obeying(...flags: string[]) {
  const sink = await sinking(['--commands', '--secret', SECRET, ...flags]);
  const send = (change: object = {}, secret = SECRET) => {
    const body = JSON.stringify({ ...COMMAND, ...change });
    return sink.post(body, signature(body, secret));
  };
  return { ...sink, send };
}

test('with --commands each command is one line with its facts and the answer', async () => {
  const { send, post, texts } = await obeying();
  expect((await send()).status).toBe(204);
  await send({ id: 'r-2', attempt: 2 });
  await send({ id: 'r-3', command: 'say §chi\nyou', commandId: undefined });
  expect((await send({ id: 'r-4' }, 'another')).status).toBe(401);
  await post('{}', signature('{}'));
  expect(await texts(5)).toEqual([
    `${NOW}  city  give Steve diamond 1; for Steve; UUID 069a79f4-44e9-4726-a5be-fca90e38aaf5; reward daily; occasion total 25; vote 31; on A.example; commandId 7-0; attempt 1; answered 204`,
    naming('attempt 2', 'ran already', 'answered 204'),
    `${NOW}  city  say hi / you; tried by the operator; answered 204`,
    naming('WRONG', 'answered 401'),
    naming('no command', 'answered 400'),
  ]);
  const open = await sinking(['--commands']);
  expect((await open.post(JSON.stringify(COMMAND))).status).toBe(204);
  expect((await open.texts(1))[0]).toEqual(naming('not checked', 'answered 204'));
});

test('--answer says how commands are answered, in turn, and --online who is there', async () => {
  const { send, texts } = await obeying(
    ...['--answer', 'player-offline,delivered', '--online', 'Steve, Alex'],
  );
  expect((await send()).status).toBe(200);
  await send({ id: 'r-2', attempt: 2 });
  await send(ASKS);
  expect(await texts(3)).toEqual([
    naming('answered 200 player-offline'),
    naming('answered 200 delivered'),
    `${NOW}  city  asks who is online; answered 200: Steve, Alex`,
  ]);
});

test('with --json each command is one object, and --count ends it', async () => {
  const { send, rows, ended } = await obeying('--json', '--count', '1', '--answer', 'refused');
  await send(ASKS);
  await send();
  expect(await rows(2)).toEqual([
    expect.objectContaining({ kind: 'players', players: null, answered: 400 }),
    {
      ...{ ...COMMAND, kind: 'command', receivedAt: NOW, signature: 'valid' },
      ...{ again: false, replayed: false, answered: 200, outcome: 'refused', afterMs: 0 },
    },
  ]);
  expect(await ended).toBe(0);
});

test('a command that ran does not run again, and one that did not does; a forged one is no repeat, and a replay is refused with 409', async () => {
  const { send, rows } = await obeying('--json', '--answer', 'player-offline,delivered,refused');
  const outcomes = [];
  expect((await send({ id: 'z' }, 'another')).status).toBe(401);
  for (const id of ['a', 'b', 'c', 'd']) {
    const { text } = await send({ id, commandId: id === 'd' ? '7-1' : '7-0' });
    outcomes.push(JSON.parse(text).outcome);
  }
  expect(outcomes).toEqual(['player-offline', 'delivered', 'delivered', 'refused']);
  expect((await rows(5)).map(({ signature: state, again }) => [state, again])).toEqual([
    ['wrong', false],
    ['valid', false],
    ['valid', false],
    ['valid', true],
    ['valid', false],
  ]);
  expect((await send({ id: 'd', commandId: '7-1' })).status).toBe(409);
  expect((await rows(6)).map(({ replayed }) => replayed)).toEqual([
    ...[false, false, false, false, false, true],
  ]);
});

test('a request that is no command is refused with its reason, and the question who is online without an answer too', async () => {
  const { send, post, rows } = await obeying('--json');
  const cases = [
    ['not-json', '{'],
    ['not-a-command', '{"id":"a","server":"city"}'],
    ['not-a-command', '{"command":"say hi","server":"city"}'],
    ['not-a-command', '[]'],
    ['not-a-command', 'null'],
  ] as const;
  for (const [, body] of cases) expect((await post(body, signature(body))).status).toBe(400);
  expect(await rows(cases.length)).toMatchObject(
    cases.map(([reason]) => ({ kind: 'no-command', reason, signature: 'valid' })),
  );
  expect((await send(ASKS)).status).toBe(400);
  expect((await post(JSON.stringify({ ...COMMAND, ...ASKS }))).status).toBe(401);
});
