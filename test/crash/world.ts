import type { AddressInfo } from 'node:net';
import { randomFor } from './chance.ts';
import { HttpReceiver } from './http-receiver.ts';
import { serveVotes } from './listing-api.ts';
import { MinecraftServer } from './minecraft-server.ts';
import { Moments } from './moments.ts';
import { Roads } from './roads.ts';
import { MINECRAFT, SITES } from './sites.ts';
import { writeConfig } from './teller-config.ts';
import { Telling } from './telling.ts';
import type { TellerAddresses } from './victim.ts';
import { type SentVote, Voters } from './votes.ts';

const VOTES_OF_THE_PAST = 60;

/** What goes on living while Teller is killed: the voters, the listings, and the game servers that keep count. */
export interface World {
  readonly votes: readonly SentVote[];
  readonly telling: Telling;
  readonly minecraft: MinecraftServer;
  readonly receiver: HttpReceiver;
  readonly moments: Moments;
  /** A Teller is started. */
  beginLife(): void;
  /** Some votes are cast and told; resolves when each telling has had its answer or its end. */
  voteSome(at: TellerAddresses): Promise<void>;
  /** Nothing is in the way any more, and everybody comes. */
  calmDown(): void;
  close(): Promise<void>;
}

/** Writes the config of the Teller that is killed into the folder. */
export async function startWorld(folder: string, seed: number): Promise<World> {
  const startedAt = Date.now();
  const voters = new Voters(randomFor(seed, 'votes'), startedAt);
  const votes: SentVote[] = SITES.flatMap((site) =>
    Array.from({ length: VOTES_OF_THE_PAST }, () => voters.ofThePast(site)),
  );
  const moments = new Moments();
  const roads = new Roads(folder, () => moments.happened('answer'));
  const telling = new Telling(votes, roads, randomFor(seed, 'telling'));
  const minecraft = await MinecraftServer.start(randomFor(seed, 'minecraft'), moments);
  const receiver = await HttpReceiver.start(randomFor(seed, 'receiver'), moments);
  const api = await serveVotes(votes);
  const apiPort = (api.address() as AddressInfo).port;
  writeConfig(folder, { practice: minecraft.practice, receiverUrl: receiver.url, apiPort, startedAt });
  return {
    ...{ votes, telling, minecraft, receiver, moments },
    beginLife: () => {
      telling.beginLife();
      minecraft.beginLife();
    },
    voteSome: async (at) => {
      const fresh = voters.some();
      votes.push(...fresh);
      minecraft.comeAndGo(fresh.filter(({ site }) => site === MINECRAFT).map(({ voter }) => voter));
      await telling.some(fresh, at);
    },
    calmDown: () => {
      minecraft.welcomeAll(votes.filter(({ site }) => site === MINECRAFT).map(({ voter }) => voter));
      receiver.calmDown();
    },
    close: async () => {
      await minecraft.practice.close();
      receiver.close();
      api.closeAllConnections();
      api.close();
    },
  };
}
