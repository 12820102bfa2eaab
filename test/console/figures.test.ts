import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { runningConsole } from '../support/running-console.ts';
import { WIRE_VOTE } from '../support/votifier-client.ts';

async function opened(votes: number) {
  const running = await runningConsole(systemClock, {
    sites: { default: { token: TOKEN }, [WIRE_VOTE.serviceName]: {} },
  });
  const browser = await running.operator();
  for (let at = 0; at < votes; at += 1) {
    await sendVote(
      { ...WIRE_VOTE, username: `Player${at}` },
      { ...running.app.listener, auth: { version: 'v2', token: TOKEN } },
      { clock: systemClock },
    );
  }
  const json = async () => JSON.parse((await browser.get('/figures', { accept: 'application/json' })).text);
  return { ...running, browser, json };
}

test('without a vote, each chart says that there is nothing', async () => {
  const { browser } = await opened(0);
  const { text } = await browser.get('/figures');
  expect(text.match(/No votes in this time\./g)?.length).toBe(3);
  expect(text).toContain('Nothing was refused.');
});

test('the charts show the votes of each hour and day by site, and how many earned a reward', async () => {
  const { json } = await opened(3);
  const { charts, voters } = await json();
  expect(charts['votes-by-hour'].series).toEqual([WIRE_VOTE.serviceName]);
  expect(charts['votes-by-hour'].columns).toHaveLength(48);
  expect(charts['votes-by-hour'].columns.at(-1).values).toEqual([3]);
  expect(charts['votes-by-day'].columns).toHaveLength(90);
  expect(charts['paid-by-day'].columns.at(-1).values).toEqual([3, 0]);
  expect(voters.day.voters).toHaveLength(3);
});

test('the axis of two days has noon and midnight, with the day', async () => {
  const { browser } = await opened(1);
  const { text } = await browser.get('/figures');
  const labels = [...text.matchAll(/class="x-label [^>]*>([^<]*:00)</g)].map(([, label]) => label);
  expect(labels.length).toBeGreaterThanOrEqual(3);
  for (const label of labels) expect(label).toMatch(/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:00|12):00$/);
});

test('each chart can be downloaded as a file with the same numbers', async () => {
  const { browser } = await opened(2);
  const { text, headers, status } = await browser.get('/figures/votes-by-day.csv');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  const lines = text.trimEnd().split('\r\n');
  expect(lines[0]).toBe(`Day,${WIRE_VOTE.serviceName}`);
  expect(lines).toHaveLength(91);
  expect(lines.at(-1)).toMatch(/,2$/);
});

test('a file that is not a chart is not found', async () => {
  const { browser } = await opened(0);
  expect((await browser.get('/figures/nonsense.csv')).status).toBe(404);
});
