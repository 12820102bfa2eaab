import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { browserOfFile, complaintsOf } from '../support/browser.ts';
import { openWithLink } from '../support/console-page.ts';
import { runningConsole } from '../support/running-console.ts';

const newPage = browserOfFile();
const rewards = [{ name: 'daily', commands: ['give {player} diamond 1'] }];

test('a vote is paid before the eyes of the operator when its player joins', async () => {
  const main = { kind: 'practice', joinDelay: '0s', presenceInterval: '1s', autoJoin: false };
  const { console: site, app } = await runningConsole(systemClock, { rewards, gameServers: { main } });
  const page = await newPage();
  const complaints = complaintsOf(page);
  await openWithLink(page, site.link);
  await page.getByRole('link', { name: 'Test', exact: true }).click();
  await page.getByLabel('Player', { exact: true }).fill('Steve');
  await page.getByRole('button', { name: 'Send vote' }).click();
  await page.getByText('waiting', { exact: true }).waitFor();
  app.practiceServers.get('main')?.join('Steve');
  await page.getByText('delivered', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});
