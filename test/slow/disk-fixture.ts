/** A Teller as a process, whose ledger other programs and a small disk are hard on, and senders of votes. */
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Apart, apart, typedApart } from '../kit/apart.ts';
import { rconGame } from '../kit/game.ts';
import { ledgerFileOf } from '../kit/ledger-file.ts';
import { furnish } from '../kit/place.ts';
import { sendV1, TOKEN } from '../kit/vote.ts';
import { hooked, payload, post } from '../kit/webhook.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type SmallDisk, smallDisk } from '../support/small-disk.ts';

/** Long enough to change what is under the ledger between a command and its reply. */
const SLOW_REPLY_MS = 1_500;
export const SOON = { timeout: 15_000 };
/** The answer to a vote that is not stored. */
export const UNABLE = 'StorageUnavailable';

export type DiskFixture = ReturnType<typeof fixture>;

/** The data folder is on the same disk as the rest of the test. */
export const onThisDisk = async (): Promise<DiskFixture> => fixture(await setUp(), null);

/** The data folder is a separate small disk. */
export async function onSmallDisk(bytes: number): Promise<DiskFixture & { readonly disk: SmallDisk }> {
  const at = await setUp();
  const disk = await smallDisk(join(at.folder, 'data'), bytes);
  return { ...fixture(at, disk), disk };
}

async function setUp() {
  const paid: string[] = [];
  const slow = { isNext: false };
  const { entry } = await rconGame({}, async (command) => {
    const [, player] = /^say (\w+) voted$/.exec(command) ?? [];
    if (player === undefined) return undefined;
    paid.push(player);
    if (slow.isNext) {
      slow.isNext = false;
      await sleep(SLOW_REPLY_MS);
    }
    return '';
  });
  const place = furnish(temporaryFolder(), {
    sites: { default: { token: TOKEN }, 'Hooked.example': hooked() },
    webhook: { host: '127.0.0.1', port: 0 },
    gameServers: { main: entry },
    rewards: [{ name: 'announcement', when: 'always', commands: ['say {player} voted'] }],
  });
  return { ...place, paid, slow };
}

function fixture(at: Awaited<ReturnType<typeof setUp>>, disk: SmallDisk | null) {
  /** A command on the same config. */
  const cli = (...words: readonly string[]) => typedApart(at, words, disk?.within);
  const list = async (...words: string[]): Promise<Record<string, string>[]> => {
    const { code, out, err } = await cli(...words, '--limit', '20000', '--json');
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out);
  };
  // As seen from outside its mount.
  const outside = disk === null ? at.folder : dirname(disk.outside);
  return {
    ...{ folder: at.folder, config: at.config, ledger: ledgerFileOf(at), cli },
    run: () => apart(at, disk?.within),
    /** @returns what the listener says to it, which is nothing in any case. */
    v1: ({ ready }: Apart, player: string) => sendV1(ready.listener.port, { player }, outside),
    webhook: ({ ready }: Apart, player: string) => postOf(ready.webhook?.port ?? 0, player),
    /** The players whose votes are in the ledger, sorted, as `teller votes` lists them. */
    players: async () => (await list('votes')).map(({ player = '' }) => player).sort(),
    /** Grants by state, as `teller grants` lists them. */
    grantStates: async () => {
      const states: Record<string, number> = {};
      for (const { state = '' } of await list('grants')) states[state] = (states[state] ?? 0) + 1;
      return states;
    },
    /** The players whose command the game server ran, sorted, one entry for each run. */
    paid: () => at.paid.toSorted(),
    /** The game server replies to the next command only after a while. */
    slowReply: (): void => {
      at.slow.isNext = true;
    },
  };
}

async function postOf(webhookPort: number, playerName: string): Promise<number> {
  const [votedAt, nextVoteAt] = [Date.now(), Date.now() + 86_400_000].map((at) => new Date(at).toISOString());
  const body = payload(
    { eventId: `event-of-${playerName}`, timestamp: votedAt },
    { playerName, votedAt, nextVoteAt },
  );
  return (await post({ webhookPort }, body)).status;
}

interface LogLine {
  readonly msg: string;
  /** Of a vote. */
  readonly recipient?: string;
  /** A game server. */
  readonly server?: string;
}

const linesUnder = ({ log }: Apart, code: string): LogLine[] =>
  log()
    .split('\n')
    .filter((line) => line.includes(`"code":"${code}"`))
    .map((line) => JSON.parse(line) as LogLine);

/** The messages logged with this code. */
export const logged = (to: Apart, code: string): string[] => linesUnder(to, code).map(({ msg }) => msg);

/** The messages that a vote could not be stored: one in ten seconds, not one for each vote. */
export const unable = (to: Apart, code: string): string[] =>
  linesUnder(to, code)
    .filter(({ recipient }) => recipient !== undefined)
    .map(({ msg }) => msg);

/** The messages that rewards on `main` wait. */
export const pauses = (to: Apart, code: string): string[] =>
  linesUnder(to, code)
    .filter(({ server }) => server === 'main')
    .map(({ msg }) => msg);

/** Four senders, which send votes until `stop`. Each vote is for a different player. */
export function sendVotes(to: Apart, prefix = '') {
  const answers = new Map<string, string>();
  const times: number[] = [];
  let isOn = true;
  const sender = async (name: string): Promise<void> => {
    for (let n = 0; isOn; n++) {
      const sentAt = performance.now();
      const player = `${prefix}${name}${n}`;
      answers.set(player, await to.vote({ player }));
      times.push(performance.now() - sentAt);
    }
  };
  const all = Promise.all(['Ann', 'Bob', 'Cid', 'Dot'].map(sender));
  return {
    /** How many votes were sent. */
    count: () => answers.size,
    /** The players whose vote got this answer. */
    withAnswer: (answer: string): string[] =>
      [...answers].flatMap(([player, its]) => (its === answer ? [player] : [])),
    answers: () => new Set(answers.values()),
    /** How long each answer took, in milliseconds. */
    times: (): readonly number[] => times,
    stop: async (): Promise<void> => {
      isOn = false;
      await all;
    },
  };
}

/** Sends many v2 votes, a webhook and a v1 vote, and expects every answer to be a refusal. */
export async function expectAllRefused(here: DiskFixture, to: Apart): Promise<void> {
  const votes = sendVotes(to);
  await expect.poll(() => votes.withAnswer(UNABLE).length, SOON).toBeGreaterThan(20);
  expect(await here.webhook(to, 'Hook')).toBe(503);
  expect(await here.v1(to, 'Oldie')).toBe('');
  await votes.stop();
  expect(votes.answers()).toEqual(new Set([UNABLE]));
}
