/** What an operator moves away from: an old listener that pays, its game servers, its plugins' files, and the listings that send to it. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path, { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { inject } from 'vitest';
import { encodePacket, packetType, REFUSED_LOGIN_ID } from '../../../protocol/rcon/packet.ts';
import { RconReader } from '../../../protocol/rcon/reader.ts';
import { readPrivateKey } from '../../../protocol/votifier/key-text.ts';
import type { Auth, Place } from '../../../src/sender/send-vote.ts';
import { freePort, serve } from '../../kit/serve.ts';
import { lookInto } from '../../support/config-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type Running, startScript } from '../../support/processes.ts';
import { type End, Listings, SERVICES } from './listings.ts';
import type { Fault, OldSide } from './old-side.ts';

const ANOTHER = 'Another';
const OLD_SIDE = join(import.meta.dirname, 'old-side.ts');
export const PATIENT = { timeout: 45_000, interval: 200 };
const DEFAULT_TOKEN = 'the-token-of-the-old-listener';

/** What the old side does wrong, by the beginning of the player's name. */
const FAULTS = {
  ...({ Missed: 'misses', Doubled: 'doubles', Swapped: 'pays-another' } as const),
  ...({ Unheard: 'is-deaf-once', Unconfirmed: 'is-mute' } as const),
} as const satisfies Record<string, Fault>;

export const missed = (name: string): string => `Missed${name}`;
export const doubled = (name: string): string => `Doubled${name}`;
export const swapped = (name: string): string => `Swapped${name}`;

interface Named {
  readonly player: string;
}

/** Whether it is a vote that the old side pays wrongly in this way. */
export const isFaulty = ({ player }: Named, fault: Fault): boolean =>
  Object.entries(FAULTS).some(([begin, is]) => is === fault && player.startsWith(begin));

export interface WorldSettings {
  readonly files: (setup: Setup) => Readonly<Record<string, string>>;
  /** Those of listings; several by default. */
  readonly services?: readonly string[];
  /** How many game servers; one by default. */
  readonly gameServers?: number;
  /** The old listener takes version 1 alone, and so listings send nothing else. */
  readonly isV1Alone?: boolean;
  /** Where the old listener and the game servers are, if not at Teller's 127.0.0.1. The listener's port is then `movedPort`. */
  readonly oldHost?: string;
  /** That the old listener has a token for a service of its own. */
  readonly hasOwnToken?: boolean;
}

/** An old side, listings that send to its port, and the folder of a Teller in which nothing was done yet. */
export async function oldWorld(settings: WorldSettings) {
  const { files, services = SERVICES, gameServers = 1, isV1Alone = false } = settings;
  const [port, movedPort] = [await freePort(), await freePort()];
  const host = settings.oldHost ?? '127.0.0.1';
  const games = await recordedGameServers(gameServers, host);
  games.join(ANOTHER);
  const keys = oldKeys();
  const tokens = tokensOf(settings);
  const folder = temporaryFolder(files({ keys, port, tokens }));
  const paid = join(folder, 'paid.csv');
  const authOf = (service: string, number: number): Auth =>
    isV1Alone || number % 3 === 0
      ? { version: 'v1', publicKey: keys.publicKey }
      : { version: 'v2', token: tokens[service] ?? DEFAULT_TOKEN };
  const atOld: Place = { host, port: settings.oldHost === undefined ? port : movedPort };
  const places = new Map(services.map((service) => [service, atOld]));
  const placeOf = (service: string): Place => places.get(service) ?? atOld;
  const listings = new Listings(services, { placeOf, authOf }, games.join);
  /** Of Teller, by kill -9, and of the old side. */
  const ends = { kills: [] as End[], stops: [] as End[] };
  let old: Running<unknown> | null = null;
  return {
    ...{ folder, games, listings, ends, port, movedPort },
    /** What the page has for hosts and ports of this test. */
    onPage: {
      '"port":25575': `"port":${games.ports[0]}`,
      '"port":25576': `"port":${games.ports[1]}`,
      '"port":8194': `"port":${movedPort}`,
      '"port":8192': `"port":${movedPort}`,
      '"host":"10.0.0.11"': `"host":"${host}"`,
    },
    /** With the tokens that it has at first, or with `default` alone. */
    startOld: async (at: number, which: 'all tokens' | 'default' = 'all tokens'): Promise<void> => {
      const rcon = games.ports.map((game) => ({ host, port: game, password: PASSWORDS['old side'] }));
      const left = isV1Alone ? {} : which === 'default' ? { default: DEFAULT_TOKEN } : tokens;
      const told: OldSide = {
        ...{ host, port: at, tokens: left, privateKey: keys.pem, rcon, paid, faults: FAULTS },
        another: ANOTHER,
      };
      old = await startScript(OLD_SIDE, [JSON.stringify(told)], folder);
    },
    stopOld: async (): Promise<void> => {
      const from = performance.now();
      await old?.stop();
      ends.stops.push({ from, to: performance.now() });
    },
    /** Listings have another address from now on: all, or one. */
    sendTo: (whom: 'old side' | 'Teller', some: readonly string[] = services) => {
      const place = whom === 'Teller' ? { host: '127.0.0.1', port } : atOld;
      for (const service of some) places.set(service, place);
    },
    look: () => lookInto(join(folder, 'data/teller.db')),
    writePassword: () => writeFileSync(join(folder, 'data/secrets/rcon'), PASSWORDS.Teller),
  };
}

const tokensOf = ({ isV1Alone, hasOwnToken }: WorldSettings): Readonly<Record<string, string>> => ({
  ...(isV1Alone === true ? {} : { default: DEFAULT_TOKEN }),
  ...(hasOwnToken === true ? { 'F.example': 'a-token-of-its-own' } : {}),
});

export type World = Awaited<ReturnType<typeof oldWorld>>;

export type Payer = 'old side' | 'Teller';

/** With what each of them logs in. */
export const PASSWORDS = {
  'old side': 'password of the old side',
  Teller: 'password of Teller',
} as const satisfies Record<Payer, string>;

/** A vote's player and service, which no other vote of a test has. */
export const voteName = (player: string, service: string): string => `${player} for ${service}`;

export interface RecordedPayment {
  readonly payer: Payer;
  readonly vote: string;
  /** Which game server. */
  readonly server: number;
}

/** Game servers that know by the password of the login who pays, and pay only players who are on them. */
export async function recordedGameServers(count: number, host: string) {
  const payments: RecordedPayment[] = [];
  const online = Array.from({ length: count }, () => new Set<string>());
  const ports = await Promise.all(
    online.map((players, server) =>
      recordedGameServer(host, players, (payment) => payments.push({ ...payment, server })),
    ),
  );
  let joined = 0;
  return {
    ports,
    payments,
    /** Players join one server after another, once each. */
    join: (player: string): void => {
      if (online.some((players) => players.has(player))) return;
      online[joined++ % count]?.add(player);
    },
  };
}

/** @returns its port. */
async function recordedGameServer(
  host: string,
  players: ReadonlySet<string>,
  record: (payment: Omit<RecordedPayment, 'server'>) => void,
): Promise<number> {
  const run = (command: string, payer: Payer | undefined): string => {
    if (command.startsWith('list'))
      return `There are ${players.size} of a max of 9999 players online: ${[...players].join(', ')}`;
    const [, vote, player] = /^pay ((.+) for .+)$/.exec(command) ?? [];
    if (vote === undefined || payer === undefined) return `Unknown command: ${command}`;
    if (!players.has(player ?? '')) return 'No player was found';
    record({ payer, vote });
    return `Paid ${vote}`;
  };
  const server = createServer({ noDelay: true }, (socket) => {
    const reader = new RconReader();
    let payer: Payer | undefined;
    const answer = (id: number, text: string, type: number = packetType.reply): void =>
      void socket.write(encodePacket({ id, type, body: text }));
    const take = (id: number, type: number, text: string): void => {
      if (type === packetType.command) return void answer(id, run(text, payer));
      if (type !== packetType.login) return void answer(id, `Unknown request ${type.toString(16)}`);
      payer = (['old side', 'Teller'] as const).find((each) => PASSWORDS[each] === text) ?? payer;
      const isRight = payer !== undefined && PASSWORDS[payer] === text;
      answer(isRight ? id : REFUSED_LOGIN_ID, '', packetType.loginReply);
    };
    socket.on('data', (chunk: Buffer) => {
      for (const { id, type, body } of reader.push(chunk).packets) take(id, type, body.toString('utf8'));
    });
  });
  return serve(server, host);
}

/** The keys of the old listener, as NuVotifier stores them, and as its process and the listings use them. */
export interface OldKeys {
  readonly publicText: string;
  readonly privateText: string;
  readonly pem: string;
  readonly publicKey: KeyObject;
}

export function oldKeys(): OldKeys {
  const { privateKey: privateText, publicKey: publicText } = inject('keyPair');
  const reading = readPrivateKey(privateText);
  if (reading.kind !== 'key') throw new Error(reading.reason);
  const pem = reading.key.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { publicText, privateText, pem, publicKey: createPublicKey(reading.key) };
}

/** What the files of plugins say. */
export interface Setup {
  readonly keys: OldKeys;
  /** Of the old listener. */
  readonly port: number;
  readonly tokens: Readonly<Record<string, string>>;
}

type Files = Readonly<Record<string, string>>;

const UUID = '7125ba8b-1c86-4508-b92b-b5c042ccfe2b';
/** What Steve had before. */
export const VOTES_BEFORE = 4120;

const rsaFiles = (folder: string, { publicText, privateText }: OldKeys): Files => ({
  [`${folder}/rsa/private.key`]: privateText,
  [`${folder}/rsa/public.key`]: publicText,
});

export const nuVotifierFiles = ({ keys, port, tokens }: Setup): Files => ({
  ...rsaFiles('plugins/Votifier', keys),
  'plugins/Votifier/config.yml': [
    ...['host: 127.0.0.1', `port: ${port}`, 'disable-v1-protocol: false'],
    ...(Object.keys(tokens).length === 0 ? [] : ['tokens:']),
    ...Object.entries(tokens).map(([service, token]) => `  ${service}: ${token}`),
    ...['forwarding:', '  method: none', ''],
  ].join('\n'),
});

export const velocityFiles = ({ keys, port, tokens }: Setup): Files => ({
  ...rsaFiles('velocity/plugins/nuvotifier', keys),
  'velocity/plugins/nuvotifier/config.toml': [
    ...['host = "127.0.0.1"', `port = ${port}`, 'disable-v1-protocol = false', '[tokens]'],
    ...Object.entries(tokens).map(([service, token]) => `"${service}" = "${token}"`),
    ...['[forwarding]', 'method = "proxy"', ''],
  ].join('\n'),
});

const votingPluginConfig = (folder: string, storage: string): Files => ({
  [`${folder}/Config.yml`]: `DataStorage: ${storage}\n`,
  [`${folder}/VoteSites.yml`]: [
    ...['EverySiteReward:', '  Commands:', "    - 'pay %player% for %ServiceSite%'", 'VoteSites:'],
    ...SERVICES.flatMap((service) => [
      ...[`  ${service[0]}:`, '    Enabled: true', `    ServiceSite: ${service}`, '    VoteDelay: 24'],
    ]),
    '',
  ].join('\n'),
});

export const votingPluginFiles = (): Files => votingPluginConfig('plugins/VotingPlugin', 'SQLITE');

/** The plugin's database in this folder. */
export function writeUsersDb(folder: string): void {
  const database = new Sqlite(path.join(folder, 'plugins/VotingPlugin/Users.db'));
  database.exec('CREATE TABLE Users (uuid TEXT, PlayerName TEXT, AllTimeTotal INTEGER)');
  database.prepare('INSERT INTO Users VALUES (?, ?, ?)').run(UUID, 'Steve', VOTES_BEFORE);
  database.close();
}

/** On a network, the players are in a database that the game servers share. */
export const sharedVotingPluginFiles = (): Files => ({
  ...votingPluginConfig('survival/plugins/VotingPlugin', 'MYSQL'),
  'votingplugin.tsv': `uuid\tPlayerName\tAllTimeTotal\n${UUID}\tSteve\t${VOTES_BEFORE}\n`,
});
