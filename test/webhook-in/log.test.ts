import { expect, test } from 'vitest';
import { INTERVAL_MS } from '../../src/webhook-in/answer-log.ts';
import { OTHER_SECRET, payload, SECRET, signature, webhookIn } from './scene.ts';

const VOTE = payload();

test('RC-01: forged deliveries are one line for each cause and interval, with their number and what to compare', async () => {
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
    fields: { site: 'List.example', from: '127.0.0.1' },
    sentence: expect.stringContaining('compare sites.List.example.webhook.secret'),
  });
  clock.advance(INTERVAL_MS);
  expect(lines.slice(3)).toMatchObject([
    { code: 'webhook-signature-wrong', fields: { site: 'List.example', count: 30 } },
    { code: 'webhook-signature-missing', fields: { site: 'List.example', count: 20 } },
  ]);
  clock.advance(10 * INTERVAL_MS);
  expect(lines).toHaveLength(5);
});

test('what was not said is said when it closes', async () => {
  const { post, server, lines } = await webhookIn();
  await post(VOTE, { path: '/nowhere' });
  await post(VOTE, { path: '/elsewhere' });
  await server.close();
  expect(lines.map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(/^a request came for \/nowhere,/),
    expect.stringMatching(/^2 times in the last 10 s: a request came for \/nowhere,/),
  ]);
});

test('another listing is named, printable; and how a path came is shown without its query', async () => {
  const { post, lines } = await webhookIn();
  await post(payload({}, { listingId: 'other\u001b[31m' }));
  await post(VOTE, { path: '/nowhere?token=abc' });
  expect(lines.map(({ sentence }) => sentence)).toEqual([
    expect.stringContaining('for the listing other?[31m'),
    expect.not.stringContaining('abc'),
  ]);
});

test('no secret, signature or body is ever logged or answered', async () => {
  const { post, server, lines } = await webhookIn();
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
  await server.close();
  const said = JSON.stringify([lines, texts]);
  for (const part of [SECRET, OTHER_SECRET, signature(VOTE).slice(7), 'votedAt', '80351110224678912']) {
    expect(said).not.toContain(part);
  }
  expect(lines.length).toBeGreaterThan(5);
});
