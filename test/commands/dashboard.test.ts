import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keptSamples } from '../../src/commands/listing-samples.ts';
import { defaultListing } from '../../src/config/resolve.ts';
import { startListing } from '../../src/listing/service.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { startSink } from '../../src/practice/webhook-tools/sink.ts';
import { Passwords } from '../../src/web/auth/passwords.ts';
import { fakeListener } from '../kit/listener.ts';
import { typed } from '../kit/typed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openListing } from '../support/listing-in-process.ts';
import { QUICK } from '../support/listing-site.ts';
import { silentLog } from '../support/log.ts';
import { naming } from '../support/naming.ts';

/** A listing service on a free port with samples, and a function that runs `dashboard` commands against it. */
async function practised() {
  const folder = temporaryFolder();
  const config = { ...defaultListing(folder), port: 0, allowTargets: ['127.0.0.0/8'] };
  const passwords = new Passwords(systemRandom, QUICK);
  const around = { clock: systemClock, random: systemRandom, log: silentLog, practiceClock: null, passwords };
  const service = await startListing(config, { ...around, open: openListing });
  onTestFinished(() => service.close());
  const samples = await keptSamples(service, join(folder, 'data'), around);
  const known = new Map(
    [samples.owner, samples.manager, ...samples.voters].map(({ account, password }) => [
      account.name,
      password,
    ]),
  );
  const dashboard = async (account: string, name: string, ...words: string[]) => {
    const password = known.get(account) ?? 'nobody’s';
    const common = ['--url', service.url, '--as', account, '--password', password];
    return typed(['dashboard', name, ...common, ...words], '');
  };
  const rows = async (account: string, name: string, ...words: string[]) => {
    const { exit, json } = await dashboard(account, name, ...words, '--json');
    return { exit, rows: json };
  };
  return { service, dashboard, rows };
}

const CRAFT = ['--listing', 'Sample Craft'] as const;
const BOT = ['--listing', 'Sample Bot'] as const;

describe('dashboard', () => {
  test('casts a vote, sends it to the webhook and the listener, and shows the results', async () => {
    const { dashboard, rows } = await practised();
    const deliveries: string[] = [];
    const sink = await startSink({
      ...{ host: '127.0.0.1', port: 0, secret: null, clock: systemClock },
      onDelivery: ({ eventId }) => deliveries.push(eventId),
    });
    onTestFinished(() => sink.close());
    const listener = await fakeListener();
    const hook = await rows('olga-owner', 'set-webhook', sink.url, ...CRAFT);
    expect(hook.rows[0]).toMatchObject({ webhook: { url: sink.url, hasSecret: true, isActive: true } });
    expect(hook.rows[0].secret).toMatch(/^whsec_[\w-]{43}$/);
    const port = String(listener.port);
    expect(
      (await rows('olga-owner', 'set-listener', '127.0.0.1', '--port', port, '--token', 'x', ...CRAFT)).exit,
    ).toBe(0);

    const cast = await rows('vera', 'vote', 'Steve', ...CRAFT);
    expect(cast).toMatchObject({ exit: 0, rows: [{ vote: { player: 'Steve' } }] });
    await expect.poll(() => deliveries).toEqual([cast.rows[0].vote.id]);
    await expect.poll(() => listener.connections).toBe(1);

    await expect
      .poll(async () => (await rows('milo-manager', 'deliveries', ...CRAFT)).rows)
      .toMatchObject([
        {
          ...{ eventId: cast.rows[0].vote.id, player: 'Steve', attempt: 1 },
          ...{ status: 'delivered', httpStatus: 204, eventState: 'delivered' },
        },
      ]);
    expect((await rows('milo-manager', 'deliveries', '--state', 'undelivered', ...CRAFT)).rows).toEqual([]);
    expect(await rows('milo-manager', 'deliveries', '--state', 'lost', ...CRAFT)).toMatchObject({
      exit: 1,
      rows: [{ code: 'form-invalid' }],
    });
    const table = (await dashboard('milo-manager', 'deliveries', ...CRAFT)).out.split('\n');
    expect(table[0]).toMatch(/^startedAt +player +kind +status +httpStatus /);
    expect(table[1]).toMatch(/^\S+Z +Steve +vote +delivered +204 +1 /);
    expect(await rows('olga-owner', 'test-vote', 'Steve', ...CRAFT)).toMatchObject({
      rows: [{ outcome: expect.any(String) }],
    });
    const redelivered = await rows('milo-manager', 'redeliver', cast.rows[0].vote.id, ...CRAFT);
    expect(redelivered).toMatchObject({ exit: 0, rows: [{ result: { delivered: true, httpStatus: 204 } }] });
    expect(deliveries).toHaveLength(2);
  });

  test('exits 1 with the message and the code of the page if the page refuses', async () => {
    const { dashboard, rows } = await practised();
    expect((await dashboard('vera', 'vote', ...BOT)).exit).toBe(0);
    const unnamed = await rows('viktor', 'vote', ...CRAFT);
    expect(unnamed).toMatchObject({ exit: 1, rows: [{ code: 'player-missing' }] });
    expect((await dashboard('viktor', 'vote', '--without-player', ...CRAFT)).exit).toBe(0);
    const early = await dashboard('vera', 'vote', ...BOT);
    expect(early).toMatchObject({ exit: 1, out: '' });
    expect(early.err).toMatch(/^error: .*\[too-early\]$/);
    expect(await rows('olga-owner', 'set-webhook', 'http://10.0.0.1/', ...BOT)).toMatchObject({
      exit: 1,
      rows: [{ code: 'WEBHOOK_URL_NOT_PUBLIC' }],
    });
    expect(await rows('olga-owner', 'test-webhook', ...BOT)).toMatchObject({
      exit: 1,
      rows: [{ code: 'no-webhook' }],
    });
  });

  test('creates a token with the scopes asked for', async () => {
    const { service, rows } = await practised();
    const scopes = ['--scope', 'stats:write', 'votes:read'];
    const made = await rows('olga-owner', 'create-token', 'my bot', ...scopes, ...BOT);
    expect(made.rows[0].token).toMatch(/^vl_\w{43}$/);
    const headers = { authorization: `Bearer ${made.rows[0].token}` };
    expect((await fetch(`${service.url}/api/v1/webhooks/votes`, { headers })).status).toBe(200);
    const reader = await rows('milo-manager', 'create-token', 'reader', ...BOT);
    expect(reader).toMatchObject({ exit: 0, rows: [{ token: expect.stringMatching(/^vl_/) }] });
  });

  test('lists the available listings if none is chosen', async () => {
    const { dashboard } = await practised();
    const { exit, err } = await dashboard('olga-owner', 'deliveries');
    expect(exit).toBe(2);
    expect(err).toEqual(naming('--listing', '"Sample Craft"', '"Sample Bot"', /\[listing-unknown\]$/));
    expect((await dashboard('olga-owner', 'deliveries', '--listing', 'No such')).err).toContain(
      '[listing-unknown]',
    );
  });

  test('says of a listing of somebody else that the account may not see it, not that it does not exist', async () => {
    const { dashboard } = await practised();
    const { exit, err } = await dashboard('vera', 'deliveries', ...CRAFT);
    expect([exit, err]).toEqual([2, naming('vera', '"Sample Craft"', /\[listing-not-yours\]$/)]);
    expect((await dashboard('vera', 'deliveries')).err).toEqual(naming('vera', /\[listing-not-yours\]$/));
  });

  test('reports a wrong password, and an address that does not answer', async () => {
    const { dashboard } = await practised();
    const wrong = await dashboard('nobody', 'deliveries');
    expect(wrong.exit).toBe(1);
    expect(wrong.err).toMatch(/^error: .*\bnobody\b.* \[dashboard-sign-in\]$/);
    const away = await dashboard('vera', 'deliveries', '--url', 'http://127.0.0.1:9');
    expect(away.exit).toBe(1);
    expect(away.err).toMatch(/^error: .*http:\/\/127\.0\.0\.1:9.* \[dashboard-unreachable\]$/);
  });
});
