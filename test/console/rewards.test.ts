import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { operator, page, passing } from '../kit/page.ts';
import { rewrite } from '../kit/place.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const LUCKY = { name: 'lucky', if: { chance: '5%' }, commands: ['give {player} emerald 1'] };
const NEWER = 'is newer than what runs';

test('each reward is said in everyday words, with its commands as they are written', async () => {
  const { text } = await page(await here({ rewards: [DAILY, LUCKY] }), '/rewards');
  for (const part of ['daily', 'lucky', 'give {player} diamond 1', '5%']) expect(text).toContain(part);
});

test('each reward says what it paid in the past 28 days', async () => {
  const teller = await here({ rewards: [DAILY] });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect((await page(teller, '/rewards')).text).toContain('paid once in the past 28 days');
});

test('a newer file is shown with its changes and what they mean, and one click applies it', async () => {
  const teller = await here({ rewards: [DAILY] });
  expect((await page(teller, '/rewards')).text).not.toContain(NEWER);
  rewrite(teller, { rewards: [DAILY, LUCKY] });
  const shown = await page(teller, '/rewards');
  for (const part of [NEWER, '+rewards.lucky', 'lucky is added.']) expect(shown.text).toContain(part);
  const after = await passing(teller, (await operator(teller)).submit(shown, '/reload'));
  expect([after.status, after.at]).toEqual([303, '/rewards']);
  expect(after.text).toContain('lucky');
  expect((await page(teller, '/rewards')).text).not.toContain(NEWER);
});

test('a file with faults names each of them, and a reload is refused', async () => {
  const teller = await here({ rewards: [DAILY] });
  await page(teller, '/rewards');
  rewrite(teller, { rewards: [{ ...LUCKY, whenn: 'always' }] });
  const shown = await page(teller, '/rewards');
  for (const part of ['cannot be loaded', 'whenn']) expect(shown.text).toContain(part);
  const refused = await passing(teller, (await operator(teller)).post('/reload'));
  expect([refused.at, refused.html.includes('<title>Error: ')]).toEqual(['/rewards', true]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect((await teller.grants()).map(({ reward }) => reward)).toEqual(['daily']);
});

test('a changed secret is said to change, and is never shown', async () => {
  const teller = await here({ rewards: [DAILY] });
  await page(teller, '/rewards');
  const changed = 'another-token-of-thirty-two-characters';
  rewrite(teller, { rewards: [DAILY], sites: { default: { token: changed }, List: {} } });
  const { html } = await page(teller, '/rewards');
  expect(html).toContain('sites.default.token');
  expect(html).not.toContain(changed);
});
