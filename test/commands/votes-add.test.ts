import { describe, expect, test } from 'vitest';
import { votesCommand } from '../../src/commands/votes.ts';
import { readingOf } from '../../src/core/clock-reading.ts';
import { accountName } from '../../src/platform/account.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { TOKEN } from '../support/config-folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { naming } from '../support/naming.ts';
import { runningApp } from '../support/running-app.ts';
import { arrival } from '../support/votes.ts';
import { type Operator, operator } from './operator.ts';
import { runCommand } from './run-command.ts';

const CONFIG = {
  sites: { default: { token: TOKEN }, 'My-List.com': {} },
  rewards: [
    { name: 'daily', commands: ['give {player} diamond 1'] },
    { name: 'second', if: { votes: { at: [2] } }, commands: ['say {votes}'] },
  ],
};

const add = ({ teller }: Operator, ...words: string[]) =>
  teller('votes', 'add', '--player', 'Steve', '--site', 'My-List.com', ...words);

const votesIn = ({ ledger }: Operator) => ledger.votes({ limit: 9 });

describe('votes add', () => {
  test('records a vote that takes its window and earns its rewards, and says so', async () => {
    const one = await operator(CONFIG);
    const { out, exit } = await add(one);
    expect(exit).toBe(0);
    const lines = out.split('\n');
    expect(lines).toContainEqual(naming('vote 1', 'Steve', 'My-List.com', 'rewarded'));
    expect(lines).toContainEqual(naming('reward', 'daily: granted'));
    expect(lines).toContainEqual(naming('second', '1 of 2'));
    expect(lines).toContainEqual(naming('grant 1', 'pending'));
    expect(await votesIn(one)).toMatchObject([
      { channel: 'operator', site: 'My-List.com', castAt: Date.parse('2026-06-01T12:00:00Z'), address: null },
    ]);
  });

  test('obeys the window of an earlier vote, and is counted and traced like a vote that arrived', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'My-List.com', { at: '2026-06-01T12:00:00Z' });
    one.clock.set('2026-06-01T13:00:00Z');
    const { out } = await add(one);
    expect(out.split('\n')).toContainEqual(naming('cooldown', '2026-06-02T12:00:00.000Z'));
    expect((await one.teller('explain', 'Steve')).out.split('\n')).toContainEqual(
      naming('2026-06-01T13:00:00.000Z', 'operator', accountName()),
    );
  });

  test('dates a vote by --at, so that the total that it completes is paid', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'My-List.com', { at: '2026-06-03T12:00:00Z' });
    const { out } = await add(one, '--at', '2026-06-01T09:00Z', '--json');
    expect(JSON.parse(out)).toMatchObject([
      {
        added: true,
        decision: 'rewarded',
        castAt: '2026-06-01T09:00:00.000Z',
        rewards: [
          { reward: 'daily', code: 'granted' },
          { reward: 'second', code: 'granted' },
        ],
        grants: [{ reward: 'daily' }, { reward: 'second', occasion: 'total 2' }],
      },
    ]);
  });

  test('with --id, adds a vote once, also if the listing reports it later (rule 2)', async () => {
    const one = await operator(CONFIG);
    await add(one, '--id', 'event-7');
    one.clock.set('2026-06-05T12:00:00Z');
    const { out, err, exit } = await add(one, '--id', 'event-7', '--json');
    expect([exit, JSON.parse(out)]).toMatchObject([0, [{ id: 1, added: false }]]);
    expect((await add(one, '--id', 'event-7')).err).toContain('vote 1');
    expect(err).toBe('');
    const reported = arrival({ site: 'My-List.com', channel: 'webhook', eventId: 'event-7' });
    expect(await one.ledger.record(reported, null)).toEqual({ kind: 'same', id: 1 });
  });

  test('without --id, adds one more vote each time, except for the same time', async () => {
    const one = await operator(CONFIG);
    await add(one);
    await add(one);
    expect(await votesIn(one)).toHaveLength(2);
    await add(one, '--at', '2026-05-20');
    await add(one, '--at', '2026-05-20');
    expect(await votesIn(one)).toHaveLength(3);
  });

  test('accepts a user ID on a site without player names', async () => {
    const sites = {
      default: { token: TOKEN },
      Craft: { webhook: { path: '/v', secret: TOKEN, listingId: 'id' } },
    };
    const one = await operator({ sites: { ...sites, Craft: { ...sites.Craft, game: 'fivem' } } });
    await one.teller('votes', 'add', '--player', '80351110224678912', '--site', 'Craft');
    expect(await votesIn(one)).toMatchObject([{ recipient: '80351110224678912', player: null }]);
  });

  test.each([
    ['a time in the future', ['--at', '2026-06-01T12:00:01Z'], 'usage'],
    ['an ID with a space', ['--id', 'a b'], 'usage'],
    ['a site whose name is too long', ['--site', 'x'.repeat(129)], 'usage'],
    ['a name that no player can have', ['--player', 'Steve;op'], 'vote-refused'],
  ])('refuses %s, and records nothing', async (_, words, code) => {
    const one = await operator(CONFIG);
    expect((await add(one, ...words)).err).toContain(`[${code}]`);
    expect(await votesIn(one)).toEqual([]);
  });

  test('needs the time of the vote while the clock cannot be relied on', async () => {
    const one = await operator(CONFIG);
    const clock = new FakeClock('2026-05-30T12:00:00Z');
    const arriving = () => arrival({ player: 'Alex', receivedAt: clock.now(), claim: null });
    await one.ledger.record(arriving(), readingOf(clock));
    clock.jump(26 * 3_600_000);
    await one.ledger.record(arriving(), readingOf(clock));
    expect((await add(one)).err).toContain('[vote-undated]');
    expect((await add(one, '--at', '2026-05-29')).exit).toBe(0);
  });
});

test('a running Teller pays what a vote earns that another process adds', async () => {
  const running = await runningApp(systemClock, { rewards: [CONFIG.rewards[0]] });
  const terminal = fakeTerminal(false);
  const command = votesCommand(terminal, { clock: systemClock, random: fixedRandom(7) });
  const words = ['add', '--player', 'Steve', '--site', 'My-List.com', '--config', running.config];
  expect((await runCommand(command, terminal, words)).exit).toBe(0);
  await expect
    .poll(async () => (await running.look.grants({ limit: 9 })).map(({ state }) => state))
    .toEqual(['delivered']);
});
