/** Sends votes by all channels while Teller is killed repeatedly, then checks its promises (docs/contributing/crash-test.md). */
import { setTimeout as pause } from 'node:timers/promises';
import { type Environment, type EnvironmentOptions, startEnvironment } from './environment.ts';
import {
  grantsIn,
  grantsOf,
  grouped,
  type LedgerContents,
  type SettledDay,
  settledDays,
  votesIn,
} from './ledger-contents.ts';
import { Lifetimes } from './lifetimes.ts';
import { brokenPromises } from './promises.ts';
import { CROWD, HELLO, KIT, NEW_SITES, PARTY, SHOUT, TRAVEL } from './sites.ts';
import { partiesOf } from './together-promises.ts';
import { notRecorded } from './vote-promises.ts';

export interface CrashOptions extends EnvironmentOptions {
  readonly onProgress?: (kills: number, votes: number) => void;
}

export type CrashReport = Awaited<ReturnType<typeof crashRun>>;

const UNCHANGED_FOR_MS = 60_000;
const POLL_EVERY_MS = 250;

export async function crashRun({ onProgress, ...options }: CrashOptions) {
  const environment = await startEnvironment(options);
  const { place, tops, startedAt } = environment;
  const lifetimes = new Lifetimes(environment);
  const seen: SettledDay[] = [];
  while (lifetimes.kills < options.kills) {
    const { isLong } = await lifetimes.runOne();
    if (isLong) seen.push(...(await settledDays(place, tops, startedAt)).settled);
    onProgress?.(lifetimes.kills, environment.votes.length);
  }
  const endings = { ...lifetimes.endings };
  await lifetimes.runLast(async (at) => {
    await environment.operator.finish();
    await environment.traffic.finish(at);
    await untilFinished(environment);
  });
  return report(environment, lifetimes, endings, seen);
}

/**
 * Waits until recovery has recorded what it can, every top is settled, and no grant is waiting to be paid. On a slow disk
 * that takes minutes, so it gives up only when nothing has changed for a while.
 */
async function untilFinished(environment: Environment): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  let giveUpAt = 0;
  for (;;) {
    const open = await openIn(environment);
    if (open === 0 || (open === before && performance.now() > giveUpAt)) return;
    if (open !== before) giveUpAt = performance.now() + UNCHANGED_FOR_MS;
    before = open;
    await pause(POLL_EVERY_MS);
  }
}

/** How much is not finished. */
async function openIn({ place, votes, tops, startedAt }: Environment): Promise<number> {
  const recorded = await votesIn(place);
  const unpaidParties = async ({ name, every }: typeof PARTY): Promise<number> => {
    const paid = new Set((await grantsIn(place, '--reward', name)).map(({ occasion }) => occasion));
    return partiesOf(recorded, every).length - paid.size;
  };
  const open = [
    ...(await grantsIn(place, '--state', 'pending')),
    ...(await grantsIn(place, '--state', 'waiting')),
    ...(await settledDays(place, tops, startedAt)).missing,
    ...recorded.filter(({ decision }) => decision === 'unlisted'),
    ...notRecorded(votes, recorded),
  ];
  return open.length + (await unpaidParties(PARTY)) + (await unpaidParties(CROWD));
}

async function report(
  environment: Environment,
  { kills, faults }: Lifetimes,
  endings: Lifetimes['endings'],
  seen: readonly SettledDay[],
) {
  const { place, votes, traffic, servers } = environment;
  const { repeats, ...byChannel } = traffic.sent;
  const contents = { votes: await votesIn(place), grants: await grantsIn(place) };
  const commands = contents.grants.flatMap((grant) => grant.commands);
  const outcomes = countBy(commands.map(({ outcome }) => outcome ?? 'not tried'));
  const recorded = [servers.main, servers.sky, servers.city].flatMap((each) => each.recorded);
  return {
    /** The number of times that Teller was killed with kill -9. */
    kills,
    endings,
    sent: votes.length,
    answered: votes.filter(({ isAnswered }) => isAnswered).length,
    /** How often votes were sent by each channel. For the API, which Teller asks, the number of votes it lists. */
    byChannel,
    /** How many of these were votes that had been sent to an earlier process. */
    repeats,
    recorded: contents.votes.length,
    decisions: countBy(contents.votes.map(({ decision }) => decision)),
    /** As the game servers counted. */
    commandsRun: recorded.filter(({ reply }) => reply !== 'not run').length,
    unknown: outcomes.unknown ?? 0,
    refused: outcomes.refused ?? 0,
    happenings: happeningsIn(environment, contents),
    /** The promises that were broken, in words. */
    broken: [...faults, ...(await brokenPromises(environment, contents, seen))],
  };
}

/** How often that happened which a promise is about: one about nothing is always kept. */
function happeningsIn({ accounts, operator }: Environment, contents: LedgerContents) {
  const announcements = [...grantsOf(contents, HELLO.name), ...grantsOf(contents, SHOUT.name)];
  const isNew = (service: string): boolean => NEW_SITES.some(({ name }) => name === service);
  return {
    'won places': contents.grants.filter(({ cause }) => cause === 'top').length,
    'paid on sky': grantsOf(contents, TRAVEL.name).filter(({ server }) => server === 'sky').length,
    expired: grantsOf(contents, KIT.name).filter(({ state }) => state === 'cancelled').length,
    'paid for being online': contents.grants.filter(({ reward }) => reward === CROWD.name).length,
    announced: announcements.filter(({ state }) => state === 'delivered').length,
    'not announced': announcements.filter(({ state }) => state === 'cancelled').length,
    renamed: accounts.renamed(),
    'names taken': accounts.strangers.length,
    'listed later': contents.votes.filter(
      ({ decidedAgain, service }) => decidedAgain !== null && isNew(service),
    ).length,
    pauses: operator.paused.length,
    reloads: operator.edits(),
  };
}

const countBy = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...grouped(names, (name) => name)].map(([name, own]) => [name, own.length]));
