import { createPublicKey, type KeyObject } from 'node:crypto';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { inject } from 'vitest';
import { readPrivateKey } from '../../../protocol/votifier/key-text.ts';
import { SERVICES } from './listings.ts';

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
