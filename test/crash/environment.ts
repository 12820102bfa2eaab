import type { AddressInfo } from 'node:net';
import { Accounts } from './accounts.ts';
import { randomFor } from './chance.ts';
import { HttpReceiver } from './http-receiver.ts';
import { KillTriggers } from './kill-triggers.ts';
import { serveVotes } from './listing-api.ts';
import { ListingTraffic } from './listing-traffic.ts';
import { MinecraftServer } from './minecraft-server.ts';
import { Newcomers } from './newcomers.ts';
import { Operator } from './operator.ts';
import { PastVotes } from './past-votes.ts';
import { FIVEM, MINECRAFT } from './sites.ts';
import { writeConfig } from './teller-config.ts';
import type { TellerAddresses } from './teller-process.ts';
import { startLedgerEarlier, type TopConfig, topsFor } from './tops.ts';
import { Town } from './town.ts';
import { VoteSender } from './vote-sender.ts';
import { Ballots, type SentVote, Voters } from './votes.ts';

const EARLIER_VOTES = 60;

export interface EnvironmentOptions {
  readonly folder: string;
  readonly seed: number;
  readonly kills: number;
  /** The program and the arguments before the name of a command. */
  readonly cli: readonly string[];
}

/** What keeps running while Teller is killed: the voters, the listings, the game servers and the operator. */
export interface Environment {
  readonly startedAt: number;
  readonly votes: readonly SentVote[];
  readonly traffic: ListingTraffic;
  readonly main: MinecraftServer;
  readonly sky: MinecraftServer;
  readonly realm: MinecraftServer;
  readonly receiver: HttpReceiver;
  readonly town: Town;
  readonly accounts: Accounts;
  readonly operator: Operator;
  readonly tops: readonly TopConfig[];
  readonly triggers: KillTriggers;
  /** To be called before each start of Teller. */
  startLifetime(): void;
  /** Casts and sends some votes; resolves when every sending is over. */
  voteSome(at: TellerAddresses): Promise<void>;
  /** Ends all faults, and lets all players join. */
  stopFaults(): void;
  close(): Promise<void>;
}

/** Also writes the config of the Teller that is killed into the folder. */
export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { folder, seed, kills, cli } = options;
  const startedAt = Date.now();
  const ballots = new Ballots(startedAt);
  const voters = new Voters(randomFor(seed, 'votes'), ballots);
  const past = new PastVotes(randomFor(seed, 'past'), ballots);
  const votes: SentVote[] = [MINECRAFT, FIVEM].flatMap((site) =>
    Array.from({ length: EARLIER_VOTES }, () => voters.earlierVote(site)),
  );
  votes.push(...past.beforeStart());
  const triggers = new KillTriggers();
  const sender = new VoteSender(folder, () => triggers.fire('answer'));
  const traffic = new ListingTraffic(votes, sender, randomFor(seed, 'traffic'));
  const main = await MinecraftServer.start(randomFor(seed, 'minecraft'), triggers);
  const sky = await MinecraftServer.start(randomFor(seed, 'sky'), triggers);
  const realm = await MinecraftServer.start(randomFor(seed, 'realm'), triggers);
  const receiver = await HttpReceiver.start(randomFor(seed, 'receiver'), triggers);
  const api = await serveVotes(votes);
  const apiPort = (api.address() as AddressInfo).port;
  const town = new Town(randomFor(seed, 'town'), ballots, { main, sky });
  const accounts = new Accounts(randomFor(seed, 'accounts'), ballots, realm.practice);
  const newcomers = new Newcomers(randomFor(seed, 'newcomers'), ballots);
  const operator = new Operator(randomFor(seed, 'operator'), cli, folder);
  const tops = topsFor(startedAt, kills);
  const servers = { main: main.practice, sky: sky.practice, realm: realm.practice };
  writeConfig(folder, { ...servers, receiverUrl: receiver.url, apiPort, startedAt, tops });
  await startLedgerEarlier(folder, startedAt);
  return {
    ...{
      startedAt,
      votes,
      traffic,
      main,
      sky,
      realm,
      receiver,
      town,
      accounts,
      operator,
      tops,
      triggers,
    },
    startLifetime: () => {
      traffic.startLifetime();
      main.startLifetime();
      sky.startLifetime();
      realm.startLifetime();
      operator.startLifetime();
    },
    voteSome: async (at) => {
      const fresh = voters.some();
      main.joinAndLeave(fresh.filter(({ site }) => site === MINECRAFT).map(({ voter }) => voter));
      const all = [...fresh, ...past.some(), ...town.some(), ...accounts.some(), ...newcomers.some()];
      votes.push(...all);
      await traffic.sendSome(all, at);
    },
    stopFaults: () => {
      main.joinAll(votes.filter(({ site }) => site === MINECRAFT).map(({ voter }) => voter));
      town.gather();
      accounts.gather();
      realm.joinAll([]);
      receiver.stopFaults();
    },
    close: async () => {
      await Promise.all([main, sky, realm].map(({ practice }) => practice.close()));
      receiver.close();
      api.closeAllConnections();
      api.close();
    },
  };
}
