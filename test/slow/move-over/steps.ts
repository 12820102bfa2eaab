import { expect } from 'vitest';
import { pause } from '../../../src/core/clock.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { CALM_MS } from './listings.ts';
import type { Operator } from './operator.ts';
import { grantsOf, paidBy, payersOf, votesOf } from './promises.ts';
import { doubled, missed, PATIENT, swapped, type World } from './world.ts';

const HAND_OVER_IN_MS = 4_000;

/** Until so many more votes were paid. */
export async function untilPaid(world: World, payer: 'old side' | 'Teller', more: number): Promise<void> {
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

/** Step 1, on NuVotifier's folder and on that of the plugin. */
export async function importAll(
  world: World,
  operator: Operator,
  lines: {
    readonly listener: string;
    readonly plugin: string;
    /** The section that has it. */
    readonly config: string;
    readonly service: string;
  },
): Promise<void> {
  expect((await operator.type(lines.listener)).err).toContain('No listing needs a new key or token');
  await operator.type('touch data/secrets/rcon && chmod 600 data/secrets/rcon');
  world.writePassword();
  operator.write(lines.config);
  expect(await operator.type(lines.plugin)).toMatchObject({ code: 0 });
  const preview = await operator.type('teller preview Steve');
  expect(preview.out).toContain(`pay Steve for ${lines.service}`);
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
  const planted = [
    missed('Ann'),
    missed('Ben'),
    doubled('Cleo'),
    doubled('Dan'),
    swapped('Eve'),
    swapped('Finn'),
  ];
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
  await pause(systemClock, Math.max(0, from - Date.now()));
  await burst(world, () => operator.killAndLaunch());
  await untilPaid(world, 'Teller', 50);
  expect((await operator.type('teller grants --state held')).code).toBe(0);
  await nothingToForward(world, operator);
  const look = world.look();
  expect(await payersOf(look, from - HAND_OVER_IN_MS, from)).toEqual(['old side']);
  expect(await payersOf(look, Math.max(from, knownAt), Date.now())).toEqual(['Teller']);
}

/** Until the old side has every vote that it is to get. */
export async function nothingToForward(world: World, operator: Operator): Promise<void> {
  await expect.poll(() => votesOf(world.look(), 'pending', 'forward'), PATIENT).toEqual([]);
  expect((await operator.type('teller grants --server old --state pending')).out).toBe('');
}

/** Decides about each grant that is held by what the game server has recorded. */
export async function decide(world: World, operator: Operator): Promise<void> {
  const look = world.look();
  const held = [...(await grantsOf(look, 'held', 'forward')), ...(await grantsOf(look, 'held', 'reward'))];
  for (const { id, vote } of held) {
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
  const open = async () => {
    const { pending = 0, waiting = 0 } = await world.look().grantStates();
    return pending + waiting;
  };
  await expect.poll(open, PATIENT).toBe(0);
}
