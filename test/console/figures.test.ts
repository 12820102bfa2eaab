import { expect, test } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { tileOf } from '../support/page-text.ts';
import { runningConsole } from '../support/running-console.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { WIRE_VOTE } from '../support/votifier-client.ts';

async function opened(votes: number, clock: Clock = systemClock, overrides: object = {}) {
  const running = await runningConsole(clock, {
    sites: { default: { token: TOKEN }, [WIRE_VOTE.serviceName]: {} },
    ...overrides,
  });
  const browser = await running.operator();
  for (let at = 0; at < votes; at += 1) {
    await sendVote(
      { ...WIRE_VOTE, username: `Player${at}` },
      { ...running.app.listener, auth: { version: 'v2', token: TOKEN } },
      { clock },
    );
  }
  const page = async (): Promise<string> => (await browser.get('/figures')).text;
  const csv = async () => (await browser.get('/figures/votes-by-day.csv')).text.trimEnd().split('\r\n');
  return { ...running, browser, page, csv };
}

test('without a vote, the chart says that there is nothing', async () => {
  const { page } = await opened(0);
  expect((await page()).match(/No votes in this time\./g)?.length).toBe(1);
});

test('the page shows the votes of today, of each day by site, and who has the most', async () => {
  const { page, csv } = await opened(3);
  const text = await page();
  expect(['Votes today', 'Counted today', 'Too early today'].map((label) => tileOf(text, label))).toEqual([
    ...['3', '3', '0'],
  ]);
  expect(text).toContain('Votes in the last 90 days, by site');
  expect((await csv()).at(-1)).toMatch(/,3$/);
  for (const player of ['Player0', 'Player1', 'Player2'])
    expect(text.split(`href="/players/${player}"`)).toHaveLength(1 + ['day', 'week', 'month', 'ever'].length);
});

test('what was refused today is counted by local day, with the noise that reaches any open port', async () => {
  const clock = new SettableClock('2026-06-03T12:00:00Z');
  const { app, page } = await opened(0, clock, { timeZone: 'America/New_York' });
  const refused = (code: string, lastAt: string, count: number) => ({
    ...{ code, service: null, sender: 'a', count },
    lastAt: Date.parse(lastAt),
  });
  await app.ledger.countRefusals([
    refused('v2-token', '2026-06-03T03:59:00Z', 2),
    refused('v2-token', '2026-06-03T04:00:00Z', 3),
    refused('timeout', '2026-06-03T12:00:00Z', 5),
  ]);
  expect(tileOf(await page(), 'Refused today')).toBe('8');
});

test('the chart can be downloaded as a file with the same numbers', async () => {
  const { browser, csv } = await opened(2);
  const { headers, status } = await browser.get('/figures/votes-by-day.csv');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  const lines = await csv();
  expect(lines[0]).toBe(`Day,${WIRE_VOTE.serviceName}`);
  expect(lines).toHaveLength(91);
  expect(lines.at(-1)).toMatch(/,2$/);
});

test('a file that is not a chart is not found', async () => {
  const { browser } = await opened(0);
  expect((await browser.get('/figures/nonsense.csv')).status).toBe(404);
});
