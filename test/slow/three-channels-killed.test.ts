import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pause } from '../../src/core/clock.ts';
import type { GrantRow, Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Auth } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto } from '../support/config-folder.ts';
import type { KillPoint } from '../support/killing-teller.ts';
import { practiceProcess } from '../support/practice-process.ts';
import { type Running, startScript, startTeller, type TellerReady } from '../support/processes.ts';
import { Seeded } from '../support/seeded.ts';
import {
  type ListingChannel,
  type ListingVote,
  SITE,
  threeChannels,
  v1Auth,
} from '../support/three-channels.ts';

const KILLING_TELLER = join(import.meta.dirname, '../support/killing-teller.ts');
const REWARDS = [
  { name: 'thanks', when: 'always', commands: ['say {player} voted'] },
  { name: 'daily', when: 'always', commands: ['say one for {player}', 'say two for {player}'] },
];
/** Squared, so that half of the kills happen within 100 ms, while the vote is stored, and the rest within 400 ms, while it is paid. */
const ROOT_OF_DELAY_MS = 20;

type Version = 'v1' | 'v2';

/** A listing and a game server, which keep running, and a Teller, which is killed. */
async function fixture() {
  const listing = await threeChannels();
  const practice = await practiceProcess(configFolder().folder);
  const { folder, config, ledger } = configFolder({
    ...listing.config,
    gameServers: { main: practice.gameServer },
    rewards: REWARDS,
  });
  const run = () => startTeller(['run', '--config', config], folder);
  return {
    vote: listing.vote,
    commandsRun: practice.commandsRun,
    run,
    /** Starts a Teller that kills itself at this point. */
    startKilling: (point: KillPoint): Promise<Running<TellerReady>> =>
      startScript(KILLING_TELLER, [config, point], folder),
    auth: (version: Version): Auth | undefined =>
      version === 'v1' ? v1Auth(join(folder, 'data/keys')) : undefined,
    lookInto: () => lookInto(ledger),
  };
}

type Fixture = Awaited<ReturnType<typeof fixture>>;

/** Reports the vote over a channel. Teller reads the API itself at its start. */
async function report(
  channel: ListingChannel,
  vote: ListingVote,
  { ready }: Running<TellerReady>,
  auth?: Auth,
) {
  if (channel === 'listener') return vote.byListener(ready, auth);
  return channel === 'webhook' ? vote.byWebhook(ready) : null;
}

/** Reports the vote over a channel, and waits until Teller has killed itself. */
async function reportAndKill(
  here: Fixture,
  vote: ListingVote,
  channel: ListingChannel,
  point: KillPoint,
  version: Version,
) {
  if (channel === 'api') await vote.byApi();
  const teller = await here.startKilling(point);
  const answer = await report(channel, vote, teller, here.auth(version));
  await teller.ended();
  if (point === 'between-commit-and-reply') expect(['accepted', 200]).not.toContain(answer);
  expect(teller.process.signalCode).toBe('SIGKILL');
}

/** Reports all votes over all channels again, without a crash, and checks that each sender is answered. */
async function reportAgain(here: Fixture, teller: Running<TellerReady>, votes: readonly ListingVote[]) {
  for (const vote of votes) {
    // A v1 sender gets no reply.
    expect(await vote.byListener(teller.ready, here.auth('v1'))).toBe('sent');
    expect(await vote.byListener(teller.ready)).toBe('accepted');
    expect(await vote.byWebhook(teller.ready)).toBe(200);
  }
  const eventIds = votes.map(({ eventId }) => eventId);
  const look = here.lookInto();
  await expect.poll(() => look.knownEvents(SITE, eventIds), { timeout: 15_000 }).toEqual(new Set(eventIds));
  await expect.poll(async () => openIn(await look.grantStates()), { timeout: 15_000 }).toBe(0);
  return look;
}

const openIn = ({ pending = 0, waiting = 0 }: Awaited<ReturnType<Ledger['grantStates']>>): number =>
  pending + waiting;

/** Expects one record and one reward. */
async function expectOneReward(look: Ledger, { player }: ListingVote, commandsRun: readonly string[]) {
  expect(await look.votes({ recipient: player.toLowerCase(), limit: 9 })).toMatchObject([
    { decision: 'rewarded', player, service: SITE },
  ]);
  const grants = await look.grants({ recipient: player.toLowerCase(), limit: 9 });
  expect(
    grants.map(({ reward, commands }) => [reward, commands.map(({ command }) => command)]).sort(),
  ).toEqual([
    ['daily', [`say one for ${player}`, `say two for ${player}`]],
    ['thanks', [`say ${player} voted`]],
  ]);
  for (const grant of grants) expectPaidOnceOrHeld(grant, commandsRun);
}

function expectPaidOnceOrHeld({ state, commands }: GrantRow, commandsRun: readonly string[]): void {
  const runs = commands.map(({ command, outcome }) => ({
    outcome,
    times: commandsRun.filter((run) => run === command).length,
  }));
  for (const { outcome, times } of runs) {
    if (outcome === 'delivered') expect(times).toBe(1);
    else if (outcome === 'unknown') expect(times).toBeLessThanOrEqual(1);
    else expect({ outcome, times }).toEqual({ outcome: null, times: 0 });
  }
  const isPaid = runs.every(({ outcome }) => outcome === 'delivered');
  expect(state).toBe(isPaid ? 'delivered' : 'held');
  // Only an unknown outcome stops a grant.
  if (!isPaid) expect(runs.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(1);
}

type Crash = readonly [channel: ListingChannel, point: KillPoint];
type Case = readonly [version: Version, first: Crash, second: Crash, third: Crash];

const CASES: readonly Case[] = [
  [
    'v2',
    ['listener', 'between-commit-and-reply'],
    ['webhook', 'between-commit-and-reply'],
    ['api', 'between-page-and-commit'],
  ],
  [
    'v2',
    ['listener', 'between-claim-and-write'],
    ['api', 'between-commit-and-bookmark'],
    ['webhook', 'between-commit-and-reply'],
  ],
  [
    'v2',
    ['webhook', 'between-write-and-settlement'],
    ['listener', 'between-commit-and-reply'],
    ['api', 'between-commit-and-bookmark'],
  ],
  [
    'v2',
    ['webhook', 'between-claim-and-write'],
    ['api', 'between-page-and-commit'],
    ['listener', 'between-commit-and-reply'],
  ],
  [
    'v2',
    ['api', 'between-page-and-commit'],
    ['listener', 'between-commit-and-reply'],
    ['webhook', 'between-commit-and-reply'],
  ],
  [
    'v2',
    ['api', 'between-write-and-settlement'],
    ['webhook', 'between-commit-and-reply'],
    ['listener', 'between-commit-and-reply'],
  ],
  [
    'v1',
    ['listener', 'between-commit-and-reply'],
    ['api', 'between-page-and-commit'],
    ['webhook', 'between-commit-and-reply'],
  ],
];

const titled = CASES.map((crashCase) => {
  const [version, ...crashes] = crashCase;
  const channels = crashes.map(([channel, point]) => `by ${channel}, killed ${point.replaceAll('-', ' ')}`);
  return [channels.join('; ').replace('listener', `listener (${version})`), crashCase] as const;
});

describe('the same vote by listener, webhook and API, with a kill -9 on every channel', () => {
  test.each(titled)(
    'is one record and one reward: %s; then by all channels again',
    {
      timeout: 60_000,
    },
    async (_, [version, ...crashes]) => {
      const here = await fixture();
      const vote = here.vote('Steve');
      for (const [channel, point] of crashes) await reportAndKill(here, vote, channel, point, version);
      const look = await reportAgain(here, await here.run(), [vote]);
      await expectOneReward(look, vote, here.commandsRun());
    },
  );

  test('is one record and one reward when it arrives over all channels at once, with eight kills, and then again', {
    timeout: 60_000,
  }, async () => {
    const here = await fixture();
    const random = new Seeded(20_261_121);
    const votes: ListingVote[] = [];
    for (let crash = 0; crash < 8; crash++) {
      const vote = here.vote(`Player${crash}`);
      votes.push(vote);
      await vote.byApi();
      const teller = await here.run();
      const auth = here.auth(crash % 2 === 0 ? 'v2' : 'v1');
      const answers = Promise.all([vote.byListener(teller.ready, auth), vote.byWebhook(teller.ready)]);
      await pause(systemClock, random.below(ROOT_OF_DELAY_MS) ** 2);
      await teller.kill();
      await answers;
    }
    const look = await reportAgain(here, await here.run(), votes);
    for (const vote of votes) await expectOneReward(look, vote, here.commandsRun());
  });
});
