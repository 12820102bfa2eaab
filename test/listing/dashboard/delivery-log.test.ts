import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { turns } from '../../support/webhook-scene.ts';
import { type HookedSite, hookedSite } from './hooked-site.ts';

const rows = async ({ owner, deliveries }: HookedSite) => (await owner.open(deliveries)).rows;

/** A vote whose receiver answers when the test says. */
async function heldVote(hooked: HookedSite): Promise<ServerResponse> {
  const count = hooked.receiver.requests.length + 1;
  const held = new Promise<ServerResponse>((resolve) => {
    hooked.receiver.answers = [...Array(count - 1).fill(204), resolve];
  });
  await hooked.site.vote(hooked.listing);
  return held;
}

describe('the log of deliveries', () => {
  test('a row shows status, HTTP code, attempt and duration of each attempt, newest first (LG-01)', async () => {
    const hooked = await hookedSite();
    const held = await heldVote(hooked);
    hooked.site.clock.advance(250);
    held.writeHead(503).end();
    await hooked.site.quiet();
    hooked.receiver.answers = [204];
    await hooked.site.pass(10_000);
    const [second, first] = await rows(hooked);
    expect(first).toMatchObject({ Status: 'Failed', HTTP: '503', Attempt: '1', Duration: '250 ms' });
    expect(second).toMatchObject({ Status: 'Delivered', HTTP: '204', Attempt: '2', Kind: 'Vote' });
    expect(hooked.receiver.requests).toHaveLength(2);
  });

  test('an attempt that is under way says so, and has neither code nor duration (LG-01)', async () => {
    const hooked = await hookedSite();
    const held = await heldVote(hooked);
    expect(await rows(hooked)).toMatchObject([
      { Status: 'Under way', HTTP: 'none', Attempt: '1', Duration: '' },
    ]);
    held.writeHead(204).end();
    await hooked.site.quiet();
    expect(await rows(hooked)).toMatchObject([{ Status: 'Delivered', HTTP: '204' }]);
  });

  test('a 4xx is refused for good: undelivered, with nothing to come (LG-01)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1, 410);
    expect(await rows(hooked)).toMatchObject([
      { Status: 'Refused Undelivered', HTTP: '410', Attempt: '1', 'Next attempt': '' },
    ]);
    const [event] = (await hooked.owner.open(`${hooked.deliveries}/undelivered`)).rows;
    expect(event).toMatchObject({ Event: hooked.receiver.requests[0]!.json.eventId, Attempts: '1' });
  });

  test('a refused connection has its reason and no HTTP code (LG-02)', async () => {
    const hooked = await hookedSite();
    // Nothing listens on a port that nobody can be given.
    await hooked.owner.saveWebhook(hooked.listing, 'http://127.0.0.1:1/hook');
    await hooked.votes(1);
    const [row] = await rows(hooked);
    expect(row).toMatchObject({ Status: 'Failed', HTTP: 'none', Attempt: '1' });
    expect(row!.detail).toMatch(/The connection was refused/);
    const { deliveries } = await hooked.owner.values(hooked.deliveries);
    expect(deliveries[0].httpStatus).toBeNull();
  });

  test('a timeout has its reason, no HTTP code, and the ten seconds it took (LG-02)', async () => {
    const hooked = await hookedSite();
    await heldVote(hooked);
    hooked.site.clock.advance(9_999);
    await turns(5);
    expect(await rows(hooked)).toMatchObject([{ Status: 'Under way' }]);
    await hooked.site.pass(1);
    const [row] = await rows(hooked);
    expect(row).toMatchObject({ Status: 'Failed', HTTP: 'none', Duration: '10 s' });
    expect(row!.detail).toMatch(/No complete answer came within 10 seconds/);
  });

  test('each attempt’s X-Service-Delivery is found in its row and opens its page (HD-05)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1, 500, 204);
    await hooked.site.pass(10_000);
    const ids = hooked.receiver.requests.map(({ headers }) => String(headers['x-service-delivery']));
    expect(new Set(ids).size).toBe(2);
    const shown = await rows(hooked);
    for (const [index, id] of ids.entries()) {
      const row = shown.find(({ detail }) => detail!.includes(id));
      expect(row!.Attempt).toBe(String(index + 1));
      const page = await hooked.owner.open(`${hooked.deliveries}/${id}`);
      expect(page.code('request')).toContain(`X-Service-Delivery: ${id}`);
      expect(page.code('request')).toContain(hooked.receiver.requests[index]!.body.toString());
    }
  });

  test('a test event stands in it as a test (LG-01)', async () => {
    const hooked = await hookedSite();
    await hooked.owner.press(hooked.webhook, `${hooked.webhook}/test`);
    expect(await rows(hooked)).toMatchObject([{ Kind: 'Test', Status: 'Delivered', Redeliver: '' }]);
  });

  test('another listing’s attempts are not in it, nor to be opened from there (RD-08)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1);
    const id = String(hooked.receiver.requests[0]!.headers['x-service-delivery']);
    const other = await hooked.owner.list();
    expect((await hooked.owner.open(`${other.dashboard}/deliveries`)).rows).toEqual([]);
    expect((await hooked.owner.open(`${other.dashboard}/deliveries/${id}`)).status).toBe(404);
  });
});
