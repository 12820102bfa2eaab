/** The steps of the guide, as an operator takes them while Teller is killed, and what is promised whatever happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { typedHere } from '../../kit/apart.ts';
import { type GrantSeen, grantsIn } from '../../kit/witness.ts';
import type { Operator } from './operator.ts';
import {
  CALM_MS,
  type End,
  faultFor,
  PATIENT,
  type Payer,
  SERVICES,
  type SentVote,
  voteName,
  type World,
} from './world.ts';

const HAND_OVER_IN_MS = 4_000;

/** Until so many more votes were paid. */
export async function untilPaid(world: World, payer: Payer, more: number): Promise<void> {
  const enough = paidBy(world, payer).length + more;
  await expect.poll(() => paidBy(world, payer).length, PATIENT).toBeGreaterThanOrEqual(enough);
}

/** Many votes at once. */
export async function burst({ listings }: World, during: () => Promise<unknown>): Promise<void> {
  const enough = listings.votes.length + 12;
  listings.pauseMs = 0;
  await expect.poll(() => listings.votes.length, PATIENT).toBeGreaterThan(enough);
  await during();
  listings.pauseMs = CALM_MS;
}

/** On a single server. */
const PLUGINS = {
  listener: 'teller import nuvotifier plugins/Votifier',
  plugin: 'teller import votingplugin plugins/VotingPlugin',
};

/** Step 1, on NuVotifier's folder and on that of the plugin. @param heading of the section that has the config. */
export async function importAll(world: World, operator: Operator, heading: string, lines = PLUGINS) {
  expect((await operator.type(lines.listener)).err).toContain('No listing needs a new key or token');
  await operator.type('touch data/secrets/rcon && chmod 600 data/secrets/rcon');
  world.writePassword();
  operator.write(heading);
  expect(await operator.type(lines.plugin)).toMatchObject({ code: 0 });
  const preview = await operator.type('teller preview Steve');
  expect(preview.out).toContain(`pay Steve for ${SERVICES[0]}`);
}

/** Step 2. */
export async function takePort(world: World, operator: Operator): Promise<void> {
  const waiting = `waiting for port ${world.port}`;
  operator.launch('teller run --wait-port');
  await expect.poll(() => operator.log(), PATIENT).toContain(waiting);
  const { ready } = await operator.killAndLaunch();
  await expect.poll(() => operator.log(), PATIENT).toContain(waiting);
  await world.stopOld();
  await world.startOld(world.movedPort, 'default');
  await ready;
  await firstVote(world, operator);
}

async function firstVote(world: World, operator: Operator): Promise<void> {
  const checked = await operator.type('teller check');
  expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/^warning +shadow/m) });
  world.listings.plant('Steve');
  const isPaid = () => paidBy(world, 'old side').some((vote) => vote.startsWith('Steve '));
  await expect.poll(isPaid, PATIENT).toBe(true);
  const explained = async () => (await operator.type('teller explain Steve')).out;
  await expect.poll(explained, PATIENT).toMatch(/not paid here[\s\S]*forwarded/);
}

/** Step 3, while Teller is killed and the old side restarts. */
export async function compare(world: World, operator: Operator): Promise<void> {
  const planted = ['MissedAnn', 'MissedBen', 'DoubledCleo', 'DoubledDan', 'SwappedEve', 'SwappedFinn'];
  for (const name of planted) world.listings.plant(name);
  await untilPaid(world, 'old side', 50);
  await burst(world, () => operator.killAndLaunch());
  await untilPaid(world, 'old side', 20);
  await burst(world, () => restartOld(world));
  const reported = async (): Promise<string[]> => {
    const { out } = await operator.type('teller shadow report --since 24h', '--json');
    return (JSON.parse(out) as { players: { player: string }[] }).players.map(({ player }) => player);
  };
  await expect.poll(reported, PATIENT).toEqual(expect.arrayContaining(planted));
}

async function restartOld(world: World): Promise<void> {
  await world.stopOld();
  await world.startOld(world.movedPort, 'default');
}

/** The players of the plugin, whose files are older than the vote of step 2. */
export async function importPlayers(operator: Operator, line: string, votes: number): Promise<void> {
  expect(await operator.type(line)).toMatchObject({ code: 0 });
  expect((await operator.type('teller players show Steve')).out).toContain(`${votes + 1} votes in totals`);
}

/** In ms since the Unix epoch. */
interface Chosen {
  readonly from: number;
  /** When the reload had certainly happened: until then, votes stay with the old side also after `from`. */
  readonly knownAt: number;
}

/** Choosing the time, and reloading. */
export async function chooseTime(operator: Operator): Promise<Chosen> {
  const from = Date.now() + HAND_OVER_IN_MS;
  operator.write('4. Hand over', { pay: { mode: 'real', from: new Date(from).toISOString() } });
  expect((await operator.type('teller reload')).out).toContain('pay');
  return { from, knownAt: Date.now() };
}

/** Step 4, while Teller is killed before the time and right after it. */
export async function handOver(world: World, operator: Operator): Promise<void> {
  const { from, knownAt } = await chooseTime(operator);
  await burst(world, () => operator.killAndLaunch());
  await sleep(Math.max(0, from - Date.now()));
  await burst(world, () => operator.killAndLaunch());
  await untilPaid(world, 'Teller', 50);
  expect((await operator.type('teller grants --state held')).code).toBe(0);
  await nothingToForward(world, operator);
  expect(await payersOf(world, from - HAND_OVER_IN_MS, from)).toEqual(['old side']);
  expect(await payersOf(world, Math.max(from, knownAt), Date.now())).toEqual(['Teller']);
}

/** Until the old side has every vote that it is to get. */
export async function nothingToForward(world: World, operator: Operator): Promise<void> {
  await expect.poll(() => votesOf(world, 'pending', 'forward'), PATIENT).toEqual([]);
  expect((await operator.type('teller grants --server old --state pending')).out).toBe('');
}

/** Decides about each grant that is held by what the game server has recorded. */
export async function decide(world: World, operator: Operator): Promise<void> {
  for (const { id, vote } of await grantsOf(world, 'held')) {
    const isPaid = world.games.payments.some((each) => each.vote === vote);
    const line = isPaid ? 'teller grants mark-paid ID' : 'teller grants pay ID';
    expect(await operator.typeFor(id, line)).toMatchObject({ code: 0 });
  }
  await nothingToForward(world, operator);
}

/** Step 5, while Teller is killed. @param edit takes the old listener out of the config. */
export async function removeOld(world: World, operator: Operator, edit: () => void): Promise<void> {
  await nothingToForward(world, operator);
  edit();
  expect((await operator.type('teller reload')).out).toContain('gameServers.old');
  const byOld = paidBy(world, 'old side').length;
  await burst(world, () => operator.killAndLaunch());
  await world.stopOld();
  await untilPaid(world, 'Teller', 50);
  expect(paidBy(world, 'old side').length).toBe(byOld);
}

/** Until everything that can be paid or forwarded was. */
export async function untilDone(world: World): Promise<void> {
  await world.listings.stop();
  const open = async () => [...(await votesOf(world, 'pending')), ...(await votesOf(world, 'waiting'))];
  await expect.poll(open, PATIENT).toEqual([]);
}

const paidBy = ({ games }: World, payer: Payer): string[] =>
  games.payments.filter((each) => each.payer === payer).map(({ vote }) => vote);

interface VoteSeen {
  readonly id: number;
  readonly player: string;
  readonly service: string;
  readonly receivedAt: string;
  readonly paidElsewhere: boolean;
}

/** Every vote of the ledger, oldest first. */
const votesIn = async (world: World): Promise<readonly VoteSeen[]> =>
  (await typedHere(world, 'votes', '--limit', '99999', '--json')).json.toReversed();

type Kind = 'forward' | 'reward';

/** The grants in a state, each with the one vote that it pays or forwards. */
async function grantsOf(world: World, state: string, kind?: Kind) {
  const grants = (await grantsIn(world)).filter((grant) => grant.state === state);
  const all = grants.map(({ id, commands }: GrantSeen) => {
    const [{ command } = { command: '' }] = commands;
    const isForward = command.startsWith('{');
    const vote = isForward ? voteName(JSON.parse(command)) : command.replace('pay ', '');
    return { id, vote, kind: isForward ? 'forward' : 'reward' };
  });
  return all.filter((grant) => kind === undefined || grant.kind === kind);
}

export const votesOf = async (...args: Parameters<typeof grantsOf>): Promise<string[]> =>
  (await grantsOf(...args)).map(({ vote }) => vote);

/** Who has to pay the votes received in a time. In ms since the Unix epoch. */
async function payersOf(world: World, from: number, to: number): Promise<Payer[]> {
  const isThen = ({ receivedAt }: VoteSeen) => Date.parse(receivedAt) >= from && Date.parse(receivedAt) < to;
  const votes = (await votesIn(world)).filter(isThen);
  return [...new Set(votes.map(({ paidElsewhere }) => (paidElsewhere ? 'old side' : 'Teller')))];
}

/** Whether its listing cannot know what became of it: version 1, and a listener ended while it was being sent. */
const isLostToEnd = (vote: SentVote, ends: readonly End[]): boolean =>
  vote.version === 'v1' && ends.some(({ from, to }) => vote.from <= to && from <= vote.to);

/**
 * What the listings, the game servers and Teller's lists say together: each vote is paid at most once across both sides, and what is
 * not is listed.
 */
export async function expectPromises(world: World): Promise<void> {
  const { listings, games, ends } = world;
  const recorded = await votesIn(world);
  const stored = new Set(recorded.map(voteName));
  const times = new Map<string, number>();
  for (const { vote } of games.payments) times.set(vote, (times.get(vote) ?? 0) + 1);
  const timesOf = (vote: string): number => times.get(vote) ?? 0;

  const sent = listings.votes;
  const tooOften = sent.filter(
    (vote) => timesOf(voteName(vote)) > (faultFor(vote.player) === 'doubles' ? 2 : 1),
  );
  expect(tooOften.map(voteName), 'paid more than once').toEqual([]);

  const unknown = await votesOf(world, 'held');
  const states = [await votesOf(world, 'pending', 'reward'), await votesOf(world, 'waiting', 'reward')];
  expect(
    states.flat().filter((vote) => timesOf(vote) > 0),
    'owed, though it was paid',
  ).toEqual([]);
  const listed = new Set([...unknown, ...states.flat()]);
  const isUnpaidByFault = ({ player }: SentVote): boolean =>
    ['misses', 'pays-another'].includes(faultFor(player) ?? '');
  const isUnheard = (vote: SentVote): boolean =>
    isLostToEnd(vote, [...ends.kills, ...ends.stops]) && !stored.has(voteName(vote));
  const unpaid = sent.filter(
    (vote) => timesOf(voteName(vote)) === 0 && !isUnpaidByFault(vote) && !isUnheard(vote),
  );
  expect(
    unpaid.map(voteName).filter((vote) => !listed.has(vote)),
    'neither paid nor listed',
  ).toEqual([]);
  // At each kill, one forward and one command were being written at most; when the old side ended, one forward.
  expect(unknown.length).toBeLessThanOrEqual(2 * ends.kills.length + ends.stops.length);

  const elsewhere = new Set(recorded.filter(({ paidElsewhere }) => paidElsewhere).map(voteName));
  const byOld = paidBy(world, 'old side').filter((vote) => stored.has(vote));
  expect(
    byOld.filter((vote) => !elsewhere.has(vote)),
    'paid by the old side, though Teller was to',
  ).toEqual([]);
  expect(
    paidBy(world, 'Teller').filter((vote) => elsewhere.has(vote)),
    'paid by Teller',
  ).toEqual([]);
}

/** Forwards keep the order of the votes, apart from those that the operator sends again. */
export async function expectOrder(world: World): Promise<void> {
  const idOf = new Map((await votesIn(world)).map((vote) => [voteName(vote), vote.id]));
  const order = paidBy(world, 'old side').flatMap((vote) => idOf.get(vote) ?? []);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
}
