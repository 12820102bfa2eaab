/**
 * What an operator moves away from: an old listener that pays, its game servers, its plugins' files, and the listings that send
 * votes to it.
 */
import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { inject, onTestFinished } from 'vitest';
import { decryptV1Block, readPrivateKey } from '../../../protocol/votifier/v1.ts';
import { sendVote } from '../../../src/library/vote-teller.ts';
import { rconGame } from '../../kit/game.ts';
import { freePort } from '../../kit/serve.ts';
import { temporaryFolder } from '../../support/folder.ts';

export const PATIENT = { timeout: 45_000, interval: 200 };
export const SERVICES = ['A.example', 'B.example', 'C.example', 'D.example', 'E.example', 'F.example'];
const DEFAULT_TOKEN = 'the-token-of-the-old-listener';

/**
 * What the old side does wrong, by the beginning of the player's name. The last two close the connection without an answer: the first
 * time without hearing the vote, or always after paying it.
 */
const FAULTS = {
  ...{ Missed: 'misses', Doubled: 'doubles', Swapped: 'pays-another' },
  ...{ Unheard: 'is-deaf-once', Unconfirmed: 'is-mute' },
} as const;
/** Whom it pays if it pays another player. */
const ANOTHER = 'Another';

export const faultFor = (player: string): string | undefined =>
  Object.entries(FAULTS).find(([begin]) => player.startsWith(begin))?.[1];

interface WorldSettings {
  /** What the plugins have in Teller's folder. */
  readonly files: (setup: Setup) => Files;
  /** How many game servers; one by default. */
  readonly gameServers?: number;
  /** The old listener takes version 1 alone, and so listings send nothing else. */
  readonly isV1Alone?: boolean;
  /** Where the old listener is, if not at Teller's 127.0.0.1. Its port is then `movedPort`. */
  readonly oldHost?: string;
  /** That the old listener has a token for a service of its own. */
  readonly hasOwnToken?: boolean;
}

/** A time in which a listener ended, by the monotonic clock in ms. */
export interface End {
  readonly from: number;
  readonly to: number;
}

export type World = Awaited<ReturnType<typeof oldWorld>>;

/** An old side, listings that send to its port, and the folder of a Teller in which nothing was done yet. */
export async function oldWorld(settings: WorldSettings) {
  const { files, gameServers = 1, isV1Alone = false, oldHost: host = '127.0.0.1' } = settings;
  const [port, movedPort] = [await freePort(), await freePort()];
  const games = await recordedGameServers(gameServers);
  games.join(ANOTHER);
  const tokens: Tokens = {
    ...(isV1Alone ? {} : { default: DEFAULT_TOKEN }),
    ...(settings.hasOwnToken === true ? { 'F.example': 'a-token-of-its-own' } : {}),
  };
  const folder = temporaryFolder(files({ port, tokens }));
  const atOld = { host, port: settings.oldHost === undefined ? port : movedPort };
  const places = new Map(SERVICES.map((service) => [service, atOld]));
  const listings = new Listings(games.join, (service, number) => ({
    ...(places.get(service) ?? atOld),
    ...(isV1Alone || number % 3 === 0
      ? { publicKey: inject('keyPair').publicKey }
      : { token: tokens[service] ?? DEFAULT_TOKEN }),
  }));
  /** Of Teller, by kill -9, and of the old side. */
  const ends = { kills: [] as End[], stops: [] as End[] };
  let old: Awaited<ReturnType<typeof oldListener>> | null = null;
  return {
    ...{ folder, config: join(folder, 'config.json'), games, listings, ends, port, movedPort },
    /** What the page has for hosts and ports of this test. */
    onPage: {
      '"host":"10.0.0.11","port":25575': `"port":${games.ports[0]}`,
      '"port":25575': `"port":${games.ports[0]}`,
      '"port":25576': `"port":${games.ports[1]}`,
      '"port":8194': `"port":${movedPort}`,
      '"port":8192': `"port":${movedPort}`,
      '"host":"10.0.0.11"': `"host":"${host}"`,
    },
    /** With the tokens that it has at first, or with `default` alone. */
    startOld: async (at: number, which: 'all tokens' | 'default' = 'all tokens'): Promise<void> => {
      const left = which === 'default' && !isV1Alone ? { default: DEFAULT_TOKEN } : tokens;
      old = await oldListener({ host, port: at, tokens: left, pay: games.payByOld });
    },
    stopOld: async (): Promise<void> => {
      const from = performance.now();
      await old?.stop();
      ends.stops.push({ from, to: performance.now() });
    },
    /** Listings have another address from now on: all, or one. */
    sendTo: (whom: Payer, some: readonly string[] = SERVICES) => {
      for (const service of some)
        places.set(service, whom === 'Teller' ? { host: '127.0.0.1', port } : atOld);
    },
    writePassword: () => writeFileSync(join(folder, 'data/secrets/rcon'), games.password),
  };
}

export type Payer = 'old side' | 'Teller';
type Tokens = Readonly<Record<string, string>>;

interface Vote {
  readonly player: string;
  readonly service: string;
}

/** A vote's player and service, which no other vote of a test has. */
export const voteName = ({ player, service }: Vote): string => `${player} for ${service}`;

/** Game servers that pay only players who are on them, and know who pays: the old side, or Teller over RCON. */
async function recordedGameServers(count: number) {
  const payments: { readonly payer: Payer; readonly vote: string; readonly server: number }[] = [];
  const online = Array.from({ length: count }, () => new Set<string>());
  const games = await Promise.all(
    online.map((players, server) =>
      rconGame({}, (command) => {
        const [, vote = '', player = ''] = /^pay ((.+) for .+)$/.exec(command) ?? [];
        if (vote === '') return undefined;
        if (!players.has(player)) return 'No player was found';
        payments.push({ payer: 'Teller', vote, server });
        return `Paid ${vote}`;
      }),
    ),
  );
  const entries = games.map(({ entry }) => entry as { port: number; password: string });
  let joined = 0;
  return {
    payments,
    ports: entries.map(({ port }) => port),
    password: entries[0]?.password ?? '',
    /** Players join one server after another, once each. */
    join: (player: string): void => {
      if (online.some((players) => players.has(player))) return;
      const server = joined++ % count;
      online[server]?.add(player);
      games[server]?.show(...(online[server] ?? []));
    },
    payByOld: (vote: Vote): void => {
      const server = online.findIndex((players) => players.has(vote.player));
      if (server >= 0) payments.push({ payer: 'old side', vote: voteName(vote), server });
    },
  };
}

interface OldSide {
  readonly host: string;
  readonly port: number;
  /** By service name or `default`. Empty: like listeners before NuVotifier, it takes version 1 alone, and one connection after another. */
  readonly tokens: Tokens;
  readonly pay: (vote: Vote) => void;
}

const READ_LIMIT_MS = 4_000;

/** The key that the plugins' files have and the old listener uses. */
function oldKey(): KeyObject {
  const reading = readPrivateKey(inject('keyPair').privateKey);
  if (reading.kind !== 'key') throw new Error(reading.reason);
  return reading.key;
}

/** The old listener and its plugin: takes votes, answers, and pays each vote that it gets once. */
async function oldListener({ host, port, tokens, pay }: OldSide) {
  const isV1Alone = Object.keys(tokens).length === 0;
  const key = oldKey();
  const silent = new Set<Socket>();
  const deafTo = new Set<string>();
  let serving: Promise<unknown> = Promise.resolve();

  const payFor = ({ player, service }: Vote): void => {
    const fault = faultFor(player);
    const times = fault === 'misses' ? 0 : fault === 'doubles' ? 2 : 1;
    for (let time = 0; time < times; time++)
      pay({ player: fault === 'pays-another' ? ANOTHER : player, service });
  };
  const isV2 = (bytes: Buffer): boolean => !isV1Alone && bytes.readUInt16BE(0) === 0x733a;
  const decrypted = (block: Buffer): Vote => {
    const [opcode, service = '', player = ''] = decryptV1Block(key, block).split('\n');
    if (opcode !== 'VOTE') throw new Error('no block of version 1');
    return { player, service };
  };
  /** null: not whole yet. @throws for anything but a vote, which is a bug of the test. */
  const voteIn = (bytes: Buffer, challenge: string): Vote | null => {
    if (bytes.length < 4) return null;
    if (!isV2(bytes)) return bytes.length < 256 ? null : decrypted(bytes);
    if (bytes.length < 4 + bytes.readUInt16BE(2)) return null;
    const { payload, signature } = JSON.parse(bytes.toString('utf8', 4));
    const vote = JSON.parse(payload);
    const token = tokens[vote.serviceName] ?? tokens.default ?? '';
    const signed = createHmac('sha256', token).update(payload).digest('base64');
    if (signed !== signature || vote.challenge !== challenge) throw new Error(`not signed: ${payload}`);
    return { player: vote.username, service: vote.serviceName };
  };
  const whenVoted = (socket: Socket, challenge: string, then: (vote: Vote, isV2: boolean) => void): void => {
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      silent.delete(socket);
      received = Buffer.concat([received, chunk]);
      const vote = voteIn(received, challenge);
      if (vote === null) return;
      socket.removeAllListeners('data').resume();
      then(vote, isV2(received));
    });
  };
  /** As NuVotifier does. */
  const takeAny = (socket: Socket): void => {
    const challenge = randomBytes(8).toString('hex');
    socket.write(`VOTIFIER 2 ${challenge}\n`);
    whenVoted(socket, challenge, (vote, isSigned) => {
      const fault = faultFor(vote.player);
      const isDeaf = fault === 'is-deaf-once' && !deafTo.has(vote.player);
      deafTo.add(vote.player);
      if (!isDeaf) payFor(vote);
      socket.end(isSigned && !isDeaf && fault !== 'is-mute' ? '{"status":"ok"}\r\n' : '');
    });
  };
  /** As some listeners of version 1 do: the connection is closed after the payment, and then the next one gets its greeting. */
  const takeOne = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      if (socket.destroyed) return resolve();
      socket.on('close', () => resolve()).setTimeout(READ_LIMIT_MS, () => socket.destroy());
      socket.write('VOTIFIER 2.9\n');
      whenVoted(socket, '', (vote) => {
        payFor(vote);
        socket.end();
      });
    });

  const server: Server = createServer((socket) => {
    silent.add(socket);
    socket.on('error', () => {}).on('close', () => silent.delete(socket));
    if (isV1Alone) serving = serving.then(() => takeOne(socket));
    else takeAny(socket);
  }).listen(port, host);
  await once(server, 'listening');
  /** It takes no more votes, closes connections that have not sent anything, and ends. */
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server.close(), 'close');
    for (const socket of silent) socket.destroy();
    await closed;
  };
  onTestFinished(stop);
  return { stop };
}

/** What a listing knows about a vote that it sent. */
export interface SentVote extends Vote {
  readonly version: 'v1' | 'v2';
  /** Of the last try, by the monotonic clock in ms. */
  from: number;
  /** Infinity: it is being sent. */
  to: number;
}

const RETRY_PAUSE_MS = 50;
/** Between two votes of a sender. */
export const CALM_MS = 200;
const SENDERS = 6;

/** Listings that send votes of many players all the time, each vote until it is certain that it arrived, or not known. */
class Listings {
  readonly votes: SentVote[] = [];
  pauseMs = CALM_MS;
  private readonly planted: string[] = [];
  private readonly running: Promise<void>[];
  private isOver = false;
  private isAbandoned = false;

  /** @param targetOf where a vote is sent, by its service and number; a test may change it while votes are sent. */
  constructor(
    private readonly join: (player: string) => void,
    private readonly targetOf: (service: string, number: number) => Parameters<typeof sendVote>[1],
  ) {
    this.running = Array.from({ length: SENDERS }, () => this.work());
    onTestFinished(() => {
      this.isAbandoned = true;
      return this.stop();
    });
  }

  /** Lets a player vote among the others. */
  plant(player: string): void {
    this.planted.push(player);
  }

  /** Resolves when every vote has been sent. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  private async work(): Promise<void> {
    while (!this.isOver) {
      await this.send(this.votes.length);
      await sleep(this.pauseMs);
    }
  }

  /** Every player votes on every service, one after another. */
  private async send(number: number): Promise<void> {
    const service = SERVICES[number % SERVICES.length] ?? '';
    const player = this.planted.shift() ?? `Player${Math.floor(number / SERVICES.length)}`;
    this.join(player);
    // A vote that may have arrived and is tried again elsewhere would be two votes, of which the page promises nothing.
    const target = this.targetOf(service, number);
    const version = 'token' in target ? 'v2' : 'v1';
    const vote: SentVote = { player, service, version, from: 0, to: 0 };
    this.votes.push(vote);
    const castAt = Date.now();
    while (!this.isAbandoned) {
      vote.from = performance.now();
      vote.to = Number.POSITIVE_INFINITY;
      const { arrived } = await sendVote({ service, player, castAt }, target);
      vote.to = performance.now();
      // A vote of version 1 that may have arrived could be a second one there.
      if (arrived === 'yes' || (version === 'v1' && arrived === 'unknown')) return;
      await sleep(RETRY_PAUSE_MS);
    }
  }
}

/** What the files of plugins say: the port of the old listener, and its tokens. */
interface Setup {
  readonly port: number;
  readonly tokens: Tokens;
}

type Files = Readonly<Record<string, string>>;

const UUID = '7125ba8b-1c86-4508-b92b-b5c042ccfe2b';
/** What Steve had before. */
export const VOTES_BEFORE = 4120;

const rsaFiles = (folder: string): Files => ({
  [`${folder}/rsa/private.key`]: inject('keyPair').privateKey,
  [`${folder}/rsa/public.key`]: inject('keyPair').publicKey,
});

const nuVotifierFiles = ({ port, tokens }: Setup): Files => ({
  ...rsaFiles('plugins/Votifier'),
  'plugins/Votifier/config.yml': [
    ...['host: 127.0.0.1', `port: ${port}`, 'disable-v1-protocol: false'],
    ...(Object.keys(tokens).length === 0 ? [] : ['tokens:']),
    ...Object.entries(tokens).map(([service, token]) => `  ${service}: ${token}`),
    ...['forwarding:', '  method: none', ''],
  ].join('\n'),
});

export const velocityFiles = ({ port, tokens }: Setup): Files => ({
  ...rsaFiles('velocity/plugins/nuvotifier'),
  'velocity/plugins/nuvotifier/config.toml': [
    ...['host = "127.0.0.1"', `port = ${port}`, 'disable-v1-protocol = false', '[tokens]'],
    ...Object.entries(tokens).map(([service, token]) => `"${service}" = "${token}"`),
    ...['[forwarding]', 'method = "proxy"', ''],
  ].join('\n'),
});

const votingPluginFiles = (folder = 'plugins/VotingPlugin', storage = 'SQLITE'): Files => ({
  [`${folder}/Config.yml`]: `DataStorage: ${storage}\n`,
  [`${folder}/VoteSites.yml`]: [
    ...['EverySiteReward:', '  Commands:', "    - 'pay %player% for %ServiceSite%'", 'VoteSites:'],
    ...SERVICES.flatMap((service) => [
      ...[`  ${service[0]}:`, '    Enabled: true', `    ServiceSite: ${service}`, '    VoteDelay: 24'],
    ]),
    '',
  ].join('\n'),
});

export const oneServerFiles = (setup: Setup): Files => ({
  ...nuVotifierFiles(setup),
  ...votingPluginFiles(),
});

/** The plugin's database in this folder. */
export function writeUsersDb(folder: string): void {
  const database = new Sqlite(join(folder, 'plugins/VotingPlugin/Users.db'));
  database.exec('CREATE TABLE Users (uuid TEXT, PlayerName TEXT, AllTimeTotal INTEGER)');
  database.prepare('INSERT INTO Users VALUES (?, ?, ?)').run(UUID, 'Steve', VOTES_BEFORE);
  database.close();
}

/** On a network, the players are in a database that the game servers share. */
export const sharedVotingPluginFiles = (): Files => ({
  ...votingPluginFiles('survival/plugins/VotingPlugin', 'MYSQL'),
  'votingplugin.tsv': `uuid\tPlayerName\tAllTimeTotal\n${UUID}\tSteve\t${VOTES_BEFORE}\n`,
});
