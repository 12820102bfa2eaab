import { expect, test } from 'vitest';
import { explainCommand } from '../../src/commands/explain.ts';
import { HOUR_MS } from '../../src/core/duration.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { runCommand } from '../commands/run-command.ts';
import { TOKEN } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { rowsOf, stateSentenceOf, textOf, tileOf } from '../support/page-text.ts';
import { runningConsole } from '../support/running-console.ts';
import { WIRE_VOTE } from '../support/votifier-client.ts';

/** Steve has voted so many times, one after another. */
async function voted(times: number, overrides: object = {}) {
  const running = await runningConsole(systemClock, overrides);
  const browser = await running.operator();
  for (let at = 0; at < times; at += 1) {
    const timestamp = String(Number(WIRE_VOTE.timestamp) + at * 1_000);
    const auth = { version: 'v2', token: TOKEN } as const;
    const to = { ...running.app.listener, auth };
    await sendVote({ ...WIRE_VOTE, username: 'Steve', timestamp }, to, { clock: systemClock });
  }
  const answer = async (name: string) => stateSentenceOf((await browser.get(`/players/${name}`)).text);
  return { ...running, browser, answer };
}

test('a name in any case leads to its player', async () => {
  const { browser } = await voted(1);
  expect((await browser.get('/players?name=STEVE')).to).toBe('/players/steve');
});

test('the beginning of a name, or a typo, finds it', async () => {
  const { browser } = await voted(1);
  for (const [name, title] of [
    ['ste', 'Names that begin like this'],
    ['Stevi', 'Similar names'],
  ]) {
    const { text } = await browser.get(`/players?name=${name}`);
    expect([text.includes(title!), text.includes('href="/players/steve"')]).toEqual([true, true]);
  }
});

test('of a name that nobody has, the page says that no vote arrived', async () => {
  const { browser, answer } = await voted(0);
  expect((await browser.get('/players?name=Nobody')).text).toContain('Nobody has voted under this name');
  expect(await answer('Nobody')).toContain('No vote by Nobody has arrived.');
});

test('of a name without votes, the page says when no Teller was running, as `explain` does, and how to add a vote', async () => {
  const { browser, app } = await voted(0);
  const ended = systemClock.now() - 2 * HOUR_MS;
  const id = await app.ledger.keepRun(null, ended - HOUR_MS);
  await app.ledger.endRun(id, ended);
  const from = new Date(ended).toISOString();
  const { text } = await browser.get('/players/Fred');
  for (const part of ['While no Teller was running', from, 'votes add']) expect(text).toContain(part);
});

test('of a player whose vote may have been refused, the page says what `explain` says: site, code and what to compare', async () => {
  const { browser, config, app } = await voted(1);
  const auth = { version: 'v2', token: 'not-the-token-of-this-site' } as const;
  const to = { ...app.listener, auth };
  await sendVote({ ...WIRE_VOTE, username: 'Fred', serviceName: 'Top.example' }, to, { clock: systemClock });
  await expect.poll(() => app.ledger.refusals(0)).toHaveLength(1);
  for (const name of ['Fred', 'Steve']) {
    const terminal = fakeTerminal();
    const { out } = await runCommand(explainCommand(terminal, systemClock), terminal, [
      ...[name, '--json', '--config', config],
    ]);
    const { refusals } = JSON.parse(out).at(-1);
    expect(refusals).toMatchObject([{ service: 'Top.example', code: 'v2-signature', count: 1 }]);
    const { text } = await browser.get(`/players/${name}`);
    for (const part of ['Top.example', 'v2-signature', refusals[0].cause.replaceAll('`', '')])
      expect(textOf({ text })).toContain(part);
    expect(text.split('href="/keys"')).toHaveLength(3); // one of them is in the menu
  }
});

test('of a name like one that voted, the page leads to that player', async () => {
  const { browser } = await voted(1);
  expect((await browser.get('/players/Stevi')).text).toContain('href="/players/steve"');
});

test('a paid vote, and then one that came too early, are answered in a sentence', async () => {
  const once = await voted(1);
  await expect.poll(() => once.answer('Steve')).toContain('was counted and paid: ');
  const twice = await voted(2);
  expect(await twice.answer('Steve')).toContain('came too early');
});

test('a reward that waits for its player is answered so', async () => {
  const { answer } = await voted(1, { gameServers: { main: { kind: 'practice', autoJoin: false } } });
  await expect.poll(() => answer('Steve')).toContain('waits on main');
});

test('a reward that was cancelled is not called paid', async () => {
  const { answer, app, browser } = await voted(1, {
    gameServers: { main: { kind: 'practice', autoJoin: false } },
  });
  await expect.poll(() => answer('Steve')).toContain('waits on main');
  for (const { id } of await app.ledger.grants({ state: 'waiting', limit: 9 }))
    await app.ledger.cancel(id, { by: 'admin' }, systemClock.now());
  expect(await answer('Steve')).toContain('was counted and paid: ');
  expect((await browser.get('/players/Steve')).text).toContain('paid: thanks. Not paid: daily (');
});

test('a vote whose only reward was cancelled was counted, and not paid', async () => {
  const { answer, app } = await voted(1, {
    gameServers: { main: { kind: 'practice', autoJoin: false } },
    rewards: [{ name: 'daily', commands: ['give {player} diamond 1'] }],
  });
  await expect.poll(() => answer('Steve')).toContain('waits on main');
  await app.ledger.cancel(1, { by: 'admin' }, systemClock.now());
  expect(await answer('Steve')).toContain('was counted, but not paid: daily');
});

test('a vote that no reward applies to says why', async () => {
  const rewards = [{ name: 'rare', if: { votes: { every: 25 } }, commands: ['give {player} diamond 1'] }];
  const { answer, browser } = await voted(1, { rewards });
  expect(await answer('Steve')).toContain('was counted, but no reward applied.');
  expect((await browser.get('/players/Steve')).text).toContain('rare: 1 of 25');
});

test('counts, the next vote of each site and the latest votes are shown', async () => {
  const { browser } = await voted(2);
  const { text } = await browser.get('/players/Steve');
  const counts = ['Counted votes', 'This month', 'This week', 'Today'].map((label) => tileOf(text, label));
  expect(counts).toEqual(['1', '1', '1', '1']);
  expect(rowsOf(text, 'The next vote on each site')).toHaveLength(1);
  expect(rowsOf(text, 'Latest votes').map(({ Decision }) => Decision)).toEqual(['too early', 'counted']);
  for (const part of ['To send to the player', 'Days in a row', 'Latest votes']) expect(text).toContain(part);
});

test('a name that is markup is shown as text', async () => {
  const { browser } = await voted(0);
  const name = encodeURIComponent('<img src=x onerror=alert(1)>');
  for (const path of [`/players/${name}`, `/players?name=${name}`])
    expect((await browser.get(path)).text).not.toContain('<img');
});
