import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { browserOfFile, complaintsOf } from '../support/browser.ts';
import { TOKEN } from '../support/config-folder.ts';
import { faultsOf } from '../support/page-faults.ts';
import { runningConsole } from '../support/running-console.ts';
import { voteTo } from '../support/votes-to.ts';

const newPage = browserOfFile();
const LONG = { timeout: 90_000 };

const PARTY = [{ name: 'everyone', every: 50, commands: ['give {player} diamond 1'] }];

async function opened() {
  const running = await runningConsole(systemClock, {
    console: { port: 0, public: { port: 0, name: 'Skyblock' } },
    party: PARTY,
    sites: {
      default: { token: TOKEN },
      'My-List.com': { url: 'https://my-list.example/vote', label: 'My List' },
      'Another-List-With-A-Long-Name.example': { url: 'https://another-list.example/servers/1077/vote' },
      'No-Link.example': {},
    },
  });
  for (const player of ['Alex', 'Steve', 'Sixteen_Letters_'])
    await voteTo(running.app.listener.port, player, 'My-List.com');
  return running.console.publicPage!.url!;
}

test(
  'the public page is usable by everyone: fresh, with an answer, and with a refused name',
  LONG,
  async () => {
    const url = await opened();
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto(url);
    await page.getByText('3 of 50 votes, 47 to go').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${url}/?name=Alex`);
    await page.getByText('You may vote again in').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${url}/?name=%40a`);
    await page.getByText('A player name has only letters').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

test('without script, a player asks by keyboard when they may vote again', LONG, async () => {
  const url = await opened();
  const page = await newPage({ javaScriptEnabled: false });
  await page.goto(url);
  await page.getByLabel('Your player name').fill('Alex');
  await page.keyboard.press('Enter');
  await page.getByText('Alex may vote on 2 of 3 sites now.').waitFor();
  expect(new URL(page.url()).search).toBe('?name=Alex');
  expect(await page.context().cookies()).toEqual([]);
});
