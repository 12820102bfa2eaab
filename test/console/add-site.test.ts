import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { linksOf, operator, type Page, page } from '../kit/page.ts';
import { rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { faultsOf, rowsOf } from '../support/page-text.ts';

const SITES = { default: { token: TOKEN } };
const FORM = '/now/site';
const WRITE = '/now/site/write';

const sitesIn = ({ config }: Here): Record<string, object> => JSON.parse(readFileSync(config, 'utf8')).sites;

/** Fills in the form, and shows what would be written. */
const planned = async (teller: Here, fields: Readonly<Record<string, string>>): Promise<Page> =>
  (await operator(teller)).submit(await page(teller, FORM), FORM, fields);

/** Writes what a page shows. */
const written = async (
  teller: Here,
  shown: Page,
  fields: Readonly<Record<string, string>> = {},
): Promise<Page> => (await operator(teller)).submit(shown, WRITE, fields);

test('the lines are shown first, then written and applied, and the votes that waited are paid', async () => {
  const teller = await here({ sites: SITES });
  for (const site of ['First', 'Second']) await teller.vote({ player: 'Steve', site });
  const shown = await planned(teller, { service: 'Second' });
  expect(shown.status).toBe(200);
  expect(shown.html).not.toContain('name="unproven"');
  expect(shown.text).toContain('1 vote of the last 7 days waited for this');
  expect(shown.text).toMatch(/\+\s+"Second": \{/);
  expect(sitesIn(teller)).not.toHaveProperty('Second');
  const after = await written(teller, shown);
  expect([after.status, after.at]).toEqual([303, '/']);
  expect(after.text).toContain('1 vote of the last 7 days waited for this and will be decided now');
  expect(sitesIn(teller)).toHaveProperty('Second', {});
  await teller.untilGrants('delivered', 'delivered');
});

test('a site is added before its first vote, with the page where players vote', async () => {
  const teller = await here({ sites: SITES });
  expect(linksOf(await page(teller, '/'))).toContain(FORM);
  const url = 'https://minecraft-server-list.com/server/7/vote/';
  const shown = await planned(teller, { service: 'MCSL', url });
  expect(shown.text).toContain('No vote with the service name MCSL has arrived yet');
  expect(shown.text).toContain('is known as the list minecraft-server-list.com');
  expect((await written(teller, shown, { unproven: 'yes' })).status).toBe(303);
  expect(sitesIn(teller).MCSL).toEqual({ url });
  expect(rowsOf((await page(teller, '/')).html, 'Sites')).toMatchObject([
    { Site: 'MCSL', 'Last vote': 'never', State: 'Silent' },
  ]);
});

test('a listed site is given its vote page', async () => {
  const teller = await here();
  const url = 'https://list.example/vote';
  expect((await written(teller, await planned(teller, { service: 'List', url }))).status).toBe(303);
  expect(sitesIn(teller).List).toEqual({ url });
});

test('Now leads to the lines of a site that sent votes, with a warning of a name that only v1 votes have', async () => {
  const teller = await here({ sites: SITES });
  await (await operator(teller)).submit(await page(teller, '/test'), '/test/votes', {
    ...{ player: 'Steve', service: 'Invented', version: 'v1' },
  });
  const path = '/now/site?service=Invented';
  await teller.until(async () => linksOf(await page(teller, '/')).includes(path));
  const shown = await page(teller, path);
  expect(shown.text).toContain('No vote with this name was signed');
  const refused = await (await operator(teller)).post(WRITE, {
    service: 'Invented',
    shown: /name="shown" value="([^"]+)"/.exec(shown.html)?.[1] ?? '',
  });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('Invented was seen, but has not sent a correctly signed (version 2) vote.');
  expect(sitesIn(teller)).toEqual(SITES);
  await written(teller, shown, { unproven: 'yes' });
  expect(Object.keys(sitesIn(teller))).toEqual(['default', 'Invented']);
});

test.each([
  ['Service name is missing', 'service', { service: '' }],
  ['can have at most 128 characters', 'service', { service: 'x'.repeat(129) }],
  ['cannot be added', 'service', { service: 'default' }],
  ['already has an entry', 'service', { service: 'List' }],
  ['Vote page must be', 'url', { service: 'New', url: 'not a page' }],
])('a form is refused with “%s”, and what was typed stays', async (sentence, field, fields) => {
  const teller = await here();
  const refused = await planned(teller, fields);
  expect([refused.status, faultsOf(refused.html)]).toEqual([422, [field]]);
  expect(refused.text).toContain(sentence);
  expect(refused.html).toContain(`name="service" type="text" value="${fields.service}"`);
});

test('a service name has 128 characters at most', async () => {
  expect((await planned(await here(), { service: 'x'.repeat(128) })).status).toBe(200);
});

test('nothing is written that was not shown', async () => {
  const teller = await here({ sites: SITES });
  const shown = await planned(teller, { service: 'New' });
  for (const fields of [{ shown: '' }, { url: 'https://new.example/' }]) {
    const again = await written(teller, shown, { unproven: 'yes', ...fields });
    expect(again.status).toBe(409);
    expect(again.text).toContain('Something else would be written now. Look at the lines again.');
    expect(again.html).toMatch(/name="shown" value="[^"]+"/);
  }
  expect(sitesIn(teller)).toEqual(SITES);
});

test('nothing is written while the file has other changes, which a reload would apply too', async () => {
  const teller = await here({ sites: SITES });
  await teller.vote({ player: 'Steve' });
  await operator(teller);
  rewrite(teller, { rewards: [], sites: SITES });
  const refused = await planned(teller, { service: 'List' });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('has changes that do not run yet (rewards.thanks)');
  expect((await page(teller, '/now/site?service=List')).html).toContain('value="List"');
  expect(sitesIn(teller)).toEqual(SITES);
});
