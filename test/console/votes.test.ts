import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { rowsOf, textOf } from '../support/page-text.ts';
import { runningConsole } from '../support/running-console.ts';
import { WIRE_VOTE } from '../support/votifier-client.ts';

async function voted(...names: readonly string[]) {
  const running = await runningConsole(systemClock);
  const browser = await running.operator();
  const auth = { version: 'v2', token: TOKEN } as const;
  for (const [at, username] of names.entries()) {
    const timestamp = String(Number(WIRE_VOTE.timestamp) + at * 1_000);
    const vote = { ...WIRE_VOTE, username, timestamp };
    await sendVote(vote, { ...running.app.listener, auth }, { clock: systemClock });
  }
  const votes = async (path = '/votes') => rowsOf((await browser.get(path)).text, 'Votes');
  return { ...running, browser, votes };
}

test('without a vote, the list says how to send the first one', async () => {
  const { browser } = await voted();
  expect((await browser.get('/votes')).text).toContain('No votes yet');
});

test('votes are listed newest first, each with its decision and what became of its rewards', async () => {
  const { votes } = await voted('Steve', 'Alex', 'Steve');
  await expect.poll(votes).toMatchObject([
    { Player: 'Steve', Decision: 'too early', Rewards: 'nothing to pay' },
    { Player: 'Alex', Decision: 'counted', Rewards: 'paid' },
    { Player: 'Steve', Decision: 'counted', Rewards: 'paid' },
  ]);
});

test.each([
  ['player=alex', ['Alex']],
  ['site=default', ['Steve', 'Alex', 'Steve']],
  ['decision=cooldown', ['Steve']],
  ['channel=listener-v2', ['Steve', 'Alex', 'Steve']],
  ['channel=webhook', []],
  ['player=steve&decision=rewarded', ['Steve']],
  ['day=2020-01-01', []],
  ['decision=nonsense', ['Steve', 'Alex', 'Steve']],
])('the filter ?%s shows %j', async (query, players) => {
  const { votes } = await voted('Steve', 'Alex', 'Steve');
  expect((await votes(`/votes?${query}`)).map(({ Player }) => Player)).toEqual(players);
});

test('the form keeps what was typed, and says when nothing matches', async () => {
  const { browser } = await voted('Steve');
  const { text } = await browser.get('/votes?player=Nobody&channel=api');
  expect(text).toContain('value="Nobody"');
  expect(text).toContain('<option value="api" selected>');
  expect(text).toContain('No vote matches');
});

test('one vote is shown from its bytes to its commands', async () => {
  const { app, browser } = await voted('Steve');
  await expect.poll(() => app.ledger.grantStates()).toEqual({ delivered: 2 });
  const { text } = await browser.get('/votes/1');
  for (const part of ['Steve', 'give Steve diamond 1', 'Decision', 'As it was received', 'username'])
    expect(text).toContain(part);
  expect(textOf({ text: /<pre[^>]* id="wire"[^>]*>(.*?)<\/pre>/s.exec(text)?.[1] ?? '' })).toContain('Steve');
});

test('a name that is markup is shown as text', async () => {
  const { browser } = await voted('Steve');
  const { text } = await browser.get('/votes?player=%3Cscript%3Ealert(1)%3C/script%3E');
  expect(text).not.toContain('<script>alert');
});

test.each(['/votes/2', '/votes/0', '/votes/x', '/votes/99999999999999999999'])(
  '%s is not found',
  async (path) => {
    const { browser } = await voted('Steve');
    expect((await browser.get(path)).status).toBe(404);
  },
);
