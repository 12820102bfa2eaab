/** What keeps running while Teller is killed: the voters, the listings, the game servers and the operator. */
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { furnish, type Place } from '../kit/place.ts';
import { service } from '../kit/service.ts';
import { SettableClock } from '../support/fake-clock.ts';
import { Seeded } from '../support/seeded.ts';
import { startHttpReceiver, startMinecraftServer } from './game-servers.ts';
import { operatorAt } from './operator.ts';
import { configFor, DAY_MS, DOWN_FOR_DAYS, FIVEM, MINECRAFT, topsFor } from './sites.ts';
import { senderTo, serveVotes, type TellerAddresses, trafficOf } from './traffic.ts';
import { accountsOn, casting, newcomers, pastVotes, type SentVote, town, voters } from './voters.ts';

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
  const cast = casting(startedAt);
  const usual = voters(randomFor('votes'), cast, startedAt);
  const past = pastVotes(randomFor('past'), cast, startedAt);
  const votes: SentVote[] = [MINECRAFT, FIVEM].flatMap((site) =>
    Array.from({ length: EARLIER_VOTES }, () => usual.earlierVote(site)),
  );
  votes.push(...past.beforeStart());
  /** Of Teller, as game servers and senders see it, so that a kill can happen right after an event: see `KillTrigger`. */
  const events = new EventEmitter().setMaxListeners(0);
  const sender = senderTo(folder, () => events.emit('answer'));
  const traffic = trafficOf(votes, sender, randomFor('traffic'));
  const main = await startMinecraftServer(randomFor('minecraft'), events);
  const sky = await startMinecraftServer(randomFor('sky'), events);
  const realm = await startMinecraftServer(randomFor('realm'), events);
  const city = await startHttpReceiver(randomFor('receiver'), events);
  const servers = { main, sky, realm, city };
  const townspeople = town(randomFor('town'), cast, { main, sky });
  const accounts = accountsOn(realm, randomFor('accounts'), cast);
  const someNewcomers = newcomers(randomFor('newcomers'), cast);
  const tops = topsFor(startedAt, kills);
  const place = furnish(folder, configFor(servers, await serveVotes(votes), startedAt, tops));
  await runEarlier(place, startedAt);
  const operator = operatorAt(place, randomFor('operator'), within);
  const playersIn = (some: readonly SentVote[]): readonly string[] =>
    some.filter(({ site }) => site === MINECRAFT).map(({ voter }) => voter);
  return {
    ...{ place, within, random: randomFor('lives'), startedAt, tops, votes, traffic, events },
    ...{ servers, accounts, operator },
    /** To be called before each start of Teller. */
    startLifetime: () => {
      for (const each of [traffic, main, sky, realm, operator]) each.startLifetime();
    },
    /** Casts and sends some votes; resolves when every sending is over. */
    voteSome: async (at: TellerAddresses) => {
      const fresh = usual.some();
      main.joinAndLeave(playersIn(fresh));
      const all = [...fresh, ...past.some(), ...townspeople.some(), ...accounts.some(), ...someNewcomers()];
      votes.push(...all);
      await traffic.sendSome(all, at);
    },
    /** Ends all faults, and lets all players join. */
    stopFaults: () => {
      main.joinAll(playersIn(votes));
      townspeople.gather();
      accounts.gather();
      realm.joinAll([]);
      city.stopFaults();
    },
  };
}

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
