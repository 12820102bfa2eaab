import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { signBody } from '../../protocol/webhook/signature.ts';
import { Secret } from '../../src/config/config.ts';
import type { CommandAbout } from '../../src/delivery/game-server.ts';
import { httpGameServer } from '../../src/delivery/kinds/http/game-server.ts';
import { http } from '../../src/delivery/kinds/http/kind.ts';
import type { HttpConfig } from '../../src/delivery/kinds/http/schema.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fixedRandom } from '../support/fixed-random.ts';

const SECRET = 'whsec_of-the-game-server';
type Asked = Readonly<Record<string, unknown>> & { readonly id: string };
/** @returns the body of the answer and what its signature covers; null: no signature. */
type Answering = (asked: Asked) => { readonly body: string; readonly signed: string | null };

async function serverThat(answering: Answering, answers = true) {
  const asked: Asked[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const read = JSON.parse(text) as Asked;
      asked.push(read);
      const { body, signed } = answering(read);
      const headers = signed === null ? {} : { 'X-Webhook-Signature': signBody(Buffer.from(signed), SECRET) };
      response.writeHead(200, headers).end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const config = {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    secret: new Secret(SECRET),
    answers,
    ...{ commandTimeoutMs: 10_000, commandPauseMs: 0 },
    ...{ refusedReplies: [], offlineReplies: [], deliveredReplies: [] },
  };
  const random = { ...fixedRandom(0), bytes: systemRandom.bytes };
  const server = httpGameServer({ ...config, name: 'city', clock: new FakeClock(), random });
  onTestFinished(async () => {
    await server.close();
    receiver.closeAllConnections();
    receiver.close();
  });
  const check = (secret: string) => {
    const entry = { ...config, kind: 'http', secret: new Secret(secret) } as unknown as HttpConfig;
    const unused = {
      needsUuids: false,
      commands: [],
      isInUse: async () => false,
      sentenceOf: String,
    };
    return http.check(entry, { name: 'city', clock: new FakeClock(), random, ...unused });
  };
  return { server, asked, check };
}

const signing =
  (answer: unknown): Answering =>
  ({ id }) => {
    const body = JSON.stringify(answer);
    return { body, signed: `${id}.${body}` };
  };

const ABOUT: CommandAbout = {
  ...{ grant: 7, position: 1, vote: 31, reward: 'daily', occasion: 'day 2026-11-23', site: 'A.example' },
  ...{ player: 'Steve', uuid: null, attempt: 2 },
};

describe('a post', () => {
  test('says what its command is run for, with an ID that stays the same when it is sent again', async () => {
    const { server, asked } = await serverThat(signing({}), false);
    await server.run('give Steve diamond 1', 'give {player} diamond 1', ABOUT);
    await server.run('give Steve diamond 1', 'give {player} diamond 1', { ...ABOUT, attempt: 3 });
    const { position: _, ...facts } = ABOUT;
    const said = { ...facts, commandId: '7-1', command: 'give Steve diamond 1', server: 'city' };
    expect(asked).toEqual([
      { ...said, id: expect.any(String) },
      { ...said, id: expect.any(String), attempt: 3 },
    ]);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(2);
  });

  test('of a command that is tried says nothing else', async () => {
    const { server, asked } = await serverThat(signing({}));
    await server.run('list');
    expect(Object.keys(asked[0] ?? {})).toEqual(['id', 'command', 'server']);
  });
});

describe('a signed answer', () => {
  test.each(['delivered', 'refused', 'player-offline'] as const)(
    'says that a command ended: %s',
    async (outcome) => {
      const { server } = await serverThat(signing({ outcome, reply: 'said so' }));
      expect(await server.run('give Steve diamond 1')).toEqual({ kind: outcome, reply: 'said so' });
    },
  );

  test('without an outcome is read like the reply of a game server', async () => {
    const { server } = await serverThat(() => ({ body: 'Unknown command', signed: null }));
    expect(await server.run('give Steve diamond 1')).toMatchObject({ kind: 'refused' });
  });

  const outcome = '{"outcome":"delivered"}';
  test.each<readonly [string, Answering]>([
    ['has no signature', () => ({ body: outcome, signed: null })],
    ['is signed without the ID of its request', () => ({ body: outcome, signed: outcome })],
    ['is signed for another request', () => ({ body: outcome, signed: `another.${outcome}` })],
    ['has another body', ({ id }) => ({ body: outcome, signed: `${id}.{"outcome":"refused"}` })],
  ])('is not believed if it %s', async (_, answering) => {
    const { server } = await serverThat(answering);
    expect(await server.run('give Steve diamond 1')).toEqual({
      kind: 'unknown',
      reason: 'http.answer-unsigned',
    });
  });

  test('is a reply like any other where the config does not say that there are answers', async () => {
    const { server } = await serverThat(signing({ outcome: 'refused' }), false);
    expect(await server.run('give Steve diamond 1')).toMatchObject({ kind: 'delivered' });
  });
});

describe('who is online', () => {
  const STEVE = { name: 'Steve', uuid: '069A79F4-44E9-4726-A5BE-FCA90E38AAF5' };
  const OTHER = 'ec561538-f3fd-461d-aff5-086b22154bce';

  test('is asked with a signed request and read with UUIDs', async () => {
    const { server, asked } = await serverThat(signing({ players: [STEVE] }));
    const uuids = new Map([['steve', '069a79f4-44e9-4726-a5be-fca90e38aaf5']]);
    expect(await server.presence(['Steve'])).toEqual({ kind: 'known', names: ['Steve'], uuids });
    expect(asked).toEqual([{ id: expect.any(String), ask: 'players', server: 'city' }]);
  });

  test('is known without UUIDs unless each player has one', async () => {
    const { server } = await serverThat(signing({ players: [STEVE, '.Bedrock_1'] }));
    expect(await server.presence([])).toEqual({ kind: 'known', names: ['Steve', '.Bedrock_1'] });
  });

  test.each<readonly [string, unknown]>([
    ['no list', {}],
    ['a name with a space', { players: ['Steve op'] }],
    ['a line break in a name', { players: ['Steve\nop'] }],
    ['a UUID that is none', { players: [{ name: 'Steve', uuid: 'x' }] }],
    ['a number', { players: [7] }],
    ['two names that differ in upper and lower case', { players: [STEVE, { name: 'STEVE', uuid: OTHER }] }],
    ['a name with a letter that passes for another one', { players: [{ name: 'Steve\u212a', uuid: OTHER }] }],
    ['a prefix that is a letter', { players: [{ name: '\u212aatrin', uuid: OTHER }] }],
    ['a name of 17 letters', { players: [{ name: 'a'.repeat(17), uuid: OTHER }] }],
    ['two players with one UUID', { players: [STEVE, { ...STEVE, name: 'Alex' }] }],
  ])('is not guessed from %s', async (_, answer) => {
    const { server } = await serverThat(signing(answer));
    expect(await server.presence([])).toEqual({ kind: 'cannot-tell', reason: 'http.players-unreadable' });
  });

  test('is not believed without a signature', async () => {
    const { server } = await serverThat(() => ({ body: '{"players":["Steve"]}', signed: null }));
    expect(await server.presence([])).toEqual({ kind: 'cannot-tell', reason: 'http.players-unsigned' });
  });

  test('is told to the operator by check, and so is a secret that is not the same', async () => {
    const { check } = await serverThat(signing({ players: ['Steve'] }));
    expect(await check(SECRET)).toMatchObject([{ mark: 'ok', code: 'game-server' }]);
    expect(await check('another')).toMatchObject([{ mark: 'warning', code: 'http.players-unsigned' }]);
  });
});
