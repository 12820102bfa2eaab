/** What surrounds a compared build, on real sockets: game servers with RCON, the API of a listing, and senders of votes. */
import type { Socket } from 'node:net';
import { packetType } from '../../../protocol/rcon.ts';
import { rconGame } from '../../kit/game.ts';
import { API_TOKEN, json, record, reporting, scriptedServer } from '../../kit/listing-api.ts';
import { sendV1, sendV2 } from '../../kit/vote.ts';
import { payload, post } from '../../kit/webhook.ts';
import type { Vote } from './steps.ts';

/** A player as a game server lists them. */
export interface Shown {
  readonly name: string;
  readonly uuid: string;
}

export interface Failing {
  /** `lose`: it runs the command and closes without a reply. `refuse`: it does not know the command. `away`: the player has just left. `hang up`: it closes at once. */
  readonly kind: 'lose' | 'refuse' | 'away' | 'hang up';
  readonly player: string;
  /** Only commands of this reward: in which order several are paid may differ. */
  readonly reward: string;
  readonly times: number;
}

const ABSENT = 'No player was found';
const REPLIES = {
  ...{ lose: null, away: ABSENT },
  refuse: 'Unknown or incomplete command, see below for error',
} as const;

/** The reward that a command of the configs says it is for. */
export const rewardIn = (command: string): string =>
  (command.split(' ')[command.startsWith('give ') ? 2 : 1] ?? '').replace(/-.*/, '');

/** A command that a game server ran, and when, in wall time of the build. */
export interface Ran {
  readonly at: number;
  readonly command: string;
  readonly reply: string | null;
}

const WHO = /^\/?(?:minecraft:)?list\b/;

/** A game server with RCON that waits for its turn, lists who it is told, refuses to give items to others, and keeps what it ran. */
export async function gameServer(now: () => number, turn: () => Promise<void> | undefined) {
  const game = await rconGame({ presenceInterval: '5s' });
  const ran: Ran[] = [];
  const sockets = new Set<Socket>();
  let players: readonly Shown[] = [];
  let failing: Failing | null = null;
  let [left, traffic] = [0, 0];
  const isFailing = (): boolean => {
    left -= 1;
    return left >= 0;
  };
  const replyTo = (command: string): string | null => {
    const { kind = 'hang up', player = '', reward } = failing ?? {};
    const isMeant = command.split(' ').includes(player) && rewardIn(command) === reward;
    if (kind !== 'hang up' && isMeant && isFailing()) return REPLIES[kind];
    const [verb, name, what] = command.split(' ');
    if (verb !== 'give') return '';
    return players.some((one) => one.name === name) ? `Gave 1 [${what}] to ${name}` : ABSENT;
  };
  game.script(({ type }, socket) => {
    traffic += 1;
    sockets.add(socket);
    if (failing?.kind !== 'hang up' || type !== packetType.login || !isFailing()) return false;
    socket.destroy();
    return true;
  });
  game.reply(async (command) => {
    await turn();
    if (WHO.test(command)) return undefined;
    const reply = replyTo(command);
    ran.push({ at: now(), command, reply });
    return reply ?? 'run-and-close';
  });
  const show = (next: readonly Shown[]): void => {
    players = next;
    game.show(...next.map(({ name, uuid }) => `${name} (${uuid})`));
  };
  return {
    ...{ entry: game.entry, ran, show },
    /** How often something came: logins, questions and commands. */
    traffic: () => traffic,
    /** As at the beginning. */
    reset: (): void => {
      [ran.length, left, failing] = [0, 0, null];
      show([]);
    },
    /** The next commands of a reward for a player fail, or the next connections. */
    fail: (next: Failing): void => {
      failing = next;
      left = next.times;
      if (next.kind === 'hang up') for (const socket of sockets) socket.destroy();
    },
  };
}

/** The developer API of a listing, whose time is that of the build. */
export async function listingApi(now: () => number) {
  const votes: Vote[] = [];
  let isUp = true;
  const { root, requests } = await scriptedServer((response, request) => {
    response.setHeader('Date', new Date(now()).toUTCString());
    const isAllowed = request.headers.authorization === `Bearer ${API_TOKEN}`;
    const answer = isUp && isAllowed ? reporting(votes.map(listed)) : json(isUp ? 401 : 503, {});
    answer(response, request);
  });
  return {
    ...{ root, votes },
    traffic: () => requests.length,
    reset: (): void => {
      [votes.length, requests.length, isUp] = [0, 0, true];
    },
    answers: (does: boolean): void => {
      isUp = does;
    },
  };
}

const listed = ({ number, castAt, player }: Vote) => record(number, castAt, player);

/** Where a build accepts votes. */
export interface Accepting {
  readonly folder: string;
  readonly listener: { readonly port: number };
  readonly webhook?: { readonly port: number };
}

/** Reports a vote by the listener or a webhook. @returns what is answered. */
export async function reportedBy(
  via: Exclude<Vote['via'][number], 'api'>,
  { service: site, player, castAt, stamp, number }: Vote,
  { folder, listener, webhook }: Accepting,
  now: number,
): Promise<string> {
  const stamps = { ms: String(castAt), s: String(Math.floor(castAt / 1_000)), none: 'now' };
  const sent = { site, player, timestamp: stamps[stamp] };
  if (via === 'v1') return sendV1(listener.port, sent, folder);
  if (via === 'v2') return sendV2(listener.port, sent).catch(String);
  if (via === 'wrong token') return sendV2(listener.port, { ...sent, token: 'another-token' }).catch(String);
  const iso = (at: number): string => new Date(at).toISOString();
  const { id: eventId, userId, votedAt } = record(number, castAt);
  const times = { votedAt, nextVoteAt: iso(castAt + 86_400_000) };
  const body = payload({ eventId, timestamp: iso(now) }, { userId, playerName: player, ...times });
  const { status } = await post({ webhookPort: webhook?.port ?? 0 }, body, { path: `/${site}` });
  return String(status);
}
