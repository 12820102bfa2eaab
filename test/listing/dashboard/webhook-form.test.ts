import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { reasonSentence } from '../../../src/notify/webhook/reasons.ts';
import { naming } from '../../support/naming.ts';
import type { SinkRequest } from '../../support/sink.ts';
import { wholeSite } from '../../support/whole-site.ts';
import { hookedSite } from './hooked-site.ts';

const isSignedWith = ({ body, headers }: SinkRequest, secret: string): boolean =>
  headers['x-webhook-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('the signing secret', () => {
  test('is created by the form, signs the next vote, and is shown once (WF-01, NS-36)', async () => {
    const { site, owner, listing, receiver, webhook, deliveries, votes } = await hookedSite();
    const made = await owner.saveWebhook(listing, receiver.url, { secret: 'generate' });
    const secret = made.code('made-secret')!;
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(made.html.split(secret)).toHaveLength(2);
    await votes(1);
    expect(isSignedWith(receiver.requests[0]!, secret)).toBe(true);
    const id = receiver.requests[0]!.headers['x-service-delivery'];
    for (const at of [webhook, deliveries, `${deliveries}/${id}`, listing.dashboard]) {
      expect((await owner.open(at)).html).not.toContain(secret);
      expect(JSON.stringify(await owner.values(at))).not.toContain(secret);
    }
    expect(JSON.stringify(site.lines)).not.toContain(secret);
  });

  test('signs deliveries and is shown on no page if the owner chose it, in the form or the API (WR-04, WR-19)', async () => {
    const { site, owner, listing, receiver, webhook, deliveries, votes } = await hookedSite();
    const token = await owner.token(listing, 'webhooks:write', 'votes:read');
    const secrets = ['a secret of the form', 'a secret of the API'] as const;
    const saved = await owner.saveWebhook(listing, receiver.url, { secret: 'own', ownSecret: secrets[0] });
    await votes(1);
    const body = { webhookUrl: receiver.url, secret: secrets[1] };
    const registered = await site.api.post('/webhooks/register', { token, body });
    await votes(1);
    expect(secrets.map((secret, index) => isSignedWith(receiver.requests[index]!, secret))).toEqual([
      true,
      true,
    ]);
    const said = [saved.html, JSON.stringify([registered.body, ...registered.headers])];
    for (const at of [webhook, deliveries, listing.dashboard])
      said.push((await owner.open(at)).html, JSON.stringify(await owner.values(at)));
    for (const { headers } of receiver.requests)
      said.push((await owner.open(`${deliveries}/${headers['x-service-delivery']}`)).html);
    for (const secret of secrets) expect(said.join()).not.toContain(secret);
  });

  test('is not repeated in a refused form (WR-19)', async () => {
    const { owner, listing } = await hookedSite();
    const fields = { secret: 'own', ownSecret: 'a secret of mine' };
    const answer = await owner.saveWebhook(listing, 'ftp://example.com/', fields);
    expect([answer.status, answer.html.includes('a secret of mine')]).toEqual([422, false]);
  });

  test('is used from the next delivery on after it was replaced (HD-12)', async () => {
    const { owner, listing, receiver, votes } = await hookedSite();
    const made: string[] = [];
    for (let time = 0; time < 2; time++) {
      made.push(
        (await owner.saveWebhook(listing, receiver.url, { secret: 'generate' })).code('made-secret')!,
      );
      await votes(1);
    }
    const [old, fresh] = made as [string, string];
    const [first, second] = receiver.requests;
    expect([isSignedWith(first!, old), isSignedWith(second!, fresh)]).toEqual([true, true]);
    expect([isSignedWith(first!, fresh), isSignedWith(second!, old)]).toEqual([false, false]);
  });

  test('is kept if the form is saved unchanged, and removed if “None” is saved (HD-12)', async () => {
    const { owner, listing, receiver, webhook, votes } = await hookedSite();
    const made = await owner.saveWebhook(listing, receiver.url, { secret: 'generate' });
    const saved = await owner.press(webhook);
    expect(saved.code('made-secret')).toBeNull();
    await votes(1);
    expect(isSignedWith(receiver.requests[0]!, made.code('made-secret')!)).toBe(true);
    await owner.saveWebhook(listing, receiver.url);
    await votes(1);
    expect(receiver.requests[1]!.headers).not.toHaveProperty('x-webhook-signature');
  });

  test('is not added to an unsigned webhook when its form is saved unchanged (HD-09)', async () => {
    const { owner, receiver, webhook, votes } = await hookedSite();
    await owner.press(webhook);
    await votes(1);
    expect(receiver.requests[0]!.headers).not.toHaveProperty('x-webhook-signature');
  });
});

describe('Send test event', () => {
  test('sends `test: true` with the event ID `test`, and shows the status of the response (WF-02, WF-03)', async () => {
    const { owner, receiver, webhook } = await hookedSite();
    const shown = await owner.press(webhook, `${webhook}/test`);
    const [sent] = receiver.requests;
    expect(receiver.requests).toHaveLength(1);
    expect(sent!.json).toMatchObject({ test: true, eventId: 'test', event: 'vote.created', version: 1 });
    expect(sent!.headers['x-service-event-id']).toBe('test');
    expect(shown.alerts[0]).toMatchObject({ role: 'status', title: naming('204') });
  });

  test.each([500, 404])('shows a failure with its status %d (WF-03)', async (status) => {
    const { owner, receiver, webhook } = await hookedSite();
    receiver.answers = [status];
    const shown = await owner.press(webhook, `${webhook}/test`);
    expect(shown.alerts[0]).toMatchObject({ role: 'alert', title: naming(String(status)) });
  });

  test('shows the reason if there is no response (WF-03)', async () => {
    const { owner, listing, webhook } = await hookedSite();
    await owner.saveWebhook(listing, 'http://127.0.0.1:1/hook');
    const shown = await owner.press(webhook, `${webhook}/test`);
    expect(shown.alerts[0]).toMatchObject({
      role: 'alert',
      title: expect.stringContaining(reasonSentence({ code: 'port-refused' })),
    });
  });

  test('changes no count of votes and no failure count (VS-09)', async () => {
    const { site, owner, listing, receiver, webhook, votes, health } = await hookedSite();
    await votes(1);
    const token = await owner.token(listing, 'votes:read', 'webhooks:write');
    const numbers = async () => [
      (await site.api.get('/webhooks/stats', { token })).body,
      (await site.api.get('/webhooks/votes', { token })).body,
      (await owner.values(listing.dashboard)).votes,
    ];
    const before = await numbers();
    expect(before[0].totalVotes).toBe(1);
    receiver.answers = [204, 204, 500];
    await owner.press(webhook, `${webhook}/test`);
    await owner.press(webhook, `${webhook}/test`);
    await site.api.post('/webhooks/test', { token, body: { webhookUrl: receiver.url } });
    expect(receiver.requests.filter(({ json }) => json.test)).toHaveLength(3);
    expect(await numbers()).toEqual(before);
    expect(await health()).toBe('Healthy');
  });
});

describe('a POST that another site could send', () => {
  test.each([
    ['a foreign Origin', { origin: 'http://evil.example' }],
    ['the Origin null', { origin: 'null' }],
    ['its own host at another port as Origin', { origin: 'http://127.0.0.1:9' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['neither header', { origin: '' }],
    ['a foreign Origin, as JSON', { origin: 'http://evil.example', 'content-type': 'application/json' }],
  ])('with %s is refused and changes nothing (WF-05)', async (_what, headers) => {
    const { owner, receiver, webhook } = await hookedSite();
    await owner.open(webhook);
    const fields = { url: 'http://127.0.0.1:1/theirs', secret: 'none', active: 'on' };
    const { status } = await owner.visitor.post(webhook, fields, headers);
    const { status: tested } = await owner.visitor.post(`${webhook}/test`, {}, headers);
    expect([status, tested]).toEqual([403, 403]);
    expect((await owner.values(webhook)).webhook.url).toBe(receiver.url);
    expect(receiver.requests).toHaveLength(0);
  });

  test('with the CSRF token of another session is refused; with its own token it is accepted (WF-05)', async () => {
    const { site, owner, receiver, webhook } = await hookedSite();
    const stranger = await site.person();
    const fields = { url: 'http://127.0.0.1:1/theirs', secret: 'none', active: 'on' };
    expect((await owner.post(webhook, { ...fields, csrf: stranger.visitor.csrf })).status).toBe(403);
    expect((await owner.values(webhook)).webhook.url).toBe(receiver.url);
    await owner.press(webhook, webhook, fields);
    expect((await owner.values(webhook)).webhook.url).toBe('http://127.0.0.1:1/theirs');
  });
});

describe('open networks', () => {
  const banner = async (allowTargets: readonly string[]) => {
    const site = await wholeSite({ allowTargets });
    const owner = await site.person();
    const { dashboard } = await owner.list();
    const pages = await Promise.all(['webhook', 'listener'].map((at) => owner.open(`${dashboard}/${at}`)));
    return pages.map(({ alerts }) => alerts.map(({ title }) => title));
  };

  test('are named in a warning on the webhook and listener pages (NS-46)', async () => {
    const warning = [naming('127.0.0.0/8', '10.0.0.0/8')];
    expect(await banner(['127.0.0.0/8', '10.0.0.0/8'])).toEqual([warning, warning]);
  });

  test('cause no warning if none are configured (NS-46)', async () => {
    expect(await banner([])).toEqual([[], []]);
  });
});
