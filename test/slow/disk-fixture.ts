import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readPublicKey } from '../../protocol/votifier/key-text.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { PracticeServer } from '../../src/practice/server.ts';
import { type Auth, sendVote } from '../../src/sender/send-vote.ts';
import { payload, SECRET, signature } from '../kit/webhook.ts';
import { configFolder, TOKEN } from '../support/config-folder.ts';
import { type Running, startTeller, type TellerReady, teller } from '../support/processes.ts';
import { practice } from '../support/rcon.ts';
import { type SmallDisk, smallDisk } from '../support/small-disk.ts';

const SITE = 'Hooked.example';
const V2: Auth = { version: 'v2', token: TOKEN };
/** Long enough to change what is under the ledger between a command and its reply. */
const SLOW_REPLY_MS = 1_500;
export const SOON = { timeout: 15_000 };

export type Teller = Running<TellerReady>;

/** A Teller to start as a process, its game server, and senders of votes. */
export interface DiskFixture {
  readonly folder: string;
  readonly config: string;
  readonly ledger: string;
  readonly server: PracticeServer;
  run(): Promise<Teller>;
  /** A command of the CLI on the same config. */
  cli(...args: string[]): ReturnType<typeof teller>;
  v2(to: Teller, player: string): Promise<string>;
  v1(to: Teller, player: string): Promise<string>;
  webhook(to: Teller, player: string): Promise<number>;
  /** The players whose votes are in the ledger, sorted, as `teller votes` lists them. */
  players(): Promise<string[]>;
  /** Grants by state, as `teller grants` lists them. */
  grantStates(): Promise<Record<string, number>>;
  /** The players whose command the game server ran, sorted, one entry for each run. */
  paid(): string[];
}

/** The data folder is on the same disk as the rest of the test. */
export const onThisDisk = async (): Promise<DiskFixture> => fixture(await setUp(), null);

/** The data folder is a separate small disk. */
export async function onSmallDisk(bytes: number): Promise<DiskFixture & { readonly disk: SmallDisk }> {
  const at = await setUp();
  const disk = await smallDisk(join(at.folder, 'data'), bytes);
  return { ...fixture(at, disk), disk };
}

async function setUp() {
  const server = await practice({ slowReplyMs: SLOW_REPLY_MS });
  return { ...configFolder(configOf(server)), server };
}

type SetUp = Awaited<ReturnType<typeof setUp>>;

function fixture({ folder, config, ledger, server }: SetUp, disk: SmallDisk | null): DiskFixture {
  const flags = ['--config', config];
  const cli = (...args: string[]) => teller([...args, ...flags], folder, disk?.within);
  const list = async (...args: string[]): Promise<Record<string, string>[]> => {
    const { code, out, err } = await cli(...args, '--limit', '10000', '--json');
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out);
  };
  const send = async (to: Teller, username: string, auth: Auth): Promise<string> => {
    const wire = { serviceName: 'List', username, address: '192.0.2.1', timestamp: String(Date.now()) };
    return (await sendVote(wire, { ...to.ready.listener, auth }, { clock: systemClock })).code;
  };
  return {
    ...{ folder, config, ledger, server, cli },
    run: () => startTeller(['run', ...flags], folder, disk?.within),
    v2: (to, player) => send(to, player, V2),
    v1: (to, player) => send(to, player, v1Auth(join(disk?.outside ?? join(folder, 'data'), 'keys'))),
    webhook: ({ ready }, player) => post(ready.webhook?.port ?? 0, player),
    players: async () => (await list('votes')).map(({ player = '' }) => player).sort(),
    grantStates: async () => {
      const states: Record<string, number> = {};
      for (const { state = '' } of await list('grants')) states[state] = (states[state] ?? 0) + 1;
      return states;
    },
    paid: () => {
      const said = server.commands().map(({ command }) => /^say (\w+) voted$/.exec(command)?.[1] ?? []);
      return said.flat().sort();
    },
  };
}

const configOf = ({ host, port, password }: PracticeServer) => ({
  sites: {
    default: { token: TOKEN },
    [SITE]: { webhook: { path: '/hooked', secret: SECRET, listingId: 'listing-1' } },
  },
  webhook: { host: '127.0.0.1', port: 0 },
  gameServers: { main: { kind: 'rcon', host, port, password, commandPause: '0ms' } },
  rewards: [{ name: 'announcement', when: 'always', commands: ['say {player} voted'] }],
});

async function post(port: number, playerName: string): Promise<number> {
  const [now, tomorrow] = [new Date(), new Date(Date.now() + 86_400_000)].map((at) => at.toISOString());
  const times = { votedAt: now, nextVoteAt: tomorrow };
  const body = payload({ eventId: `event-of-${playerName}`, timestamp: now }, { playerName, ...times });
  const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': signature(body) };
  return (await fetch(`http://127.0.0.1:${port}/hooked`, { method: 'POST', headers, body })).status;
}

interface LogLine {
  readonly msg: string;
  /** Of a vote. */
  readonly recipient?: string;
  /** A game server. */
  readonly server?: string;
}

const linesUnder = ({ log }: Teller, code: string): LogLine[] =>
  log()
    .split('\n')
    .filter((line) => line.includes(`"code":"${code}"`))
    .map((line) => JSON.parse(line) as LogLine);

/** The messages logged with this code. */
export const logged = (to: Teller, code: string): string[] => linesUnder(to, code).map(({ msg }) => msg);

/** The messages that a vote could not be stored: one in ten seconds, not one for each vote. */
export const unable = (to: Teller, code: string): string[] =>
  linesUnder(to, code)
    .filter(({ recipient }) => recipient !== undefined)
    .map(({ msg }) => msg);

/** The messages that rewards on `main` wait. */
export const pauses = (to: Teller, code: string): string[] =>
  linesUnder(to, code)
    .filter(({ server }) => server === 'main')
    .map(({ msg }) => msg);

/** Votes that are being sent, and the answer to each. */
export interface VoteStream {
  /** How many votes were sent. */
  count(): number;
  /** The players whose vote got this answer. */
  withAnswer(answer: string): string[];
  answers(): Set<string>;
  /** How long each answer took, in milliseconds. */
  times(): readonly number[];
  stop(): Promise<void>;
}

/** Four senders, which send votes until `stop`. Each vote is for a different player. */
export function sendVotes(here: DiskFixture, to: Teller, prefix = ''): VoteStream {
  const answers = new Map<string, string>();
  const times: number[] = [];
  let isOn = true;
  const sender = async (name: string): Promise<void> => {
    for (let n = 0; isOn; n++) {
      const sentAt = performance.now();
      const player = `${prefix}${name}${n}`;
      answers.set(player, await here.v2(to, player));
      times.push(performance.now() - sentAt);
    }
  };
  const all = Promise.all(['Ann', 'Bob', 'Cid', 'Dot'].map(sender));
  return {
    count: () => answers.size,
    withAnswer: (answer) => [...answers].flatMap(([player, its]) => (its === answer ? [player] : [])),
    answers: () => new Set(answers.values()),
    times: () => times,
    stop: async () => {
      isOn = false;
      await all;
    },
  };
}

/** Sends many v2 votes, a webhook and a v1 vote, and expects every answer to be a refusal. */
export async function expectAllRefused(here: DiskFixture, to: Teller): Promise<void> {
  const votes = sendVotes(here, to);
  await expect.poll(() => votes.withAnswer('error-reply').length, SOON).toBeGreaterThan(20);
  expect(await here.webhook(to, 'Hook')).toBe(503);
  expect(await here.v1(to, 'Oldie')).toBe('sent');
  await votes.stop();
  expect(votes.answers()).toEqual(new Set(['error-reply']));
}

/** The authentication of a v1 sender: the public key of this folder. */
function v1Auth(keys: string): Auth {
  const reading = readPublicKey(readFileSync(join(keys, 'public.key'), 'utf8'));
  if (reading.kind !== 'key') throw new Error(reading.reason);
  return { version: 'v1', publicKey: reading.key };
}
