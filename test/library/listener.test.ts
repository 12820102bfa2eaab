import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { declarations } from '../../build/package.ts';
import type { ListenerOptions, Refusal, Vote } from '../../src/library/vote-teller.ts';
import * as library from '../../src/library/vote-teller.ts';
import { temporaryFolder } from '../support/folder.ts';

const { createListener, sendVote } = library;
const TOKEN = 'token-of-the-listing';
const STEVE = { service: 'A.example', player: 'Steve', castAt: Date.now() };

async function listening(options: Partial<ListenerOptions> = {}) {
  const votes: Vote[] = [];
  const refusals: Refusal[] = [];
  const listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    tokens: TOKEN,
    onVote: (vote) => void votes.push(vote),
    onRefused: (refusal) => void refusals.push(refusal),
    ...options,
  });
  onTestFinished(() => listener.close());
  const to = { host: '127.0.0.1', port: listener.port, token: TOKEN };
  return { listener, votes, refusals, to };
}

test('a listener of one’s own gives a vote of version 2 to onVote, and the sender hears ok', async () => {
  const { votes, to } = await listening();
  const sent = await sendVote({ ...STEVE, voterAddress: '203.0.113.9' }, to);
  expect(sent).toMatchObject({ arrived: 'yes', code: 'accepted' });
  expect(votes).toEqual([
    {
      ...STEVE,
      receivedAt: expect.any(Number),
      voterAddress: '203.0.113.9',
      sender: '127.0.0.1',
      version: 'v2',
    },
  ]);
});

test('a listener of one’s own answers ok only after onVote has resolved', async () => {
  const order: string[] = [];
  const { to } = await listening({
    onVote: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('stored');
    },
  });
  await sendVote(STEVE, to);
  expect([...order, 'answered']).toEqual(['stored', 'answered']);
});

test('a listener of one’s own says that a vote was not stored if onVote rejects', async () => {
  const { to, refusals } = await listening({ onVote: () => Promise.reject(new Error('full')) });
  expect(await sendVote(STEVE, to)).toMatchObject({ arrived: 'no', code: 'error-reply' });
  expect(refusals).toEqual([{ code: 'ledger-unable', service: 'A.example', sender: '127.0.0.1' }]);
});

test('a listener of one’s own refuses a wrong token, and a name that no player has, before onVote is called', async () => {
  const { votes, refusals, to } = await listening();
  expect(await sendVote(STEVE, { ...to, token: 'another' })).toMatchObject({ code: 'wrong-token' });
  expect(await sendVote({ ...STEVE, player: 'not a name!' }, to)).toMatchObject({ arrived: 'no' });
  expect(votes).toEqual([]);
  expect(refusals.map(({ code }) => code)).toEqual(['v2-signature', 'name-not-allowed']);
});

test('a listener of one’s own knows a listing by its own token, and all others by the default one', async () => {
  const { to, votes } = await listening({ tokens: { default: TOKEN, 'B.example': 'own-token' } });
  expect(await sendVote(STEVE, to)).toMatchObject({ arrived: 'yes' });
  const ofB = { ...STEVE, service: 'B.example' };
  expect(await sendVote(ofB, to)).toMatchObject({ code: 'wrong-token' });
  expect(await sendVote(ofB, { ...to, token: 'own-token' })).toMatchObject({ arrived: 'yes' });
  expect(votes.map(({ service }) => service)).toEqual(['A.example', 'B.example']);
});

test('a listener of one’s own takes version 1 with a folder of keys, which it fills', async () => {
  const keys = join(temporaryFolder(), 'keys');
  mkdirSync(keys);
  const { listener, votes, to } = await listening({ keys });
  const publicKey = listener.publicKey ?? '';
  const { host, port } = to;
  expect(await sendVote(STEVE, { host, port, publicKey })).toMatchObject({
    arrived: 'unknown',
    code: 'sent',
  });
  await expect.poll(() => votes).toMatchObject([{ player: 'Steve', version: 'v1' }]);
});

test('a listener of one’s own refuses version 1 without keys', async () => {
  const keys = join(temporaryFolder(), 'keys');
  const other = await listening({ keys });
  const { to, refusals, votes } = await listening();
  const publicKey = other.listener.publicKey ?? '';
  await sendVote(STEVE, { host: to.host, port: to.port, publicKey });
  await expect.poll(() => refusals.map(({ code }) => code)).toEqual(['v1-off']);
  expect(votes).toEqual([]);
});

test('a listener of one’s own needs a token or a key', async () => {
  const starting = createListener({ onVote: () => {} });
  await expect(starting).rejects.toMatchObject({ code: 'config-value' });
});

test('a listener of one’s own says which port is taken', async () => {
  const { listener } = await listening();
  const starting = createListener({
    host: '127.0.0.1',
    port: listener.port,
    tokens: TOKEN,
    onVote: () => {},
  });
  await expect(starting).rejects.toMatchObject({ code: 'port-in-use' });
});

test('sending a vote rejects a public key that is none', async () => {
  const sending = sendVote(STEVE, { host: '127.0.0.1', port: 9, publicKey: 'no key' });
  await expect(sending).rejects.toMatchObject({ code: 'key-invalid' });
});

test('the declarations name each function that the package exports, and no other', () => {
  const declared = [...declarations().matchAll(/^export declare const (\w+): (\w+);$/gm)];
  expect(declared.map(([, name]) => name).toSorted()).toEqual(Object.keys(library).toSorted());
});
