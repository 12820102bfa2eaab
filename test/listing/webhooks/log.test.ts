/** The log of deliveries, as the page shows it and as a script reads it. */
import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../kit/listing.ts';
import { type Hooked, hooked } from '../../kit/listing-webhook.ts';
import { naming } from '../../support/naming.ts';

const open = ({ owner, deliveries }: Hooked) => owner.open(deliveries);

test('LG-01: one row per event with player, state and next attempt, and each attempt’s status, code and duration inside it', async () => {
  const scene = await hooked();
  const held = await scene.held('Steve');
  scene.site.clock.advance(250);
  held.writeHead(503).end();
  await scene.site.quiet();
  const [waiting] = (await open(scene)).rows;
  expect(waiting).toMatchObject({ Player: 'Steve', State: 'Retrying', HTTP: '503', detail: naming('1') });
  expect(waiting!['Next attempt']).not.toBe('');
  scene.receiver.answers = [204];
  await scene.site.pass(10_000);
  const { rows, attempts } = await open(scene);
  expect(rows).toMatchObject([{ Player: 'Steve', State: 'Delivered', HTTP: '204', 'Next attempt': '' }]);
  expect(attempts).toEqual([
    expect.stringMatching(/ 1 .* 1 Jun 12:00:00 UTC .*\b503 250 ms /),
    expect.stringMatching(/ 2 .* 1 Jun 12:00:10 UTC .*\b204 0 ms /),
  ]);
  const [event] = await scene.events();
  expect(event).toMatchObject({ kind: 'vote', state: 'delivered', attempts: 2, canRedeliver: true });
  expect(await scene.attempts()).toMatchObject([
    { attempt: 2, kind: 'vote', status: 'delivered', httpStatus: 204, eventId: event.id },
    { attempt: 1, kind: 'vote', status: 'failed', httpStatus: 503, durationMs: 250, error: null },
  ]);
});

test('LG-01: an attempt in progress has neither a code nor a duration', async () => {
  const scene = await hooked();
  const held = await scene.held();
  const { rows, attempts } = await open(scene);
  expect(rows).toMatchObject([{ State: 'Sending', HTTP: 'none', 'Next attempt': '' }]);
  expect(attempts).toEqual([naming(' 1 ', '1 Jun 12:00:00 UTC')]);
  expect(attempts[0]).not.toMatch(/HTTP|\d m?s /);
  held.writeHead(204).end();
  await scene.site.quiet();
  expect((await open(scene)).rows).toMatchObject([{ State: 'Delivered', HTTP: '204' }]);
});

test('LG-01: a 4xx is undelivered, without a next attempt', async () => {
  const scene = await hooked();
  await scene.votes(1, 410);
  expect((await open(scene)).rows).toMatchObject([
    { State: 'Undelivered', HTTP: '410', 'Next attempt': '', Redeliver: 'Redeliver' },
  ]);
  const undelivered = await scene.owner.open(`${scene.deliveries}/undelivered`);
  expect(undelivered.rows).toHaveLength(1);
  expect(undelivered.text).toContain(scene.receiver.requests[0]!.json.eventId);
  const line = scene.site.log.find(({ code }) => code === 'delivery-failed')!;
  expect([line.fields, line.sentence]).toEqual([
    expect.objectContaining({ state: 'undelivered', attempt: 1, kind: 'vote' }),
    naming('410', 'undelivered'),
  ]);
});

test('HD-05, NS-47: each attempt’s X-Service-Delivery is in its row, linked to its page with request and response', async () => {
  const secret = 'whsec_never-in-the-log';
  const scene = await hooked({ fields: { secret: 'own', ownSecret: secret } });
  await scene.votes(1, 500, (response) => response.writeHead(200).end(`<script>${'ö'.repeat(1000)}`));
  await scene.site.pass(10_000);
  const ids = scene.receiver.requests.map(({ headers }) => String(headers['x-service-delivery']));
  const { attempts, html } = await open(scene);
  for (const [index, id] of ids.entries()) {
    const request = scene.receiver.requests[index]!;
    expect(attempts[index]).toMatch(new RegExp(` ${index + 1} .* ${id}$`));
    expect(html).toContain(`href="${scene.deliveries}/${id}"`);
    const page = await scene.owner.open(`${scene.deliveries}/${id}`);
    expect(page.code('request')).toContain(`POST ${scene.receiver.url}\n`);
    expect(page.code('request')).toContain(`X-Service-Delivery: ${id}`);
    expect(page.code('request')).toContain(request.body.toString());
    expect(page.code('request-body')).toContain(`\n  "eventId": "${request.json.eventId}",\n`);
    const { delivery } = await scene.owner.values(`${scene.deliveries}/${id}`);
    expect(delivery).toMatchObject({ url: scene.receiver.url, body: request.body.toString() });
    for (const said of [page.html, JSON.stringify(delivery)]) {
      expect(said).not.toContain(secret);
      expect(said).not.toMatch(/x-webhook-signature|sha256=/i);
    }
  }
  const { delivery } = await scene.owner.values(`${scene.deliveries}/${ids[1]}`);
  // The first 1 KiB.
  expect(delivery.response).toBe(`<script>${'ö'.repeat(508)}`);
});

test('NS-23: a test event is a row of its own, shown as a test', async () => {
  const scene = await hooked();
  scene.receiver.answers = [204, 500];
  await scene.test();
  expect((await open(scene)).rows).toMatchObject([
    { Player: 'Test', State: 'Delivered', HTTP: '204', Redeliver: '' },
  ]);
  scene.site.clock.advance(1);
  await scene.test();
  expect(await scene.events()).toMatchObject([
    { kind: 'test', state: 'failed', canRedeliver: false, nextAttemptAt: null },
    { kind: 'test', state: 'delivered' },
  ]);
  expect(await scene.attempts()).toMatchObject([
    { kind: 'test', eventId: null, status: 'failed' },
    { kind: 'test', eventId: null, status: 'delivered' },
  ]);
});

test('every event has one state; the log can be filtered by it, through the URL and by links', async () => {
  const scene = await hooked();
  const { owner, deliveries, site, receiver } = scene;
  const voted = async (player: string, ...answers: number[]) => {
    site.clock.advance(1);
    receiver.answers = answers;
    await scene.vote(player);
  };
  await voted('GaveUp', 500);
  await scene.spend();
  await voted('Rejected', 404);
  await voted('Delivered', 204);
  await voted('Retry', 503);
  site.clock.advance(1);
  await scene.held('Sending');
  const found = async (query: string) => (await scene.events(query)).map(({ player }) => player);
  expect(await found('')).toEqual(['Sending', 'Retry', 'Delivered', 'Rejected', 'GaveUp']);
  const { html } = await owner.open(deliveries);
  for (const [state, label, players] of [
    ['sending', 'Sending', ['Sending']],
    ['retrying', 'Retrying', ['Retry']],
    ['delivered', 'Delivered', ['Delivered']],
    ['undelivered', 'Undelivered', ['Rejected', 'GaveUp']],
    ['failed', 'Failed', []],
  ] as const) {
    const query = `?state=${state}`;
    expect([state, await found(query)]).toEqual([state, players]);
    expect(html).toContain(`href="${deliveries}${query}"`);
    const { rows } = await owner.open(deliveries + query);
    expect(rows.map(({ Player, State }) => [Player, State])).toEqual(
      players.map((player) => [player, label]),
    );
  }
  const lost = await owner.open(`${deliveries}?state=lost`);
  expect([lost.status, lost.tab]).toEqual([422, expect.stringMatching(/^Error: /)]);
  expect(await owner.values(`${deliveries}?state=lost`)).toMatchObject({ code: 'form-invalid' });
});

test('pages have 20 rows, keep the filter, and do not shift when attempts and events are added', async () => {
  const scene = await hooked();
  const { owner, deliveries, site, votes } = scene;
  await votes(1, 404);
  const [oldest] = await scene.events();
  site.clock.advance(MINUTE);
  await votes(21, 404, 404, 204);
  const first = await owner.open(`${deliveries}?state=delivered`);
  expect(first.rows).toHaveLength(19);
  const all = await owner.values(deliveries);
  expect(all.events).toHaveLength(20);
  site.clock.advance(HOUR);
  await scene.redeliver(oldest.id);
  await votes(3);
  const second = await owner.values(all.older);
  expect(second.events.map(({ id }: { id: string }) => id).at(-1)).toBe(oldest.id);
  expect([second.events.length, second.older]).toEqual([2, null]);
  const newest = await owner.open(`${deliveries}?state=delivered`);
  const older = /href="([^"]*)" rel="next">/.exec(newest.html)![1]!.replaceAll('&amp;', '&');
  expect([newest.rows.length, older]).toEqual([20, expect.stringContaining('state=delivered&before=')]);
  const shown = await owner.open(older);
  expect([shown.rows.length, shown.html]).toEqual([3, expect.stringContaining('rel="prev">')]);
});
