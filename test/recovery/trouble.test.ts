import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { moveLedgerAway } from '../kit/ledger-file.ts';
import {
  API_TOKEN,
  broken,
  busiestMinute,
  failure,
  html,
  json,
  limited,
  listingApi,
  record,
  type Script,
  scriptedServer,
  stall,
} from '../kit/listing-api.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { DAY, evenly, HOUR, iso, MINUTE, NOW, recovering, SECOND, SITE, votesAt } from './fixture.ts';

const ADA = record(2, NOW - SECOND, 'Ada');
const PAID = ['Ada rewarded'];
/** What is logged of a fault from its beginning to its end. */
const WHOLE = ['recovery-fault', 'recovery-mended', 'recovered'];

/** A Teller whose listing knows one vote, and answers like this at first. */
async function facing(scripts: readonly Script[], votes = [ADA], more: object = {}) {
  const clock = new FakeClock(NOW);
  const api = await listingApi(clock);
  api.answer(...scripts);
  return recovering({ votes, clock, api, ...more });
}

/** The waits between its requests, in seconds. */
const waitsOf = ({ asked }: { readonly asked: readonly { readonly at: number }[] }): number[] =>
  asked.slice(1).map(({ at }, index) => (at - (asked[index]?.at ?? 0)) / SECOND);

/** One Teller with a site for each script, which its API answers with from the first request on. */
async function facingEach(scripts: readonly (readonly [string, Script])[]) {
  const clock = new FakeClock(NOW);
  const listings = await Promise.all(
    scripts.map(async ([code, script], index) => {
      const api = await listingApi(clock);
      api.votes.push(record(index, NOW - SECOND));
      api.answer(script);
      return { code, api, site: `S${index}` };
    }),
  );
  const settings = { payFrom: iso(NOW - DAY) };
  const sites = Object.fromEntries(listings.map(({ site, api }) => [site, api.site(settings)]));
  const teller = await here({ sites: { default: {}, ...sites }, rewards: [] }, clock);
  const linesOf = (site: string) =>
    teller.log.filter(
      ({ code, fields }) => code.startsWith('recover') && (fields as { site: string }).site === site,
    );
  const untilAsked = async (times: number, stepMs: number) => {
    while (listings.some(({ api }) => api.asked.length < times)) await teller.pass(stepMs, stepMs);
  };
  /** From now on they report their votes. */
  const recover = async (stepMs: number) => {
    for (const { api } of listings) api.answer();
    while (listings.some(({ site }) => linesOf(site).at(-1)?.code !== 'recovered'))
      await teller.pass(stepMs, stepMs);
  };
  return { teller, listings, linesOf, untilAsked, recover };
}

test('a refusal that does not go away by itself is logged once with what to do, and asked again at every interval', async () => {
  const { listings, linesOf, untilAsked, recover } = await facingEach([
    ['MISSING_SCOPE', json(401, failure(401, 'MISSING_SCOPE'))],
    ['INVALID_TOKEN', json(401, failure(401, 'INVALID_TOKEN'))],
    ['FORBIDDEN', json(403, failure(403, 'FORBIDDEN'))],
    ['NOT_FOUND', json(404, failure(404, 'NOT_FOUND'))],
    ['VALIDATION_FAILED', json(400, failure(400, 'VALIDATION_FAILED'))],
    ['unfit', json(200, { votes: [] })],
    ['unfit', json(200, [{ ...ADA, votedAt: 'yesterday' }])],
    ['redirected', (response) => response.writeHead(302, { Location: 'https://example.com/' }).end()],
  ]);
  await untilAsked(3, 2 * SECOND);
  for (const { api, code } of listings)
    for (const wait of waitsOf(api).slice(0, 2)) expect(Math.abs(wait - 120), code).toBeLessThanOrEqual(4);
  await recover(2 * SECOND);
  for (const { code, site } of listings) {
    const lines = linesOf(site);
    const codes = lines.map((line) => line.code);
    expect(codes, code).toEqual(WHOLE);
    expect(lines[0]).toMatchObject({ level: 'error', fields: { cause: code } });
    if (code === 'MISSING_SCOPE')
      expect(lines[0]?.sentence).toEqual(naming('votes:read', 'sites."S0".api.token', '`teller reload`'));
    if (code === 'INVALID_TOKEN') expect(lines[0]?.sentence).toContain('sites."S1".api.token');
  }
});

test('a fault that may go away is retried after 1, 2, 4 … s and a tenth more at most, and is logged once', async () => {
  const { listings, linesOf, untilAsked, recover } = await facingEach([
    ['INTERNAL_ERROR', broken],
    ['not-the-api', html(502)],
    ['connection-lost', (response) => response.destroy()],
  ]);
  await untilAsked(5, SECOND / 4);
  for (const { code, api } of listings)
    for (const [index, least] of [1, 2, 4, 8].entries()) {
      expect(waitsOf(api)[index], code).toBeGreaterThanOrEqual(least);
      expect(waitsOf(api)[index], code).toBeLessThanOrEqual(least * 1.1 + 1);
    }
  await recover(SECOND);
  for (const { code, site } of listings) {
    expect(linesOf(site).map((line) => line.code)).toEqual(WHOLE);
    expect(linesOf(site)[0]).toMatchObject({ level: 'warn', fields: { cause: code } });
  }
});

test('a fault that lasts for hours is one line, and is retried at least once per interval', async () => {
  const { api, ...teller } = await facing([broken]);
  await teller.pass(HOUR, 5 * SECOND);
  expect(api.asked.length).toBeGreaterThan(28);
  expect(api.asked.length).toBeLessThan(40);
  expect(teller.faults()).toEqual(['INTERNAL_ERROR']);
});

test('a wait that the listing asks for is kept in full, however it says so', async () => {
  const failing = (more: object, headers: Record<string, string>): Script =>
    json(429, failure(429, 'RATE_LIMITED', more), headers);
  /** It is noon on 1 June by the clock of the service. */
  const after = (time: string) => ({ 'Retry-After': time, Date: 'Mon, 01 Jun 2026 12:00:00 GMT' });
  const five = { retryAfterSeconds: 5 };
  const cases: readonly (readonly [string, Script, number])[] = [
    ['longer than the interval', limited(150), 150],
    ['in the header, even if the body differs', failing({ retryAfterSeconds: 50 }, after('3')), 3],
    ['in the body, if there is no header', failing(five, {}), 5],
    ['as a date', failing(five, after('Mon, 01 Jun 2026 12:00:09 GMT')), 9],
    ['in the body, if the date is past', failing(five, after('Mon, 01 Jun 2026 11:59:59 GMT')), 5],
    ['in the body, if the header is not a time', failing(five, after('soon')), 5],
    ['in the body, if the header says 0', failing(five, { 'Retry-After': '0' }), 5],
    ['a minute, if neither says a time', failing({}, {}), 60],
    ['by a proxy', html(503, { 'Retry-After': '20' }), 20],
  ];
  const { listings, untilAsked, recover } = await facingEach(cases.map(([how, script]) => [how, script]));
  await untilAsked(1, 20);
  await recover(SECOND / 2);
  for (const [index, [how, , seconds]] of cases.entries()) {
    const [wait = 0] = waitsOf(listings[index]?.api ?? { asked: [] });
    expect(wait, how).toBeGreaterThanOrEqual(seconds);
    expect(wait, how).toBeLessThanOrEqual(seconds + 1.5);
  }
});

test('a service that asks for a wait of hours gets no requests meanwhile, and the log says until when; a day is the most', async () => {
  const { api, ...teller } = await facing([limited(7_200)]);
  await teller.until(() => teller.log.some(({ code }) => code === 'recovery-left-alone'));
  const until = teller.log.find(({ code }) => code === 'recovery-left-alone');
  expect(until?.sentence).toEqual(naming(SITE, '2 h', /2026-06-03T14:00:00\.\d{3}Z/));
  teller.clock.advance(2 * HOUR - 5 * SECOND);
  await teller.pass(SECOND);
  expect(api.asked.length).toBe(1);
  api.answer(limited(400 * 86_400));
  await teller.until(() => api.asked.length === 2);
  await teller.pass(SECOND);
  api.answer();
  teller.clock.advance(DAY - 6 * SECOND);
  await teller.pass(SECOND);
  expect(api.asked.length).toBe(2);
  await teller.untilFound(1);
});

test('a service that ignores the dates is reported, and none of its votes are stored', async () => {
  const votes = votesAt(evenly(150, NOW - HOUR, SECOND));
  const { api, ...teller } = await facing([json(200, votes.slice(50).reverse())], []);
  await teller.pass(10 * MINUTE, 2 * SECOND);
  expect(teller.faults()).toEqual(['dates-ignored']);
  expect(await teller.votes()).toEqual([]);
  expect(api.asked.length).toBeLessThan(20);
});

test('a service that has a new full page for every request is asked 25 times a minute, and its votes are stored', async () => {
  let next = 0;
  const endless: Script = (response, request) => {
    const until = new URL(request.url ?? '', 'http://localhost').searchParams.get('endDate');
    const end = until === null ? NOW : Date.parse(until);
    const page = Array.from({ length: 100 }, () => record(next++, end - 1));
    json(200, page)(response, request);
  };
  const { api, ...teller } = await facing([endless], [], { settings: {} });
  await teller.until(async () => (await teller.votes()).length > 0, 5 * SECOND);
  expect(busiestMinute(api.asked)).toBe(25);
  expect(teller.log.map(({ code }) => code)).toContain('recovery-crowded');
});

test('votes from the future cause no fault, do not block others, and are recorded when their time has come', async () => {
  const [ahead, later] = [record(1, NOW + HOUR, 'Eve'), record(3, NOW + MINUTE, 'Zoe')];
  const { api, ...teller } = await facing([json(200, [ahead, ADA])]);
  await teller.untilFound(1);
  api.answer(json(200, [ahead, later, ADA]));
  await teller.untilFound(2, 5 * SECOND);
  expect(await teller.said()).toEqual([...PAID, 'Zoe rewarded']);
  expect(teller.faults()).toEqual([]);
});

test('records that are not votes are logged once with the reason, counted, and do not block votes', async () => {
  const odd = { ...record(7, NOW - 2 * SECOND, 'Odd'), votedAt: 'yesterday' };
  const { api, ...teller } = await facing([json(200, [ADA, odd, null])]);
  await teller.until(() => api.asked.length === 3, 10 * SECOND);
  expect(await teller.said()).toEqual(PAID);
  expect(teller.log.filter(({ code }) => code === 'api-not-a-vote')).toMatchObject([
    { level: 'warn', sentence: naming('"votedAt":"yesterday"', '1.votedAt: ') },
  ]);
  const { json: sites } = await teller.run('sites', '--json');
  expect(sites.find(({ service }: { service: string }) => service === SITE).refusals).toMatchObject([
    { code: 'api-not-a-vote', count: 2 },
  ]);
  expect(teller.faults()).toEqual([]);
});

test('records that are not votes, if there are no others, are a fault, which the next vote ends', async () => {
  const { api, ...teller } = await facing([json(200, [{ ...ADA, userId: 80351110224678912 }, {}])]);
  await teller.until(() => api.asked.length === 2, 10 * SECOND);
  expect(teller.faults()).toEqual(['unfit']);
  expect(await teller.votes()).toEqual([]);
  api.answer();
  await teller.untilFound(1, 10 * SECOND);
  expect(teller.faults()).toEqual(['unfit', 'recovery-mended']);
});

test('records that are not votes and fill whole pages do not hide older votes', async () => {
  const votes = votesAt(evenly(250, NOW - HOUR, SECOND));
  const odd = votes.slice(1, -1).map((vote) => ({ ...vote, userId: 7 as unknown as string }));
  const { log, ...teller } = await facing([], [...votes.slice(0, 1), ...odd, ...votes.slice(-1)]);
  await teller.untilFound(2, 5 * SECOND);
  expect(await teller.said()).toEqual(['Player0 rewarded', 'Player249 rewarded']);
  expect(log.filter(({ level }) => level === 'error')).toEqual([]);
});

test('one record that is not a vote, alone in a quiet part of a gap, does not stop it', async () => {
  const rest = evenly(300, NOW - HOUR, SECOND);
  const votes = votesAt([NOW - 40 * HOUR, ...rest]);
  const { ...teller } = await facing([], [{ ...votes[0], userId: 7 } as never, ...votes.slice(1)]);
  await teller.untilFound(300, 5 * SECOND);
  expect((await teller.votes()).length).toBe(300);
});

test('votes are read with any form of ID and time, and without metadata', async () => {
  const named = (playerName: string) => ({ metadata: { playerName } });
  const forms = [
    { ...ADA, id: 'vote_1', userId: '1', votedAt: '2026-06-03T11:59:50Z', ...named('Bob') },
    { ...ADA, id: 12_345, userId: '2', votedAt: '2026-06-03T13:59:51+02:00', ...named('Cyd') },
    { ...ADA, id: '665f1f77bcf86cd799439011', userId: '3', votedAt: '2026-06-03T11:59:52Z', metadata: null },
    { ...ADA, id: 'none', userId: '4', votedAt: '2026-06-03T11:59:53.000Z', metadata: undefined },
  ];
  const teller = await facing([json(200, [...forms, ADA, ADA].toReversed())]);
  await teller.untilFound(5);
  expect(await teller.said()).toEqual([
    ...['Bob rewarded', 'Cyd rewarded', '3 no-player', '4 no-player', 'Ada rewarded'],
  ]);
});

test('a vote that cannot be recorded is refused with its code, and the next one is recorded', async () => {
  const clock = new FakeClock(NOW);
  const refusals = {
    'api-name-not-allowed': [{}, record(1, NOW - 2_000, 'a  b')],
    'api-name-too-long': [{}, record(2, NOW - 2_000, 'Steve_of_the_north')],
    'api-name-unknown-prefix': [{}, record(3, NOW - 2_000, '!Steve')],
    'api-user-not-allowed': [{ game: 'bot' }, { ...record(4, NOW - 2_000), userId: 'a b', metadata: {} }],
  } as const;
  const sites: Record<string, object> = { default: {} };
  for (const [code, [site, refused]] of Object.entries(refusals)) {
    const api = await listingApi(clock);
    api.votes.push(refused, record(10 + Object.keys(sites).length, NOW - SECOND));
    sites[code] = api.site({ payFrom: iso(NOW - DAY) }, site);
  }
  const teller = await here({ sites, rewards: [] }, clock);
  await teller.until(() => teller.log.filter(({ code }) => code === 'recovered').length === 4);
  await teller.pass(3 * MINUTE, 5 * SECOND);
  const { json: votes } = await teller.run('votes', '--json');
  const services = votes.map(({ service }: { service: string }) => service);
  expect(services.toSorted()).toEqual(Object.keys(refusals));
  const warnings = teller.log.filter(({ level }) => level === 'warn').map(({ code }) => code);
  expect(warnings.toSorted()).toEqual(Object.keys(refusals));
});

test('a site whose API does not answer does not delay the others', async () => {
  const { root } = await scriptedServer(stall);
  const clock = new FakeClock(NOW);
  const api = await listingApi(clock);
  api.votes.push(ADA);
  const down = { api: { baseUrl: root, token: API_TOKEN } };
  const teller = await here({ sites: { default: {}, 'Down.com': down, [SITE]: api.site() } }, clock);
  await teller.until(async () => (await teller.run('votes', '--json')).json.length === 1);
  expect(teller.log.filter(({ code }) => code === 'recovery-fault')).toEqual([]);
});

test('while the ledger stores nothing, votes wait in their order, the cause is logged once, and none is lost', async () => {
  const votes = votesAt(evenly(100, NOW - HOUR, SECOND));
  const teller = await facing([], votes);
  while ((await teller.count()) === 0) await teller.pass(10, 10);
  const moveBack = moveLedgerAway(teller);
  await teller.pass(10 * SECOND, SECOND);
  moveBack();
  await teller.untilFound(100);
  expect(await teller.players()).toEqual(votes.map((_, n) => `Player${n}`));
  expect(teller.faults()).toEqual(['vote-not-stored', 'recovery-mended']);
  expect(teller.log).toContainEqual(expect.objectContaining({ level: 'error', code: 'ledger-replaced' }));
});

test('stopping does not wait for an answer, nor for the next request, whatever it waits for', async () => {
  for (const scripts of [[stall], [], [limited(600)], [broken]]) {
    const teller = await facing(scripts);
    const { api } = teller;
    await teller.until(() => api.asked.length > 0);
    await teller.pass(100);
    const asked = api.asked.length;
    await teller.stop();
    await teller.pass(10 * MINUTE, MINUTE);
    expect(api.asked.length).toBe(asked);
  }
});
