import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
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
  const json = async (path: string) =>
    JSON.parse((await browser.get(path, { accept: 'application/json' })).text);
  return { ...running, browser, json };
}

test('without a vote, the list says how to send the first one', async () => {
  const { browser } = await voted();
  expect((await browser.get('/votes')).text).toContain('No votes yet');
});

test('votes are listed newest first, each with its decision and what became of its rewards', async () => {
  const { json } = await voted('Steve', 'Alex', 'Steve');
  const list = async () =>
    (await json('/votes')).votes.map((vote: Record<string, unknown>) => [
      vote.player,
      vote.decision,
      vote.payment,
    ]);
  await expect.poll(list).toEqual([
    ['Steve', 'cooldown', 'nothing'],
    ['Alex', 'rewarded', 'paid'],
    ['Steve', 'rewarded', 'paid'],
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
  const { json } = await voted('Steve', 'Alex', 'Steve');
  const { votes } = await json(`/votes?${query}`);
  expect(votes.map(({ player }: { player: string }) => player)).toEqual(players);
});

test('the form keeps what was typed, and says when nothing matches', async () => {
  const { browser } = await voted('Steve');
  const { text } = await browser.get('/votes?player=Nobody&channel=api');
  expect(text).toContain('value="Nobody"');
  expect(text).toContain('<option value="api" selected>');
  expect(text).toContain('No vote matches');
});

test('one vote is shown from its bytes to its commands', async () => {
  const { browser, json } = await voted('Steve');
  await expect.poll(async () => (await json('/votes/1')).grants[0].state).toBe('delivered');
  const { text } = await browser.get('/votes/1');
  for (const part of ['Steve', 'give Steve diamond 1', 'Decision', 'As it was received', 'username'])
    expect(text).toContain(part);
  expect((await json('/votes/1')).received).toContain('Steve');
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
