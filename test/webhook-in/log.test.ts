import { expect, test } from 'vitest';
import { INTERVAL_MS } from '../../src/core/interval-tally.ts';
import { naming } from '../support/naming.ts';
import { OTHER_SECRET, payload, SECRET, signature, webhookIn } from './receiving.ts';

const VOTE = payload();

test('rule 11: logs forged deliveries in one line per site, cause and interval, with a count and what to compare', async () => {
  const { post, clock, lines } = await webhookIn();
  for (let n = 0; n < 30; n++) await post(VOTE, { signed: signature(VOTE, OTHER_SECRET) });
  for (let n = 0; n < 20; n++) await post(VOTE, { signed: null });
  await post(VOTE, { path: '/hooks/other', signed: null });
  expect(lines.map(({ level, code }) => `${level} ${code}`)).toEqual([
    'warn webhook-signature-wrong',
    'warn webhook-signature-missing',
    'warn webhook-signature-missing',
  ]);
  expect(lines[0]).toMatchObject({
    fields: { service: 'List.example', sender: '127.0.0.1' },
    sentence: naming('sites.<name>.webhook.secret'),
  });
  clock.advance(INTERVAL_MS);
  expect(lines.slice(3).map(({ sentence }) => sentence)).toEqual([
    naming(
      ...['51', '10 s', '30 webhook-signature-wrong of List.example'],
      ...['20 webhook-signature-missing of List.example', '1 webhook-signature-missing of Other.example'],
    ),
  ]);
  clock.advance(10 * INTERVAL_MS);
  expect(lines).toHaveLength(4);
});

test('rule 7: every refusal is counted by code, site and sender, for `teller sites` and `teller check`', async () => {
  const { post, refused } = await webhookIn();
  for (let n = 0; n < 3; n++) await post(VOTE, { signed: signature(VOTE, OTHER_SECRET) });
  await post(payload({}, { playerName: 'Steve;op' }));
  await post(VOTE, { path: '/elsewhere' });
  const counted = (await refused()).map(({ code, service, sender, count }) => [code, service, sender, count]);
  expect(counted.sort()).toEqual([
    ['webhook-name-not-allowed', 'List.example', '127.0.0.1', 1],
    ['webhook-path-unknown', null, '127.0.0.1', 1],
    ['webhook-signature-wrong', 'List.example', '127.0.0.1', 3],
  ]);
});

test('logs the path of a signed delivery to a wrong path, but not the requests of scanners', async () => {
  const { post, lines } = await webhookIn();
  await post(VOTE, { path: '/admin', signed: null, method: 'GET' });
  await post(VOTE, { path: '/nowhere?token=abc' });
  expect(lines).toMatchObject([
    { level: 'debug', code: 'webhook-not-found' },
    { level: 'warn', code: 'webhook-path-unknown', sentence: naming('/nowhere') },
  ]);
});

test('logs the ID of another listing, escaped', async () => {
  const { post, lines } = await webhookIn();
  await post(payload({}, { listingId: 'other\u001b[31m' }));
  expect(lines.map(({ sentence }) => sentence)).toEqual([naming('other?[31m')]);
});

test('no secret, signature or body is ever logged or answered', async () => {
  const { post, server, refused, lines } = await webhookIn();
  const bodies = [
    VOTE,
    '{',
    payload({ test: true }),
    payload({}, { listingId: 'x' }),
    payload({}, { playerName: '' }),
  ];
  const texts: string[] = [];
  for (const body of bodies) {
    for (const signed of [signature(body), signature(body, OTHER_SECRET), null]) {
      texts.push((await post(body, { signed })).text);
    }
  }
  const figures = await refused();
  await server.close();
  const said = JSON.stringify([lines, texts, figures]);
  for (const part of [SECRET, OTHER_SECRET, signature(VOTE).slice(7), 'votedAt', '80351110224678912']) {
    expect(said).not.toContain(part);
  }
  expect(lines.length).toBeGreaterThan(5);
});
