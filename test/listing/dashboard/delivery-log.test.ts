import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { eventStates } from '../../../src/listing/webhooks/event-state.ts';
import { reasonSentence } from '../../../src/notify/webhook/reasons.ts';
import { naming } from '../../support/naming.ts';
import { turns } from '../../support/webhook-fixture.ts';
import { type HookedSite, hookedSite } from './hooked-site.ts';

const open = ({ owner, deliveries }: HookedSite) => owner.open(deliveries);

/** Casts a vote and returns the receiver's response, for the test to send. */
async function heldVote(hooked: HookedSite, player?: string): Promise<ServerResponse> {
  const count = hooked.receiver.requests.length + 1;
  const held = new Promise<ServerResponse>((resolve) => {
    hooked.receiver.answers = [...Array(count - 1).fill(204), resolve];
  });
  await hooked.site.vote(hooked.listing, player);
  return held;
}

describe('the log of deliveries', () => {
  test('has one row per event with player, state and next attempt, and each attempt’s status, code and duration inside it (LG-01)', async () => {
    const hooked = await hookedSite();
    const held = await heldVote(hooked, 'Steve');
    hooked.site.clock.advance(250);
    held.writeHead(503).end();
    await hooked.site.quiet();
    const [waiting] = (await open(hooked)).rows;
    expect(waiting).toMatchObject({
      Player: 'Steve',
      State: eventStates.retrying.label,
      HTTP: '503',
      detail: naming('1'),
    });
    expect(waiting!['Next attempt']).not.toBe('');
    hooked.receiver.answers = [204];
    await hooked.site.pass(10_000);
    const { rows, attempts } = await open(hooked);
    expect(rows).toMatchObject([
      { Player: 'Steve', State: eventStates.delivered.label, HTTP: '204', 'Next attempt': '' },
    ]);
    expect(attempts).toEqual([
      expect.stringMatching(/ 1 .* 1 Jun 12:00:00 UTC .*\b503 250 ms /),
      expect.stringMatching(/ 2 .* 1 Jun 12:00:10 UTC .*\b204 0 ms /),
    ]);
    const { deliveries } = await hooked.owner.values(hooked.deliveries);
    expect(deliveries).toMatchObject([
      { attempt: 2, status: 'delivered' },
      { attempt: 1, status: 'failed' },
    ]);
    expect(hooked.receiver.requests).toHaveLength(2);
  });

  test('shows an attempt in progress without a code or a duration (LG-01)', async () => {
    const hooked = await hookedSite();
    const held = await heldVote(hooked);
    const { rows, attempts } = await open(hooked);
    expect(rows).toMatchObject([{ State: eventStates.sending.label, HTTP: 'none', 'Next attempt': '' }]);
    expect(attempts).toEqual([naming(' 1 ', '1 Jun 12:00:00 UTC')]);
    expect(attempts[0]).not.toMatch(/HTTP|\d m?s /);
    held.writeHead(204).end();
    await hooked.site.quiet();
    expect((await open(hooked)).rows).toMatchObject([{ State: eventStates.delivered.label, HTTP: '204' }]);
  });

  test('shows a 4xx as rejected and undelivered, without a next attempt (LG-01)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1, 410);
    expect((await open(hooked)).rows).toMatchObject([
      { State: eventStates.undelivered.label, HTTP: '410', 'Next attempt': '', Redeliver: 'Redeliver' },
    ]);
    const undelivered = await hooked.owner.open(`${hooked.deliveries}/undelivered`);
    expect(undelivered.rows).toHaveLength(1);
    expect(undelivered.text).toContain(hooked.receiver.requests[0]!.json.eventId);
  });

  test('shows a refused connection with its reason and no HTTP code (LG-02)', async () => {
    const hooked = await hookedSite();
    // Nothing listens on port 1.
    await hooked.owner.saveWebhook(hooked.listing, 'http://127.0.0.1:1/hook');
    await hooked.votes(1);
    const [row] = (await open(hooked)).rows;
    expect(row).toMatchObject({ State: eventStates.retrying.label, HTTP: 'none' });
    expect(row!.detail).toContain(reasonSentence({ code: 'port-refused' }));
    const { deliveries, events } = await hooked.owner.values(hooked.deliveries);
    expect([deliveries[0].httpStatus, events[0].lastAttempt.httpStatus]).toEqual([null, null]);
  });

  test('shows a timeout with its reason, its ten seconds and no HTTP code (LG-02)', async () => {
    const hooked = await hookedSite();
    await heldVote(hooked);
    hooked.site.clock.advance(9_999);
    await turns(5);
    expect((await open(hooked)).rows).toMatchObject([{ State: eventStates.sending.label }]);
    await hooked.site.pass(1);
    const { rows, attempts } = await open(hooked);
    expect(rows).toMatchObject([{ State: eventStates.retrying.label, HTTP: 'none' }]);
    expect(attempts[0]).toContain(
      ` 10 s ${reasonSentence({ code: 'timeout', facts: { phase: 'waiting' } })}`,
    );
  });

  test('shows each attempt’s X-Service-Delivery in its row, linked to its page (HD-05)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1, 500, 204);
    await hooked.site.pass(10_000);
    const ids = hooked.receiver.requests.map(({ headers }) => String(headers['x-service-delivery']));
    expect(new Set(ids).size).toBe(2);
    const { attempts, html } = await open(hooked);
    for (const [index, id] of ids.entries()) {
      expect(attempts[index]).toMatch(new RegExp(` ${index + 1} .* ${id}$`));
      expect(html).toContain(`href="${hooked.deliveries}/${id}"`);
      const page = await hooked.owner.open(`${hooked.deliveries}/${id}`);
      expect(page.code('request')).toContain(`X-Service-Delivery: ${id}`);
      expect(page.code('request')).toContain(hooked.receiver.requests[index]!.body.toString());
      expect(page.code('request-body')).toContain(
        `\n  "eventId": "${hooked.receiver.requests[0]!.json.eventId}",\n`,
      );
    }
  });

  test('shows a test event as a test (NS-23)', async () => {
    const hooked = await hookedSite();
    await hooked.owner.press(hooked.webhook, `${hooked.webhook}/test`);
    expect((await open(hooked)).rows).toMatchObject([
      { Player: 'Test', State: eventStates.delivered.label, HTTP: '204', Redeliver: '' },
    ]);
  });

  test('can be filtered by state, through the URL and by links', async () => {
    const { owner, deliveries, site, listing, receiver, webhook } = await hookedSite();
    receiver.answers = [204, 404, 404];
    for (const player of ['Steve', 'Alex', 'Herobrine']) {
      await site.vote(listing, player);
      await site.quiet();
      await site.pass(60_000);
    }
    await owner.press(webhook, `${webhook}/test`);
    const players = async (query: string) =>
      (await owner.open(`${deliveries}?${query}`)).rows.map(({ Player }) => Player);
    expect(await players('')).toEqual(['Test', 'Herobrine', 'Alex', 'Steve']);
    expect(await players('state=undelivered')).toEqual(['Herobrine', 'Alex']);
    expect(await players('state=retrying')).toEqual([]);
    const { html } = await owner.open(deliveries);
    for (const state of Object.keys(eventStates))
      expect(html).toContain(`href="${deliveries}?state=${state}"`);
    expect(await owner.values(`${deliveries}?state=undelivered`)).toMatchObject({
      events: [{ player: 'Herobrine' }, { player: 'Alex', state: 'undelivered', attempts: 1 }],
      deliveries: [{ status: 'failed' }, { status: 'failed', attempt: 1 }],
    });
  });

  test('refuses a state that does not exist instead of showing other rows', async () => {
    const { owner, deliveries } = await hookedSite();
    const shown = await owner.open(`${deliveries}?state=lost`);
    expect([shown.status, shown.tab]).toEqual([422, expect.stringMatching(/^Error: /)]);
    expect(await owner.values(`${deliveries}?state=lost`)).toMatchObject({ code: 'form-invalid' });
  });

  test('has pages of 20 rows whose links keep the filter', async () => {
    const { owner, deliveries, votes } = await hookedSite();
    await votes(21);
    const first = await owner.open(`${deliveries}?state=delivered`);
    const older = /href="([^"]*)" rel="next">/.exec(first.html)![1]!.replaceAll('&amp;', '&');
    expect([first.rows.length, older]).toEqual([20, expect.stringContaining('state=delivered&before=')]);
    const second = await owner.open(older);
    expect([second.rows.length, second.html]).toEqual([1, expect.stringContaining('rel="prev">')]);
  });

  test('neither shows nor opens another listing’s attempts (RD-08)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1);
    const id = String(hooked.receiver.requests[0]!.headers['x-service-delivery']);
    const other = await hooked.owner.list();
    expect((await hooked.owner.open(`${other.dashboard}/deliveries`)).rows).toEqual([]);
    expect((await hooked.owner.open(`${other.dashboard}/deliveries/${id}`)).status).toBe(404);
  });
});

test('a state has one name: its code in the values, its label on the page, and the filter that finds it', async () => {
  const hooked = await hookedSite();
  await hooked.votes(1, 204);
  await hooked.votes(1, 404);
  await hooked.votes(1, 503);
  await hooked.owner.press(hooked.webhook, `${hooked.webhook}/test`);
  for (const state of ['delivered', 'undelivered', 'retrying'] as const) {
    const filtered = `${hooked.deliveries}?state=${state}`;
    const { events, deliveries } = await hooked.owner.values(filtered);
    expect(events.map((event: { state: string }) => event.state)).toContain(state);
    const attempts = deliveries.filter(({ kind }: { kind: string }) => kind === 'vote');
    expect(attempts).toMatchObject([
      { status: state === 'delivered' ? 'delivered' : 'failed', eventState: state },
    ]);
    const states = (await hooked.owner.open(filtered)).rows.map(({ State }) => State!.toLowerCase());
    expect(new Set(states)).toEqual(new Set([state]));
  }
});
