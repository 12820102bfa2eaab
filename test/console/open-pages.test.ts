import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { outsideRegions } from '../support/outside-regions.ts';
import { type StuckConsole, stuckConsole } from '../support/stuck-grants.ts';
import { voteTo } from '../support/votes-to.ts';

const PATHS = ['/', '/votes', '/votes/1', '/players/Steve', '/grants', '/grants/1', '/figures', '/rewards'];

/** What an open page keeps, for each path. */
async function keptOf({ browser }: StuckConsole): Promise<Record<string, string>> {
  const pages: Record<string, string> = {};
  for (const path of PATHS) pages[path] = outsideRegions((await browser.get(path)).text);
  return pages;
}

const reload = async (one: StuckConsole, changes: object): Promise<void> => {
  writeFileSync(one.config, JSON.stringify({ ...JSON.parse(readFileSync(one.config, 'utf8')), ...changes }));
  await one.reload();
};

test('what an open page does not refresh stays true: a vote comes, a grant is cancelled, the config changes', {
  timeout: 60_000,
}, async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const kept = await keptOf(one);
  await voteTo(one.app.listener.port, 'Steve', 'Another-List');
  expect(await keptOf(one)).toEqual(kept);
  await one.app.ledger.cancel(1, { by: 'admin' }, 1);
  expect(await keptOf(one)).toEqual(kept);
  await reload(one, { pay: { mode: 'shadow' }, sites: { 'Another-List': {} } });
  expect(await keptOf(one)).toEqual(kept);
});
