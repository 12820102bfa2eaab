import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { TOKEN, type Vote } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const OWN_TOKEN = 'own-token-of-thirty-two-characters';

/** A Teller at noon. */
const judging = (
  sites: object = { default: { token: TOKEN }, 'My-List.com': {} },
  more: object = {},
): Promise<Here> => here({ sites, players: { bedrockPrefixes: ['.', '*'] }, ...more }, new FakeClock(NOON));

const newestOf = async ({ run }: Here) => (await run('votes', '--limit', '1', '--json')).json[0];
const countOf = async ({ run }: Here) => (await run('votes', '--json')).json.length;

/** @returns the code of the refusal as it is logged, in an interval of its own. */
async function refusalOf(teller: Here, vote: Vote & { via?: 'v1' | 'v2' }): Promise<string | undefined> {
  teller.clock.advance(10_000);
  const before = teller.log.length;
  const answer = await teller.vote({ at: NOON, ...vote });
  expect(answer).not.toBe('ok');
  const isRefusal = ({ level, code }: { level: string; code: string }) =>
    level === 'warn' && code !== 'practice';
  return teller.log.slice(before).find(isRefusal)?.code;
}

test('the site of a vote is the entry with exactly its service name, with that entry’s cooldown; otherwise it is default', async () => {
  const teller = await judging({ default: { token: TOKEN }, 'My-List.com': { cooldown: '12h' } });
  await teller.vote({ player: 'Steve', site: 'My-List.com' });
  const site = 'My-List.com';
  expect(await newestOf(teller)).toMatchObject({ site, service: site, nextAt: '2026-06-02T00:00:00.000Z' });
  for (const service of [
    'my-list.com',
    'My-List. com',
    'My-List.co',
    '',
    'Other',
    '__proto__',
    'constructor',
  ]) {
    teller.clock.advance(1);
    const player = `P${teller.clock.now() - NOON}`;
    expect(await teller.vote({ player, site: service }), service).toBe('ok');
    expect(await newestOf(teller)).toMatchObject({ player, site: 'default', service });
    const until = Date.parse((await newestOf(teller)).nextAt) - teller.clock.now();
    expect(until).toBe(24 * 3_600_000);
  }
});

test('a site is sent votes with its own token, otherwise with the token of default; without either none is accepted', async () => {
  const teller = await judging({ default: { token: TOKEN }, Own: { token: OWN_TOKEN } });
  expect(await teller.vote({ player: 'A', site: 'Own', token: OWN_TOKEN })).toBe('ok');
  expect(await teller.vote({ player: 'B', site: 'Other' })).toBe('ok');
  expect(await teller.vote({ player: 'C', site: '__proto__' })).toBe('ok');
  expect(await teller.vote({ player: 'D', site: 'Own' })).toBe('InvalidSignature');
  expect(await teller.vote({ player: 'E', site: 'own', token: OWN_TOKEN })).toBe('InvalidSignature');
  await teller.stop();
  const bare = await judging({ default: {}, Own: { token: OWN_TOKEN } });
  expect(await bare.vote({ player: 'A', site: 'Own', token: OWN_TOKEN })).toBe('ok');
  expect(await bare.vote({ player: 'B', site: 'Other', token: OWN_TOKEN })).toBe('UnknownService');
});

test('a service name may have any 128 characters, and is kept as it was received; half a surrogate pair becomes U+FFFD', async () => {
  const teller = await judging();
  const names = ['x'.repeat(128), 'Überliste 名', '"; DROP TABLE votes; --', 'a\0b', 'a\u202eb', 'a\u200bb'];
  for (const [index, site] of names.entries()) {
    expect(await teller.vote({ player: `P${index}`, site })).toBe('ok');
    expect((await newestOf(teller)).service).toBe(site);
  }
  expect(await teller.vote({ player: 'Half', site: 'a\ud800b' })).toBe('ok');
  expect((await newestOf(teller)).service).toBe('a\ufffdb');
  expect(await refusalOf(teller, { player: 'Long', site: 'x'.repeat(129) })).toBe('service-not-allowed');
  expect(await countOf(teller)).toBe(names.length + 1);
});

test('rule 8: a player name has 1 to 16 letters, digits and _, with its Bedrock prefix, and is compared in lower case', async () => {
  const teller = await judging();
  for (const player of ['Steve', 'a', '_', 'A123456789012345', '.Steve', '*Steve', '.A12345678901234']) {
    expect(await teller.vote({ player }), player).toBe('ok');
    expect(await newestOf(teller)).toMatchObject({ player, recipient: player.toLowerCase() });
  }
  const before = await countOf(teller);
  for (const [player, code] of [
    ['A1234567890123456', 'name-too-long'],
    ['.A123456789012345', 'name-too-long'],
    ['Steve\nop evil and all', 'name-too-long'],
    ['@e[type=!player]', 'name-not-allowed'],
    ['', 'name-not-allowed'],
    ['.', 'name-not-allowed'],
    ['!Steve', 'name-unknown-prefix'],
    ['..Steve', 'name-unknown-prefix'],
    ['@a', 'name-not-allowed'],
    ['x  64', 'name-not-allowed'],
    ['Ste\nve', 'name-not-allowed'],
    ['\n', 'name-not-allowed'],
    ['Steve"', 'name-not-allowed'],
    ['Ste\u0301ve', 'name-not-allowed'],
    ['Ｓteve', 'name-not-allowed'],
  ] as const)
    expect(await refusalOf(teller, { player }), JSON.stringify(player)).toBe(code);
  expect(await countOf(teller)).toBe(before);
});

test('rule 4: a vote is dated by the time that its listing claims if that is at most ten minutes from its receipt, and otherwise by its receipt', async () => {
  const teller = await judging();
  for (const [claim, castAt] of [
    ['2026-06-01T11:50:00.000Z', '2026-06-01T11:50:00.000Z'],
    ['2026-06-01T12:10:00.000Z', '2026-06-01T12:10:00.000Z'],
    ['2026-06-01T11:49:59.999Z', '2026-06-01T12:00:00.000Z'],
    ['2026-06-01T12:10:00.001Z', '2026-06-01T12:00:00.000Z'],
    ['2020-01-01T00:00:00.000Z', '2026-06-01T12:00:00.000Z'],
  ] as const) {
    await teller.vote({ player: `P${Date.parse(claim) % 99_999}`, at: Date.parse(claim) });
    const receivedAt = '2026-06-01T12:00:00.000Z';
    expect(await newestOf(teller)).toMatchObject({ castAt, claimedAt: claim, receivedAt });
  }
  await teller.vote({ player: 'Seconds', timestamp: String(NOON / 1000 - 60) });
  const aMinuteAgo = '2026-06-01T11:59:00.000Z';
  expect(await newestOf(teller)).toMatchObject({ castAt: aMinuteAgo, claimedAt: aMinuteAgo });
  for (const [index, timestamp] of ['', 'just now', '0', '-1', '1e12', '99999999999999'].entries()) {
    await teller.vote({ player: `None${index}`, timestamp });
    expect(await newestOf(teller), timestamp).toMatchObject({
      ...{ player: `None${index}`, castAt: '2026-06-01T12:00:00.000Z', claimedAt: null },
    });
  }
});

test('a vote is kept with its channel, its sender’s address and its text as received', async () => {
  const teller = await judging();
  await teller.vote({ player: 'Steve', via: 'v1', from: '127.0.0.7' });
  expect(await newestOf(teller)).toMatchObject({ channel: 'listener-v1', address: '127.0.0.7' });
  const { json } = await teller.run('explain', 'Steve', '--bytes', '--json');
  expect(json[0].received).toBe(`VOTE\nList\nSteve\n192.0.2.1\n${NOON}\n`);
  await teller.vote({ player: 'Alex' });
  expect(await newestOf(teller)).toMatchObject({ channel: 'listener-v2', address: '127.0.0.1' });
});

test('a site that restricts protocols and addresses refuses others, and other sites are not affected', async () => {
  const restricted = { protocols: ['v2'], from: ['127.0.0.8/31'] };
  const teller = await judging({ default: { token: TOKEN }, Restricted: restricted });
  const site = 'Restricted';
  expect(await teller.vote({ player: 'A', site, from: '127.0.0.9' })).toBe('ok');
  expect(await refusalOf(teller, { player: 'B', site, from: '127.0.0.9', via: 'v1' })).toBe('site-protocol');
  expect(await refusalOf(teller, { player: 'C', site, from: '127.0.0.10' })).toBe('site-address');
  expect(await countOf(teller)).toBe(1);
  await teller.vote({ player: 'D', site: 'Other', from: '127.0.0.10', via: 'v1' });
  expect(await teller.vote({ player: 'E', site: 'Other', from: '127.0.0.10' })).toBe('ok');
  expect(await countOf(teller)).toBe(3);
});
