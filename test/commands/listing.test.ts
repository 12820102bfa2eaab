import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DashboardSession } from '../../src/commands/dashboard.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startScript, teller } from '../support/processes.ts';

const CLI = join(import.meta.dirname, '../../src/commands/cli.ts');

interface ListingReady {
  readonly listing: { readonly url: string };
}

const listing = (folder: string, ...flags: string[]) =>
  startScript<ListingReady>(CLI, ['listing', '--port', '0', ...flags], folder);

test('the first start creates an owner and prints the password; the next start prints neither', async () => {
  const folder = temporaryFolder();
  const first = await listing(folder);
  const [, password = ''] = /\bowner\b.*? ([a-z2-9]{4}(?:-[a-z2-9]{4}){3})\b/.exec(first.log()) ?? [];
  expect(password).not.toBe('');

  const url = first.ready.listing.url;
  const session = new DashboardSession(url, systemClock);
  await session.signIn('owner', password);
  expect((await session.submit('/new-listing', '/new-listing', { name: 'Mine', kind: 'bot' })).ok).toBe(true);
  expect((await fetch(`${url}/practice/clock`)).status).toBe(404);

  const beside = await teller(['listing', '--port', '0'], folder);
  expect(beside).toMatchObject({ code: 1, out: '' });
  expect(beside.err).toContain('[data-in-use]');

  expect(await first.stop()).toBe(0);
  const second = await listing(folder, '--practice-clock');
  expect(second.log()).not.toMatch(/password|([a-z2-9]{4}-){3}/);
  const again = new DashboardSession(second.ready.listing.url, systemClock);
  await again.signIn('owner', password);
  expect((await again.get('/dashboard')).json).toMatchObject({
    listings: [{ name: 'Mine', game: null, role: 'owner' }],
  });
}, 30_000);

test('the practice clock is stored with the data, and refused with a real game server', async () => {
  const folder = temporaryFolder({
    'config.json': JSON.stringify({
      gameServers: { main: { kind: 'rcon', host: '127.0.0.1', port: 25575, password: 'x9!not-real' } },
      rewards: [],
    }),
  });
  const running = await listing(folder, '--practice-clock', '--samples');
  const moved = await fetch(`${running.ready.listing.url}/practice/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"advance":"24h"}',
  });
  expect(await moved.json()).toMatchObject({ offsetMs: 86_400_000 });
  expect(JSON.parse(readFileSync(join(folder, 'data/practice-clock.json'), 'utf8'))).toEqual({
    offsetMs: 86_400_000,
  });
  expect(statSync(join(folder, 'data/passwords/vera')).mode & 0o777).toBe(0o600);

  const real = await teller(['run', '--config', 'config.json', '--practice-clock'], folder);
  expect(real).toMatchObject({ code: 2, out: '' });
  expect(real.err).toContain('[practice-clock-refused]');
}, 30_000);
