import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeListener } from '../kit/listener.ts';
import { listing as listingSite } from '../kit/listing.ts';
import { PASSWORD } from '../kit/listing-people.ts';
import { receiver } from '../kit/receiver.ts';
import { service } from '../kit/service.ts';
import { typed } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming, refused } from '../support/naming.ts';

/** Runs `teller listing` on a free port. @param folder where its data is. */
const listing = (folder: string, ...flags: string[]) =>
  service(['listing', '--port', '0', '--config', join(folder, 'config.json'), ...flags]);

const folderWith = (config: object): string => temporaryFolder({ 'config.json': JSON.stringify(config) });

/** Two listings of Olga, which Milo manages, and a function that runs `dashboard` commands as one of these or of two voters. */
async function practised() {
  const site = await listingSite({ clock: new FakeClock(Date.now()) });
  const [owner, manager] = [await site.person('olga-owner'), await site.person('milo-manager')];
  for (const voter of ['vera', 'viktor']) await site.person(voter);
  for (const [kind, name] of [
    ['minecraft', 'Sample Craft'],
    ['bot', 'Sample Bot'],
  ] as const)
    await owner.invite(await owner.list(kind, { name }), manager);
  const url = `http://127.0.0.1:${site.port}`;
  const dashboard = (account: string, name: string, ...words: string[]) => {
    const password = account === 'nobody' ? 'nobody’s' : PASSWORD;
    return typed(['dashboard', name, '--url', url, '--as', account, '--password', password, ...words], null);
  };
  const rows = async (account: string, name: string, ...words: string[]) => {
    const { exit, json } = await dashboard(account, name, ...words, '--json');
    return { exit, rows: json };
  };
  return { url, dashboard, rows };
}

const CRAFT = ['--listing', 'Sample Craft'] as const;
const BOT = ['--listing', 'Sample Bot'] as const;

test('dashboard casts a vote, sends it to the webhook and the listener, and shows the results', async () => {
  const { dashboard, rows } = await practised();
  const hooked = await receiver();
  const deliveries = () => hooked.requests.map(({ json }) => json.eventId);
  const listener = await fakeListener();
  const hook = await rows('olga-owner', 'set-webhook', hooked.url, ...CRAFT);
  expect(hook.rows[0]).toMatchObject({ webhook: { url: hooked.url, hasSecret: true, isActive: true } });
  expect(hook.rows[0].secret).toMatch(/^whsec_[\w-]{43}$/);
  const at = ['127.0.0.1', '--port', String(listener.port), '--token', 'x'];
  expect((await rows('olga-owner', 'set-listener', ...at, ...CRAFT)).exit).toBe(0);

  const cast = await rows('vera', 'vote', 'Steve', ...CRAFT);
  expect(cast).toMatchObject({ exit: 0, rows: [{ vote: { player: 'Steve' } }] });
  const { id } = cast.rows[0].vote;
  await expect.poll(deliveries).toEqual([id]);
  await expect.poll(() => listener.connections).toBe(1);

  await expect
    .poll(async () => (await rows('milo-manager', 'deliveries', ...CRAFT)).rows)
    .toMatchObject([
      {
        ...{ eventId: id, player: 'Steve', attempt: 1 },
        ...{ status: 'delivered', httpStatus: 204, eventState: 'delivered' },
      },
    ]);
  expect((await rows('milo-manager', 'deliveries', '--state', 'undelivered', ...CRAFT)).rows).toEqual([]);
  const invalid = { exit: 1, rows: [{ code: 'form-invalid' }] };
  expect(await rows('milo-manager', 'deliveries', '--state', 'lost', ...CRAFT)).toMatchObject(invalid);
  const table = (await dashboard('milo-manager', 'deliveries', ...CRAFT)).out.split('\n');
  expect(table[0]).toMatch(/^startedAt +player +kind +status +httpStatus /);
  expect(table[1]).toMatch(/^\S+Z +Steve +vote +delivered +204 +1 /);
  expect(await rows('olga-owner', 'test-vote', 'Steve', ...CRAFT)).toMatchObject({
    rows: [{ outcome: expect.any(String) }],
  });
  const redelivered = { exit: 0, rows: [{ result: { delivered: true, httpStatus: 204 } }] };
  expect(await rows('milo-manager', 'redeliver', id, ...CRAFT)).toMatchObject(redelivered);
  expect(deliveries()).toHaveLength(2);
});

test('dashboard exits 1 with the message and the code of the page if the page refuses, and 2 for a listing that is not there or not theirs', async () => {
  const { url, dashboard, rows } = await practised();
  expect((await dashboard('vera', 'vote', ...BOT)).exit).toBe(0);
  const early = await dashboard('vera', 'vote', ...BOT);
  expect(early).toMatchObject({ exit: 1, out: '', err: naming(/^error: .*\[too-early\]$/) });
  for (const [code, ...words] of [
    ['player-missing', 'viktor', 'vote', ...CRAFT],
    ['WEBHOOK_URL_NOT_PUBLIC', 'olga-owner', 'set-webhook', 'http://10.0.0.1/', ...BOT],
    ['no-webhook', 'olga-owner', 'test-webhook', ...BOT],
  ] as const) {
    const [account, name, ...rest] = words;
    expect(await rows(account, name, ...rest)).toMatchObject({ exit: 1, rows: [{ code }] });
  }
  expect((await dashboard('viktor', 'vote', '--without-player', ...CRAFT)).exit).toBe(0);
  for (const [account, flags, ...facts] of [
    ['olga-owner', [], '--listing', '"Sample Craft"', '"Sample Bot"', /\[listing-unknown\]$/],
    ['olga-owner', ['--listing', 'No such'], '[listing-unknown]'],
    ['vera', CRAFT, 'vera', '"Sample Craft"', /\[listing-not-yours\]$/],
    ['vera', [], 'vera', /\[listing-not-yours\]$/],
  ] as const) {
    expect(await dashboard(account, 'deliveries', ...flags)).toEqual(refused(2, ...facts));
  }
  expect(await dashboard('nobody', 'deliveries')).toEqual(
    refused(1, /^error: .*\bnobody\b.* \[dashboard-sign-in\]$/),
  );
  expect(await dashboard('vera', 'deliveries', '--url', 'http://127.0.0.1:9')).toEqual(
    refused(1, /^error: .*http:\/\/127\.0\.0\.1:9.* \[dashboard-unreachable\]$/),
  );

  const scopes = ['--scope', 'stats:write', 'votes:read'];
  const made = await rows('olga-owner', 'create-token', 'my bot', ...scopes, ...BOT);
  expect(made.rows[0].token).toMatch(/^vl_\w{43}$/);
  const headers = { authorization: `Bearer ${made.rows[0].token}` };
  expect((await fetch(`${url}/api/v1/webhooks/votes`, { headers })).status).toBe(200);
  const token = { exit: 0, rows: [{ token: expect.stringMatching(/^vl_/) }] };
  expect(await rows('milo-manager', 'create-token', 'reader', ...BOT)).toMatchObject(token);
});

test('the first start of `listing` creates an owner and prints the password; the next start prints neither', {
  timeout: 60_000,
}, async () => {
  const folder = folderWith({});
  const first = await listing(folder);
  const [, password = ''] =
    /\bowner\b.*? ([a-z2-9]{4}(?:-[a-z2-9]{4}){3})\b/.exec(first.err.join('\n')) ?? [];
  const { url } = first.ready.listing as { url: string };
  /** The owner has no listing yet. @returns what is refused */
  const signedIn = async (at: string, secret: string) => {
    const as = ['--url', at, '--as', 'owner', '--password', secret];
    return (await typed(['dashboard', 'deliveries', ...as], null)).err;
  };
  expect(await signedIn(url, password)).toContain('[listing-not-yours]');
  expect((await fetch(`${url}/practice/clock`)).status).toBe(404);
  const beside = await typed(['listing', '--port', '0'], join(folder, 'config.json'));
  expect([beside.exit, beside.out, beside.err]).toEqual([1, '', naming('[data-in-use]')]);
  expect(await first.stop()).toBe(0);
  const second = await listing(folder);
  expect(second.err.join('\n')).not.toMatch(/password|([a-z2-9]{4}-){3}/);
  expect(await signedIn(second.ready.listing.url, password)).toContain('[listing-not-yours]');
});

test('the practice clock of `listing` is stored with the data, and refused with a real game server', {
  timeout: 60_000,
}, async () => {
  const main = { kind: 'rcon', host: '127.0.0.1', port: 25575, password: 'x9!not-real' };
  const folder = folderWith({ gameServers: { main }, rewards: [] });
  const { ready } = await listing(folder, '--practice-clock', '--samples');
  const moved = await fetch(`${ready.listing.url}/practice/clock`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"advance":"24h"}' },
  });
  expect(await moved.json()).toMatchObject({ offsetMs: 86_400_000 });
  expect(JSON.parse(readFileSync(join(folder, 'data/practice-clock.json'), 'utf8'))).toEqual({
    offsetMs: 86_400_000,
  });
  expect(statSync(join(folder, 'data/passwords/vera')).mode & 0o777).toBe(0o600);
  const real = await typed(['run', '--practice-clock'], join(folder, 'config.json'));
  expect([real.exit, real.out, real.err]).toEqual([2, '', naming('[practice-clock-refused]')]);
});
