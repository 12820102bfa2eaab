import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readPublicKey } from '../../protocol/votifier/key-text.ts';
import { encodeVotePayload } from '../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../protocol/webhook/signature.ts';
import type { Dice } from '../../src/core/dice.ts';
import { type PracticeServer, startPracticeServer } from '../../src/practice/server.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemDice } from '../../src/runtime/dice.ts';
import { type Auth, sendVote } from '../../src/sender/send-vote.ts';
import { silentLog } from '../support/log.ts';
import type { TellerAddresses } from './victim.ts';

export const SITE = 'Crash-List.com';
const TOKEN = 'crash-token-of-thirty-two-characters';
const SECRET = 'whsec_crash';
const LISTING = 'crash-listing';
/** Newest first, and no more than this at once, as the listing services answer. */
const PAGE = 100;

export const ROADS = ['v2', 'v1', 'webhook', 'api'] as const;
export type Road = (typeof ROADS)[number];

/** A vote as the listing knows it, each of a player of its own. */
export interface SentVote {
  readonly id: string;
  readonly player: string;
  readonly votedAt: number;
  /** By at least one of which a Teller that lives long enough hears of it. */
  readonly roads: readonly Road[];
  /** Whether somebody was told that it is on disk. */
  isAnswered: boolean;
}

/** What goes on living while Teller is killed: the game server that counts commands, and the listing. */
export interface World {
  readonly votes: readonly SentVote[];
  readonly practice: PracticeServer;
  /** Votes now, by one to three roads at once; resolves when each has had its answer or its end. */
  voteSome(count: number, at: TellerAddresses): Promise<void>;
  close(): Promise<void>;
}

/** Writes the config of the Teller that is killed into the folder. */
export async function startWorld(folder: string, dice: Dice): Promise<World> {
  const votes: SentVote[] = [];
  const practice = await startPracticeServer({ clock: systemClock, dice: systemDice, log: silentLog });
  const api = await serveVotes(votes);
  writeConfig(folder, practice, api);
  let next = 0;
  const newVote = (): SentVote => {
    next += 1;
    const roads = ROADS.filter(() => dice.roll() < 0.5);
    const id = `00000000-0000-7000-8000-${String(next).padStart(12, '0')}`;
    const some = roads.length > 0 ? roads : (['webhook'] as const);
    return { id, player: `P${next}`, votedAt: Date.now(), roads: some, isAnswered: false };
  };
  return {
    votes,
    practice,
    voteSome: async (count, at) => {
      const some = Array.from({ length: count }, newVote);
      votes.push(...some);
      await Promise.all(some.flatMap((vote) => vote.roads.map((road) => tell[road](vote, at, folder))));
    },
    close: async () => {
      await practice.close();
      api.closeAllConnections();
      api.close();
    },
  };
}

type Tell = (vote: SentVote, at: TellerAddresses, folder: string) => Promise<void>;

const tell: Readonly<Record<Road, Tell>> = {
  v2: (vote, at) => byListener(vote, at, { version: 'v2', token: TOKEN }),
  v1: (vote, at, folder) => {
    const reading = readPublicKey(readFileSync(join(folder, 'data/keys/public.key'), 'utf8'));
    if (reading.kind !== 'key') throw new Error(reading.reason);
    return byListener(vote, at, { version: 'v1', publicKey: reading.key });
  },
  webhook: async (vote, at) => {
    const { id: eventId, player: playerName, votedAt } = vote;
    const times = { votedAt, nextVoteAt: votedAt + 86_400_000 };
    const voter = { userId: 'crash-voter', playerName };
    const body = encodeVotePayload(
      { eventId, listingId: LISTING, ...voter, ...times, weight: 1, game: 'minecraft' },
      votedAt,
    );
    const headers = { [SIGNATURE_HEADER]: signBody(body, SECRET), 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${at.webhook.port}/crash`;
    const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) }).catch(
      () => null,
    );
    if (answer?.ok) vote.isAnswered = true;
  },
  // It is told by being asked.
  api: async () => {},
};

async function byListener(vote: SentVote, { listener }: TellerAddresses, auth: Auth): Promise<void> {
  const wire = {
    ...{ serviceName: SITE, username: vote.player, address: '0.0.0.0' },
    timestamp: String(vote.votedAt),
  };
  const { code } = await sendVote(
    wire,
    { host: '127.0.0.1', port: listener.port, auth },
    { clock: systemClock },
  );
  if (code === 'accepted') vote.isAnswered = true;
}

/** The one operation of the developer API that Teller asks for, without its limits: they would take minutes here. */
async function serveVotes(votes: readonly SentVote[]): Promise<Server> {
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://api').searchParams;
    const from = Date.parse(query.get('startDate') ?? '1970-01-01');
    const until = Date.parse(query.get('endDate') ?? '9999-01-01');
    const found = votes
      .filter(({ roads, votedAt }) => roads.includes('api') && votedAt >= from && votedAt <= until)
      .toSorted((a, b) => b.votedAt - a.votedAt || (a.id < b.id ? 1 : -1))
      .slice(0, Math.min(PAGE, Number(query.get('limit') ?? 50)));
    const records = found.map(({ id, votedAt, player }) => ({
      ...{ id, userId: 'crash-voter', votedAt: new Date(votedAt).toISOString() },
      metadata: { playerName: player },
    }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(records));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function writeConfig(folder: string, practice: PracticeServer, api: Server): void {
  const { port } = api.address() as AddressInfo;
  const config = {
    listener: { host: '127.0.0.1', port: 0 },
    webhook: { host: '127.0.0.1', port: 0 },
    sites: {
      default: { token: TOKEN },
      [SITE]: {
        api: {
          baseUrl: `http://127.0.0.1:${port}/api/v1`,
          token: 'vl_crash',
          payFrom: new Date(Date.now() - 60_000).toISOString(),
          interval: '10s',
        },
        webhook: { path: '/crash', secret: SECRET, listingId: LISTING },
      },
    },
    gameServers: {
      main: { kind: 'rcon', host: practice.host, port: practice.port, password: practice.password },
    },
    rewards: [
      { name: 'one', when: 'always', commands: ['say one {player}', 'say two {player}'] },
      { name: 'other', when: 'always', commands: ['say three {player}'] },
    ],
    log: { level: 'error' },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
}
