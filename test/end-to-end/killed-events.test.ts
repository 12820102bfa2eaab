import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import type { KillPoint } from '../support/killing-teller.ts';
import { type Running, startScript, startTeller, type TellerReady } from '../support/processes.ts';
import { type Sink, sink } from '../support/sink.ts';

const KILLING_TELLER = join(import.meta.dirname, '../support/killing-teller.ts');
const REWARDS = [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }];

/** A config that tells a receiver of votes and payments. */
async function fixture() {
  const receiver = await sink();
  const events = [
    { url: receiver.url, on: ['vote.rewarded', 'grant.delivered'], secret: 'the-secret-of-the-plugin' },
  ];
  return { receiver, ...configFolder({ rewards: REWARDS, events }) };
}

const voteOf = ({ ready }: Running<TellerReady>, player: string) =>
  sendVote(
    { serviceName: 'List', username: player, address: '192.0.2.1', timestamp: String(systemClock.now()) },
    { ...ready.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );

/** What arrived, each event once: `vote.rewarded of 1`. */
function arrived({ requests }: Sink): string[] {
  const names = new Map(
    requests.map(({ json }) => {
      const { vote } = json.data as { vote: { id: number } };
      return [json.eventId, `${json.event} of ${vote.id}`];
    }),
  );
  return [...names.values()].toSorted();
}

const POINTS: readonly (readonly [what: string, point: KillPoint, count: number])[] = [
  ['a vote is stored and not answered', 'between-commit-and-reply', 1],
  ['a post is to be claimed', 'before-takePosts', 1],
  ['a post is claimed and not sent', 'after-takePosts', 1],
  ['a post has arrived and this is not stored', 'before-takePosts', 2],
  ['it is stored that a post has arrived', 'after-takePosts', 2],
];

test.each(POINTS)(
  'rule 6: if kill -9 comes when %s, every event arrives after the next start',
  {
    timeout: 60_000,
  },
  async (_, point, count) => {
    const { folder, config, ledger, receiver } = await fixture();
    const killed: Running<TellerReady> = await startScript(
      KILLING_TELLER,
      [config, point, String(count)],
      folder,
    );
    await voteOf(killed, 'Steve');
    await killed.ended();

    await startTeller(['run', '--config', config], folder);
    const look = lookInto(ledger);
    await expect.poll(() => look.grantStates(), { timeout: 15_000 }).toEqual({ delivered: 1 });
    await expect
      .poll(() => arrived(receiver), { timeout: 15_000 })
      .toEqual(['grant.delivered of 1', 'vote.rewarded of 1']);
    await expect
      .poll(() => look.receiverStates())
      .toMatchObject([{ waiting: 0, undelivered: 0, delivered: 2, dropped: 0 }]);
  },
);

test('whenever kill -9 comes, each event arrives, and a copy has the same ID', {
  timeout: 120_000,
}, async () => {
  const { folder, config, ledger, receiver } = await fixture();
  const accepted: string[] = [];
  for (let round = 0; round < 4; round++) {
    const running: Running<TellerReady> = await startTeller(['run', '--config', config], folder);
    for (let index = 0; index < 6; index++) {
      const player = `Player${round}_${index}`;
      if ((await voteOf(running, player)).kind === 'accepted') accepted.push(player);
    }
    // At another moment in each round, while posts are in progress.
    await expect
      .poll(() => receiver.requests.length, { timeout: 15_000, interval: 5 })
      .toBeGreaterThan(round * 3);
    await running.kill();
  }
  await startTeller(['run', '--config', config], folder);
  const look = lookInto(ledger);
  await expect.poll(async () => (await look.receiverStates())[0]?.waiting, { timeout: 15_000 }).toBe(0);
  const votes = await look.votes({ limit: 99 });
  expect(accepted).toHaveLength(24);
  expect(arrived(receiver).filter((name) => name.startsWith('vote'))).toEqual(
    votes.map(({ id }) => `vote.rewarded of ${id}`).toSorted(),
  );
  const { delivered = 0 } = await look.grantStates();
  expect(arrived(receiver).filter((name) => name.startsWith('grant'))).toHaveLength(delivered);
});
