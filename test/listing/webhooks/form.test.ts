/** The webhook's form: its signing secret, and forms that another site could send. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { listing } from '../../kit/listing.ts';
import { hooked } from '../../kit/listing-webhook.ts';
import type { ReceiverRequest as SinkRequest } from '../../kit/receiver.ts';
import { naming } from '../../support/naming.ts';

const isSignedWith = ({ body, headers }: SinkRequest, secret: string): boolean =>
  headers['x-webhook-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('the signing secret', () => {
  test('WF-01, NS-36: is created by the form, signs the next vote, and is shown once', async () => {
    const { site, save, receiver, owner, webhook, deliveries, listed, votes } = await hooked();
    const made = await save({ secret: 'generate' });
    const secret = made.code('made-secret')!;
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(made.html.split(secret)).toHaveLength(2);
    await votes(1);
    expect(isSignedWith(receiver.requests[0]!, secret)).toBe(true);
    const id = receiver.requests[0]!.headers['x-service-delivery'];
    for (const at of [webhook, deliveries, `${deliveries}/${id}`, listed.dashboard]) {
      expect((await owner.open(at)).html).not.toContain(secret);
      expect(JSON.stringify(await owner.values(at))).not.toContain(secret);
    }
    expect(JSON.stringify(site.log)).not.toContain(secret);
  });

  test('WR-04, WR-19: that the owner chose, in the form or by the API, signs deliveries and is shown nowhere', async () => {
    const { site, save, receiver, owner, webhook, deliveries, listed, votes } = await hooked();
    const token = await site.token(listed);
    const secrets = ['a secret of the form', 'a secret of the API'] as const;
    const saved = await save({ secret: 'own', ownSecret: secrets[0] });
    await votes(1);
    const body = { webhookUrl: receiver.url, secret: secrets[1] };
    const registered = await site.api.post('/webhooks/register', { token, body });
    expect(registered.body.hasSecret).toBe(true);
    await votes(1);
    const signed = secrets.map((secret, index) => isSignedWith(receiver.requests[index]!, secret));
    expect(signed).toEqual([true, true]);
    const said = [saved.html, JSON.stringify([registered.body, ...registered.headers])];
    for (const path of ['/webhooks/votes', '/webhooks/stats', '/webhooks/register', '/webhooks'])
      said.push(JSON.stringify((await site.api.get(path, { token })).body));
    for (const at of [webhook, deliveries, listed.dashboard])
      said.push((await owner.open(at)).html, JSON.stringify(await owner.values(at)));
    for (const { headers } of receiver.requests)
      said.push((await owner.open(`${deliveries}/${headers['x-service-delivery']}`)).html);
    for (const secret of secrets) expect(said.join()).not.toContain(secret);
  });

  test('WR-19: is not repeated in a refused form', async () => {
    const { owner, listed } = await hooked();
    const fields = { secret: 'own', ownSecret: 'a secret of mine' };
    const answer = await owner.saveWebhook(listed, 'ftp://example.com/', fields);
    expect([answer.status, answer.html.includes('a secret of mine')]).toEqual([422, false]);
  });

  test('HD-09, HD-12: is kept if the form is saved unchanged, removed by “None”, and not added by saving', async () => {
    const { save, receiver, owner, webhook, votes } = await hooked();
    const secret = (await save({ secret: 'generate' })).code('made-secret')!;
    expect((await owner.press(webhook)).code('made-secret')).toBeNull();
    await votes(1);
    expect(isSignedWith(receiver.requests[0]!, secret)).toBe(true);
    await save();
    await votes(1);
    await owner.press(webhook);
    await votes(1);
    for (const { headers } of receiver.requests.slice(1))
      expect(headers).not.toHaveProperty('x-webhook-signature');
  });

  test.each(['keep', 'generate', 'none'])(
    'that was entered beside “%s” is refused, not dropped',
    async (secret) => {
      const { save, receiver, owner, webhook } = await hooked();
      await save({ secret: 'own', ownSecret: 'the first secret' });
      const fields = { url: receiver.url, secret, ownSecret: 'another secret', active: 'on' };
      const refused = await owner.answer(webhook, fields);
      expect([refused.code, Object.keys(refused.faults)]).toEqual(['secret-not-chosen', ['ownSecret']]);
    },
  );
});

describe('WF-05: a POST that another site could send', () => {
  const THEIRS = { url: 'http://127.0.0.1:1/theirs', secret: 'none', active: 'on' };

  test('WF-05: is refused and changes nothing', async () => {
    const { owner, receiver, webhook } = await hooked();
    await owner.open(webhook);
    for (const headers of [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:9' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: '' },
      { origin: 'http://evil.example', 'content-type': 'application/json' },
    ]) {
      const { status } = await owner.visitor.post(webhook, THEIRS, headers);
      const { status: tested } = await owner.visitor.post(`${webhook}/test`, {}, headers);
      expect([headers, status, tested]).toEqual([headers, 403, 403]);
    }
    expect((await owner.values(webhook)).webhook.url).toBe(receiver.url);
    expect(receiver.requests).toHaveLength(0);
  });

  test('WF-05: is refused with the CSRF token of another session, and accepted with its own', async () => {
    const { site, owner, receiver, webhook } = await hooked();
    const stranger = await site.person();
    expect((await owner.post(webhook, { ...THEIRS, csrf: stranger.visitor.csrf })).status).toBe(403);
    expect((await owner.values(webhook)).webhook.url).toBe(receiver.url);
    await owner.press(webhook, webhook, THEIRS);
    expect((await owner.values(webhook)).webhook.url).toBe(THEIRS.url);
  });
});

test('NS-46: open networks are named in a warning on the pages of the webhook and the listener, and only they', async () => {
  const warnings = async (allowTargets: readonly string[]) => {
    const site = await listing({ allowTargets });
    const { listed, owner } = await site.owned();
    const pages = ['webhook', 'listener'].map((at) => owner.open(`${listed.dashboard}/${at}`));
    return (await Promise.all(pages)).map(({ alerts }) => alerts.map(({ title }) => title));
  };
  const warning = [naming('127.0.0.0/8', '10.0.0.0/8')];
  expect(await warnings(['127.0.0.0/8', '10.0.0.0/8'])).toEqual([warning, warning]);
  expect(await warnings([])).toEqual([[], []]);
});
