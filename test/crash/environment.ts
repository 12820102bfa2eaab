/** What keeps running while Teller is killed: the voters, the listings, the game servers and the operator. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { furnish, type Place } from '../kit/place.ts';
import { service } from '../kit/service.ts';
import { TOKEN } from '../kit/vote.ts';
import { SettableClock } from '../support/fake-clock.ts';
import { Seeded } from '../support/seeded.ts';
import { HttpReceiver, KillTriggers, MinecraftServer } from './game-servers.ts';
import { Operator } from './operator.ts';
import { Accounts, Town } from './players.ts';
import {
  CROWD,
  DAY_MS,
  DOWN_FOR_DAYS,
  FIVEM,
  FOUND,
  MAX_AGE_MS,
  MINECRAFT,
  PARTY,
  PAY_FROM_MS,
  PLAIN_REWARDS,
  type RewardConfig,
  SITES,
  type Site,
  SPECIAL_REWARDS,
  type TopConfig,
  topsFor,
  WEBHOOK_SECRET,
} from './sites.ts';
import { ListingTraffic, senderTo, serveVotes, type TellerAddresses } from './traffic.ts';
import { Ballots, Newcomers, PastVotes, type SentVote, Voters } from './voters.ts';

const EARLIER_VOTES = 60;

export interface EnvironmentOptions {
  /** An empty folder. */
  readonly folder: string;
  readonly kills: number;
  /** The same seed gives the same votes and kills, but not the exact moment of a kill. */
  readonly seed: number;
  /** Words before each process of Teller: `env`, with variables. */
  readonly within?: readonly string[];
}

export type Environment = Awaited<ReturnType<typeof startEnvironment>>;

/** Also writes the config of the Teller that is killed into the folder. */
export async function startEnvironment({ folder, seed, kills, within = [] }: EnvironmentOptions) {
  /** Each part has its own, because how many one part draws depends on timing and must not change what the others draw. */
  const randomFor = (part: string): Seeded =>
    new Seeded(createHash('sha256').update(`${seed} ${part}`).digest().readUInt32LE(0));
  const startedAt = Date.now();
  const ballots = new Ballots(startedAt);
  const voters = new Voters(randomFor('votes'), ballots);
  const past = new PastVotes(randomFor('past'), ballots);
  const votes: SentVote[] = [MINECRAFT, FIVEM].flatMap((site) =>
    Array.from({ length: EARLIER_VOTES }, () => voters.earlierVote(site)),
  );
  votes.push(...past.beforeStart());
  const triggers = new KillTriggers();
  const sender = senderTo(folder, () => triggers.fire('answer'));
  const traffic = new ListingTraffic(votes, sender, randomFor('traffic'));
  const main = await MinecraftServer.start(randomFor('minecraft'), triggers);
  const sky = await MinecraftServer.start(randomFor('sky'), triggers);
  const realm = await MinecraftServer.start(randomFor('realm'), triggers);
  const receiver = await HttpReceiver.start(randomFor('receiver'), triggers);
  const town = new Town(randomFor('town'), ballots, { main, sky });
  const accounts = new Accounts(randomFor('accounts'), ballots, realm);
  const newcomers = new Newcomers(randomFor('newcomers'), ballots);
  const tops = topsFor(startedAt, kills);
  const gameServers = { main: main.entry, sky: sky.entry, realm: realm.entry, city: receiver.entry };
  const place = writeConfig(folder, { gameServers, apiPort: await serveVotes(votes), startedAt, tops });
  const operator = new Operator(randomFor('operator'), place, within);
  await runEarlier(place, startedAt);
  const namesOf = (cast: readonly SentVote[]): readonly string[] =>
    cast.filter(({ site }) => site === MINECRAFT).map(({ voter }) => voter);
  return {
    ...{ place, within, random: randomFor('lives'), startedAt, tops, votes, traffic, triggers },
    ...{ main, sky, realm, receiver, accounts, operator },
    /** To be called before each start of Teller. */
    startLifetime: () => {
      for (const each of [traffic, main, sky, realm, operator]) each.startLifetime();
    },
    /** Casts and sends some votes; resolves when every sending is over. */
    voteSome: async (at: TellerAddresses) => {
      const fresh = voters.some();
      main.joinAndLeave(namesOf(fresh));
      const all = [...fresh, ...past.some(), ...town.some(), ...accounts.some(), ...newcomers.some()];
      votes.push(...all);
      await traffic.sendSome(all, at);
    },
    /** Ends all faults, and lets all players join. */
    stopFaults: () => {
      main.joinAll(namesOf(votes));
      town.gather();
      accounts.gather();
      realm.joinAll([]);
      receiver.stopFaults();
    },
  };
}

interface Peers {
  /** Entries of `gameServers`. */
  readonly gameServers: Readonly<Record<string, object>>;
  readonly apiPort: number;
  readonly startedAt: number;
  readonly tops: readonly TopConfig[];
}

/** The config of the Teller that is killed. */
function writeConfig(folder: string, { gameServers, apiPort, startedAt, tops }: Peers): Place {
  const entryOf = ({ game, reports, windowMs }: Site): object => ({
    ...{ game, cooldown: `${windowMs}ms` },
    ...(reports === null
      ? {}
      : {
          api: {
            baseUrl: `http://127.0.0.1:${apiPort}${reports.path}/api/v1`,
            token: 'vl_crash',
            payFrom: new Date(startedAt - PAY_FROM_MS).toISOString(),
            maxAge: `${MAX_AGE_MS}ms`,
            interval: '10s',
          },
          webhook: { path: reports.path, secret: WEBHOOK_SECRET, listingId: reports.listingId },
        }),
  });
  return furnish(folder, {
    timeZone: 'UTC',
    webhook: { host: '127.0.0.1', port: 0 },
    sites: {
      default: { token: TOKEN },
      ...Object.fromEntries(SITES.map((site) => [site.name, entryOf(site)])),
    },
    gameServers,
    rewards: [...rewardsBySite(PLAIN_REWARDS), ...rewardsBySite(SPECIAL_REWARDS), forNewSites(FOUND)],
    party: [PARTY, CROWD],
    tops,
    log: { level: 'error' },
  });
}

const rewardsBySite = (rewards: Readonly<Record<string, readonly RewardConfig[]>>) =>
  Object.entries(rewards).flatMap(([site, own]) =>
    own.map((reward) => ({ ...reward, if: { site: [site], ...reward.if } })),
  );

/** An `if` cannot name sites that have no entry yet. */
const forNewSites = (reward: RewardConfig) => ({
  ...reward,
  if: { not: { site: SITES.map(({ name }) => name) } },
});

/** A Teller with this config ran some days before, for a moment. Its listings had no API, so it asked for no votes. */
async function runEarlier({ folder, config }: Place, startedAt: number): Promise<void> {
  const written = JSON.parse(readFileSync(config, 'utf8')) as { sites: Record<string, { api?: object }> };
  for (const site of Object.values(written.sites)) delete site.api;
  const file = join(folder, 'earlier.json');
  writeFileSync(file, JSON.stringify(written), { mode: 0o600 });
  const clock = new SettableClock(new Date(startedAt - DOWN_FOR_DAYS * DAY_MS).toISOString());
  const earlier = await service(['run', '--config', file, '--json'], { clock });
  if (earlier.ready === null || (await earlier.stop()) !== 0) throw new Error(earlier.err.join('\n'));
}
