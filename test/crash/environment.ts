import type { AddressInfo } from 'node:net';
import { randomFor } from './chance.ts';
import { HttpReceiver } from './http-receiver.ts';
import { KillTriggers } from './kill-triggers.ts';
import { serveVotes } from './listing-api.ts';
import { ListingTraffic } from './listing-traffic.ts';
import { MinecraftServer } from './minecraft-server.ts';
import { MINECRAFT, SITES } from './sites.ts';
import { writeConfig } from './teller-config.ts';
import type { TellerAddresses } from './teller-process.ts';
import { VoteSender } from './vote-sender.ts';
import { type SentVote, Voters } from './votes.ts';

const EARLIER_VOTES = 60;

/** What keeps running while Teller is killed: the voters, the listings and the game servers. */
export interface Environment {
  readonly votes: readonly SentVote[];
  readonly traffic: ListingTraffic;
  readonly minecraft: MinecraftServer;
  readonly receiver: HttpReceiver;
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
export async function startEnvironment(folder: string, seed: number): Promise<Environment> {
  const startedAt = Date.now();
  const voters = new Voters(randomFor(seed, 'votes'), startedAt);
  const votes: SentVote[] = SITES.flatMap((site) =>
    Array.from({ length: EARLIER_VOTES }, () => voters.earlierVote(site)),
  );
  const triggers = new KillTriggers();
  const sender = new VoteSender(folder, () => triggers.fire('answer'));
  const traffic = new ListingTraffic(votes, sender, randomFor(seed, 'traffic'));
  const minecraft = await MinecraftServer.start(randomFor(seed, 'minecraft'), triggers);
  const receiver = await HttpReceiver.start(randomFor(seed, 'receiver'), triggers);
  const api = await serveVotes(votes);
  const apiPort = (api.address() as AddressInfo).port;
  writeConfig(folder, { practice: minecraft.practice, receiverUrl: receiver.url, apiPort, startedAt });
  return {
    ...{ votes, traffic, minecraft, receiver, triggers },
    startLifetime: () => {
      traffic.startLifetime();
      minecraft.startLifetime();
    },
    voteSome: async (at) => {
      const fresh = voters.some();
      votes.push(...fresh);
      minecraft.joinAndLeave(fresh.filter(({ site }) => site === MINECRAFT).map(({ voter }) => voter));
      await traffic.sendSome(fresh, at);
    },
    stopFaults: () => {
      minecraft.joinAll(votes.filter(({ site }) => site === MINECRAFT).map(({ voter }) => voter));
      receiver.stopFaults();
    },
    close: async () => {
      await minecraft.practice.close();
      receiver.close();
      api.closeAllConnections();
      api.close();
    },
  };
}
