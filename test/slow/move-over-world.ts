import { exec } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { readForward } from '../../src/core/forward.ts';
import { allGrants } from '../../src/ledger/all-grants.ts';
import type { GrantRow, Ledger, VoteRow } from '../../src/ledger/ledger.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { OldSide } from '../support/old-side.ts';
import { configsIn, shellLinesIn, spansIn, wordsOf } from '../support/page-code.ts';
import {
  CLI,
  type Finished,
  type Launched,
  launchScript,
  type Running,
  startScript,
  type TellerReady,
  teller,
} from '../support/processes.ts';
import {
  oldKeys,
  pluginFiles,
  recordedGameServer,
  Senders,
  type SentVote,
  voteName,
} from './move-over-fixture.ts';

const PAGE = join(import.meta.dirname, '../../docs/operators/move-over.md');
const OLD_SIDE = join(import.meta.dirname, '../support/old-side.ts');
const TOKEN = 'the-token-of-the-old-listener';
const PASSWORDS = { 'old side': 'password of the old side', Teller: 'password of Teller' } as const;
const MISSES = 'Missed';
const DOUBLES = 'Doubled';
export const PATIENT = { timeout: 45_000, interval: 200 };

const page = readFileSync(PAGE, 'utf8');
/** The lines to be typed, and the commands in sentences, perhaps without their arguments. */
const pageLines = [...shellLinesIn(page), ...spansIn(page).filter((span) => span.startsWith('teller '))];
const pageConfigs = configsIn(page).map(({ value }) => value as object);
const typedLines = new Set<string>();

/** The commands of the page that were not typed. */
export const neverTyped = (): string[] =>
  pageLines.filter((line) => ![...typedLines].some((typed) => `${typed} `.startsWith(`${line} `)));

/** An old side that has the port, listings that send to it, and the folder of a Teller in which nothing was done yet. */
export async function oldWorld() {
  const [port, movedPort] = [await freePort(), await freePort()];
  const [game, other] = [await recordedGameServer(PASSWORDS), await recordedGameServer(PASSWORDS)];
  const keys = oldKeys();
  const folder = temporaryFolder({ ...keys.files, ...pluginFiles(port, TOKEN) });
  const startOld = (at: number): Promise<Running<unknown>> => {
    const rcon = { port: game.port, password: PASSWORDS['old side'] };
    const paid = join(folder, 'paid.csv');
    const told: OldSide = {
      port: at,
      token: TOKEN,
      privateKey: keys.pem,
      rcon,
      paid,
      misses: MISSES,
      doubles: DOUBLES,
    };
    return startScript(OLD_SIDE, [JSON.stringify(told)], folder);
  };
  let sentTo = port;
  const auth = {
    v1: { version: 'v1', publicKey: keys.publicKey },
    v2: { version: 'v2', token: TOKEN },
  } as const;
  const senders = new Senders(() => sentTo, auth, game.join);
  return {
    ...{ folder, game, port, movedPort, senders, startOld },
    ports: { 25575: game.port, 25576: other.port, 8194: movedPort },
    /** The listings have another address from now on. */
    sendTo: (at: number) => {
      sentTo = at;
    },
    look: () => lookInto(join(folder, 'data/teller.db')),
    writePassword: () => writeFileSync(join(folder, 'data/secrets/rcon'), PASSWORDS.Teller),
  };
}

export type World = Awaited<ReturnType<typeof oldWorld>>;

/** What the operator types, in the words of the page, and a Teller that runs. */
export class Operator {
  private running: Launched<TellerReady> | null = null;
  private runLine = '';

  constructor(private readonly world: World) {}

  /** Runs a line of the page to its end. */
  async type(line: string, ...more: readonly string[]): Promise<Finished> {
    onPage(line);
    const { folder } = this.world;
    const [program, ...words] = wordsOf(line);
    if (program === 'teller') return teller([...words, ...more], folder);
    await promisify(exec)(line, { cwd: folder });
    return { code: 0, out: '', err: '' };
  }

  /** Types a line that runs until it is stopped. */
  launch(line: string): Launched<TellerReady> {
    onPage(line);
    this.runLine = line;
    this.running = launchScript(CLI, wordsOf(line).slice(1), this.world.folder);
    this.running.ready.catch(() => {}); // It may be killed before.
    return this.running;
  }

  /** kill -9, then the same again. */
  async killAndLaunch(): Promise<Launched<TellerReady>> {
    this.world.senders.kills.push(performance.now());
    await this.running?.kill();
    return this.launch(this.runLine);
  }

  /** Ctrl+C. */
  async stop(): Promise<number | null> {
    return (await this.running?.stop()) ?? null;
  }

  log(): string {
    return this.running?.log() ?? '';
  }

  /** Puts a config of the page into the config file, with the ports and times of the test. */
  edit(wanted: (config: object) => boolean, times: object = {}): void {
    const onThePage = pageConfigs.find(wanted);
    if (onThePage === undefined) throw new Error('the page has no such config');
    const { folder, ports } = this.world;
    const file = join(folder, 'config.json');
    const ofTest = JSON.stringify({ ...onThePage, ...times }).replaceAll(/"port":(\d+)/g, (whole, port) =>
      port in ports ? `"port":${ports[Number(port) as keyof typeof ports]}` : whole,
    );
    const config = { ...JSON.parse(readFileSync(file, 'utf8')), ...JSON.parse(ofTest) };
    config.listener.host = '127.0.0.1';
    writeFileSync(file, JSON.stringify(config, null, 2));
  }
}

function onPage(line: string): void {
  expect(pageLines, 'the page has this line').toContain(line);
  typedLines.add(line);
}

export const nameOf = ({ player, service }: { player: string | null; service: string }): string =>
  voteName(player ?? '', service);

export const isMissed = ({ player }: SentVote): boolean => player.startsWith(MISSES);
export const isDoubled = ({ player }: SentVote): boolean => player.startsWith(DOUBLES);
export const missed = (name: string): string => `${MISSES}${name}`;
export const doubled = (name: string): string => `${DOUBLES}${name}`;

/** Every vote of the ledger, oldest first. */
export async function votesIn(ledger: Ledger): Promise<VoteRow[]> {
  const votes: VoteRow[] = [];
  let after: number | undefined;
  for (;;) {
    const rows = await ledger.votes({ limit: 500, ...(after === undefined ? {} : { after }) });
    votes.push(...rows);
    if (rows.length < 500) return votes.toReversed();
    after = rows.at(-1)?.id;
  }
}

/** The votes of grants in a state: forwards, or what is paid. */
export async function votesOf(
  ledger: Ledger,
  state: GrantRow['state'],
  kind: 'forward' | 'reward',
): Promise<string[]> {
  const names: string[] = [];
  for await (const { commands } of allGrants(ledger, { state })) {
    const [{ command } = { command: '' }] = commands;
    const forward = readForward(command);
    if ((forward !== null) === (kind === 'forward'))
      names.push(forward === null ? command.replace('pay ', '') : nameOf(forward));
  }
  return names;
}

/** Who has to pay the votes received before the hand-over, and those from then on. Times in ms since the Unix epoch. */
export async function payersOf(
  ledger: Ledger,
  since: number,
  from: number,
  until: number,
): Promise<string[][]> {
  const votes = await votesIn(ledger);
  const between = (after: number, before: number): string[] => {
    const some = votes.filter(({ receivedAt }) => receivedAt >= after && receivedAt < before);
    return [...new Set(some.map(({ isPaidElsewhere }) => (isPaidElsewhere ? 'old side' : 'Teller')))];
  };
  return [between(since, from), between(from, until)];
}
