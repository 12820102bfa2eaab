import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { operator, page } from '../kit/page.ts';
import { rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { CHANGES, FULL, withValueAt } from '../support/config-changes.ts';
import { naming } from '../support/naming.ts';
import { textOf } from '../support/page-text.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const LUCKY = { name: 'lucky', if: { chance: '5%' }, commands: ['give {player} emerald 1'] };
const LOYAL = { name: 'loyal', when: 'always', commands: ['say {player}'] };
const NEWER = 'is newer than what runs';

test('each reward is said in everyday words, with its commands as they are written and what it paid in the past 28 days', async () => {
  const rare = { ...LUCKY, if: { chance: '0.001%' } };
  const teller = await here({ rewards: [DAILY, rare] });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  const { text } = await page(teller, '/rewards');
  for (const part of ['daily', 'lucky', 'paid once in the past 28 days', 'give {player} diamond 1', '0.001%'])
    expect(text).toContain(part);
});

test('a newer file is shown with its changes and what they mean, also inside a `firstOf`, and one click applies it; a comment is no change', async () => {
  const other = { ...LOYAL, name: 'other' };
  const teller = await here({ rewards: [DAILY, { firstOf: [LUCKY, other] }] });
  writeFileSync(teller.config, `// mine\n${readFileSync(teller.config, 'utf8')}`);
  expect((await page(teller, '/rewards')).text).not.toContain(NEWER);
  rewrite(teller, { rewards: [{ firstOf: [{ ...LUCKY, if: { chance: '10%' } }, other] }, LOYAL] });
  const shown = await page(teller, '/rewards');
  expect(shown.text).toEqual(
    naming(
      ...[NEWER, '-rewards.lucky.if.chance: "5%"', '+rewards.lucky.if.chance: "10%"'],
      ...['lucky is changed.', 'loyal is added.', 'daily is removed.'],
      'Players get it for every vote, with a chance of 10%.',
    ),
  );
  const after = await teller.during((await operator(teller)).submit(shown, '/reload'));
  expect([after.status, after.at]).toEqual([303, '/rewards']);
  expect(after.text).toContain('loyal');
  expect((await page(teller, '/rewards')).text).not.toContain(NEWER);
});

test('each value is shown as it is written before and after, and what is added or removed, except secrets', async () => {
  const rewards = [{ ...DAILY, servers: ['main'] }];
  const main = { kind: 'practice' };
  const real = { kind: 'rcon', port: 9, password: 'a-real-password' };
  const sites = (more: object) => ({ default: { token: TOKEN }, ...more });
  const before = { 'B.net': { cooldown: '24h', label: 'B' } };
  const teller = await here({ rewards, gameServers: { main, real }, sites: sites(before) });
  await page(teller, '/rewards');
  const token = 'another-token-of-thirty-two-letters';
  rewrite(teller, {
    ...{ rewards, gameServers: { main }, listener: { host: '127.0.0.1', port: 1 } },
    sites: sites({ 'B.net': { cooldown: '12h' }, 'C.net': { token } }),
  });
  expect((await page(teller, '/rewards')).text).toEqual(
    naming(
      ...['-listener.port: 0', '+listener.port: 1', '-sites["B.net"].label: "B"'],
      ...['-sites["B.net"].cooldown: "24h"', '+sites["B.net"].cooldown: "12h"'],
      '-gameServers.real: {"kind":"rcon","port":9,"password":"(secret)"}',
      '+sites["C.net"]: {"token":"(secret)"}',
      ...['teller reload', 'restart Teller for listener.port'],
    ),
  );
});

test('no secret is shown after any of them changed', async () => {
  const teller = await here(FULL);
  await page(teller, '/rewards');
  const secrets = Object.entries(CHANGES).filter(([key]) =>
    /token$|secret$|password$|^alarms\.url$|^events\[\]\.url$/i.test(key),
  );
  expect(secrets.length).toBeGreaterThan(8);
  for (const [, [path, value, reported]] of secrets) {
    writeFileSync(teller.config, JSON.stringify(withValueAt(path, value)));
    const { html } = await page(teller, '/rewards');
    expect(textOf({ text: html })).toContain(`+${reported}: "(secret)"`);
    expect(html).not.toContain(String(value));
  }
});

test('a file with faults names each of them, with its line and what was perhaps meant, and a reload is refused', async () => {
  const teller = await here({ rewards: [DAILY] });
  await page(teller, '/rewards');
  writeFileSync(
    teller.config,
    '{\n  "listner": {},\n  "sites": { "default": { "token": "hunter2-in-a-file-with-faults" } },\n  "rewards": [{ "name": "x", "commands": ["give {palyer} diamond"] }]\n}',
  );
  const shown = await page(teller, '/rewards');
  expect(shown.text).toEqual(
    naming(
      ...['cannot be loaded', /Line 2: listner/, "perhaps you meant 'listener'"],
      ...[/Line 4: rewards\[0\]/, 'perhaps you meant {player}'],
    ),
  );
  expect(shown.html).not.toContain('hunter2');
  const refused = await teller.during((await operator(teller)).post('/reload'));
  expect([refused.at, refused.html.includes('<title>Error: ')]).toEqual(['/rewards', true]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect((await teller.grants()).map(({ reward }) => reward)).toEqual(['daily']);
  rmSync(teller.config);
  expect((await page(teller, '/rewards')).text).toContain('cannot be loaded');
});
