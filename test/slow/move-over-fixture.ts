import { createPublicKey, type KeyObject } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { readPrivateKey } from '../../protocol/votifier/key-text.ts';
import { pause } from '../../src/core/clock.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { type Auth, sendVote } from '../../src/sender/send-vote.ts';
import type { SendResult } from '../../src/sender/result.ts';
import { answer, scripted } from '../support/rcon.ts';

export type Payer = 'old side' | 'Teller';

/** A vote's player and service, which no other vote of a test has. */
export const voteName = (player: string, service: string): string => `${player} for ${service}`;

export interface RecordedPayment {
  readonly payer: Payer;
  readonly vote: string;
}

/** A game server on which everybody is online, that knows by the password of the login who pays. */
export async function recordedGameServer(passwords: Readonly<Record<Payer, string>>) {
  const payments: RecordedPayment[] = [];
  const payers = new Map<number, Payer>();
  const online = new Set<string>();
  const run = (command: string, payer: Payer | undefined): string => {
    if (command.startsWith('list'))
      return `There are ${online.size} of a max of 9999 players online: ${[...online].join(', ')}`;
    const [, vote] = /^pay (.+)$/.exec(command) ?? [];
    if (vote === undefined || payer === undefined) return `Unknown command: ${command}`;
    payments.push({ payer, vote });
    return `Paid ${vote}`;
  };
  const { port } = await scripted(({ id, type, body }, socket, connection) => {
    if (type === 2) return answer(socket, id, run(body, payers.get(connection)));
    if (type !== 3) return answer(socket, id, `Unknown request ${type.toString(16)}`);
    const payer = (['old side', 'Teller'] as const).find((each) => passwords[each] === body);
    if (payer !== undefined) payers.set(connection, payer);
    answer(socket, payer === undefined ? -1 : id, '', 2);
  });
  return { port, payments, join: (player: string) => void online.add(player) };
}

export type GameServerRecord = Awaited<ReturnType<typeof recordedGameServer>>;

/** What a sender knows about a vote. */
export interface SentVote {
  readonly player: string;
  readonly service: string;
  readonly version: 'v1' | 'v2';
  /** Of the last try, by the monotonic clock in ms. */
  from: number;
  /** Infinity: it is being sent. */
  to: number;
  tries: number;
  result: SendResult | null;
}

const RETRY_PAUSE_MS = 50;
const SERVICES = ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => `${letter}.example`);

/** Listings that send votes of many players all the time, each vote until it is certain that it arrived, or not known. */
export class Senders {
  readonly votes: SentVote[] = [];
  readonly kills: number[] = [];
  pauseMs = 150;
  private readonly planted: string[] = [];
  private readonly running: Promise<void>[];
  private isOver = false;
  private isAbandoned = false;

  constructor(
    private readonly port: () => number,
    private readonly auth: Readonly<Record<'v1' | 'v2', Auth>>,
    private readonly join: (player: string) => void,
  ) {
    this.running = Array.from({ length: 6 }, () => this.work());
    onTestFinished(() => {
      this.isAbandoned = true;
      return this.stop();
    });
  }

  /** Lets a player vote on these services among the others. */
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
      await this.send(this.next());
      await pause(systemClock, this.pauseMs);
    }
  }

  /** Every player votes on every service, one after another. */
  private next(): SentVote {
    const number = this.votes.length;
    const planted = this.planted.shift();
    const player = planted ?? `Player${Math.floor(number / SERVICES.length)}`;
    this.join(player);
    const service = SERVICES[number % SERVICES.length] ?? '';
    const version = number % 3 === 0 ? 'v1' : 'v2';
    const vote = { player, service, version, from: 0, to: 0, tries: 0, result: null } as const;
    this.votes.push({ ...vote });
    return this.votes.at(-1) as SentVote;
  }

  private async send(vote: SentVote): Promise<void> {
    const { player, service, version } = vote;
    const timestamp = String(Date.now());
    const wire = { serviceName: service, username: player, address: '192.0.2.7', timestamp };
    while (!this.isAbandoned) {
      vote.tries += 1;
      vote.from = performance.now();
      vote.to = Number.POSITIVE_INFINITY;
      const target = { host: '127.0.0.1', port: this.port(), auth: this.auth[version] };
      vote.result = await sendVote(wire, target, { clock: systemClock });
      vote.to = performance.now();
      if (vote.result.kind !== 'failed') return;
      // A vote of version 1 that may have arrived could be a second one there.
      if (version === 'v1' && vote.result.reached === 'unknown') return;
      await pause(systemClock, RETRY_PAUSE_MS);
    }
  }
}

/** Whether the sender cannot know what became of it: version 1, and the listener was killed while it was being sent. */
export const isLostToKill = ({ version, from, to }: SentVote, kills: readonly number[]): boolean =>
  version === 'v1' && kills.some((at) => from <= at && at <= to);

/** The keys of the old side, as its plugin stores them, and as its process and the listings use them. */
export function oldKeys(): { files: Record<string, string>; pem: string; publicKey: KeyObject } {
  const { privateKey, publicKey } = inject('keyPair');
  const reading = readPrivateKey(privateKey);
  if (reading.kind !== 'key') throw new Error(reading.reason);
  return {
    files: { 'plugins/Votifier/rsa/private.key': privateKey, 'plugins/Votifier/rsa/public.key': publicKey },
    pem: reading.key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    publicKey: createPublicKey(reading.key),
  };
}

/** The folder of a Votifier plugin on this port, and of VotingPlugin that pays on each site. */
export const pluginFiles = (port: number, token: string): Record<string, string> => ({
  'plugins/Votifier/config.yml': [
    ...['host: 127.0.0.1', `port: ${port}`, 'disable-v1-protocol: false', 'tokens:', `  default: ${token}`],
    ...['forwarding:', '  method: none', ''],
  ].join('\n'),
  'plugins/VotingPlugin/Config.yml': 'DataStorage: FLAT\n',
  'plugins/VotingPlugin/Data/7125ba8b-1c86-4508-b92b-b5c042ccfe2b.yml':
    'PlayerName: Steve\nAllTimeTotal: 4120\n',
  'plugins/VotingPlugin/VoteSites.yml': [
    ...['EverySiteReward:', '  Commands:', "    - 'pay %player% for %ServiceSite%'", 'VoteSites:'],
    ...SERVICES.flatMap((service) => [
      ...[`  ${service[0]}:`, '    Enabled: true', `    ServiceSite: ${service}`, '    VoteDelay: 24'],
    ]),
    '',
  ].join('\n'),
});
