import { expect, test } from 'vitest';
import { pause } from '../../src/core/clock.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { expectPromises, paidBy } from './move-over-promises.ts';
import {
  doubled,
  isDoubled,
  isMissed,
  missed,
  nameOf,
  neverTyped,
  Operator,
  oldWorld,
  PATIENT,
  payersOf,
  votesOf,
  type World,
} from './move-over-world.ts';

/** How often the operator hands over and goes back; each time Teller is killed four times. TELLER_MOVE_OVER_ROUNDS=20 takes five minutes. */
const ROUNDS = Number(process.env.TELLER_MOVE_OVER_ROUNDS ?? 1);
const HAND_OVER_IN_MS = 4_000;

const seconds = (count: number): Promise<void> => pause(systemClock, count * 1_000);
const isServersWith = (name: string) => (config: object) =>
  name in ((config as { gameServers?: object }).gameServers ?? {});
const isNetwork = isServersWith('survival');
const isSingle = (config: object): boolean => isServersWith('main')(config);
const isReal = ({ pay }: { pay?: { from?: string } }): boolean => pay?.from !== undefined;
const isOnlyShadow = (config: object): boolean =>
  Object.keys(config).join() === 'pay' && !isReal(config as { pay?: { from?: string } });

/** Many votes at once. */
async function burst({ senders }: World, during: () => Promise<unknown>): Promise<void> {
  senders.pauseMs = 0;
  await seconds(0.3);
  await during();
  senders.pauseMs = 150;
}

/** Choosing the time, and reloading. @returns the time. */
async function handOver(operator: Operator): Promise<number> {
  const from = Date.now() + HAND_OVER_IN_MS;
  operator.edit(isReal, { pay: { mode: 'real', from: new Date(from).toISOString() } });
  expect((await operator.type('teller reload')).out).toContain('pay');
  return from;
}

async function goBack(operator: Operator): Promise<void> {
  operator.edit(isOnlyShadow);
  expect((await operator.type('teller reload')).out).toContain('pay');
}

/** Until everything that can be paid or forwarded was. */
const expectDone = async (world: World): Promise<void> => {
  const open = async () => {
    const { pending = 0, waiting = 0 } = await world.look().grantStates();
    return pending + waiting;
  };
  await expect.poll(open, PATIENT).toBe(0);
};

interface Difference {
  readonly player: string;
  readonly unpaid: readonly { readonly service: string; readonly receivedAt: string }[];
  readonly twice: readonly { readonly service: string }[];
  readonly notOwed: readonly unknown[];
  readonly withoutVote: readonly { readonly service: string }[];
}

/** What the report shows of votes until now; younger ones may be on their way. */
async function reportedUntilNow(operator: Operator, line: string, until: number) {
  const { out } = await operator.type(line, '--json');
  const { compared } = JSON.parse(out) as { compared: { players: readonly Difference[] } };
  const of = (kind: 'unpaid' | 'twice' | 'withoutVote'): string[] =>
    compared.players
      .flatMap(({ player, [kind]: some }) => some.map((each) => ({ player, ...each })))
      .filter((each) => !('receivedAt' in each) || Date.parse(String(each.receivedAt)) < until)
      .map(nameOf)
      .map((name) => name.toLowerCase())
      .toSorted();
  expect(compared.players.flatMap(({ notOwed }) => notOwed)).toEqual([]);
  return { unpaid: of('unpaid'), twice: of('twice'), withoutVote: of('withoutVote') };
}

const lowered = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase()).toSorted();

/** Compares while votes arrive: the planted failures, what was paid before Teller had the port, and held forwards. */
async function expectReport(world: World, operator: Operator, before: readonly string[]): Promise<void> {
  const until = Date.now();
  const line = 'teller shadow report --since 24h --against paid.csv';
  const expected = async () => {
    const paid = new Set(paidBy(world, 'old side'));
    const held = (await votesOf(world.look(), 'held', 'forward')).filter((vote) => !paid.has(vote));
    const planted = world.senders.votes;
    return {
      unpaid: lowered([...planted.filter(isMissed).map(nameOf), ...held]),
      // One whose forward a kill caught is not paid at all.
      twice: lowered(
        planted
          .filter(isDoubled)
          .map(nameOf)
          .filter((vote) => paid.has(vote)),
      ),
      withoutVote: lowered(before),
    };
  };
  const differs = async () => {
    const wanted = await expected();
    const found = await reportedUntilNow(operator, line, until);
    return JSON.stringify(found) === JSON.stringify(wanted) ? null : { found, wanted };
  };
  await expect.poll(differs, PATIENT).toBeNull();
  expect((await operator.type(line)).code).toBe(1);
}

/** The steps of the page up to the config, on the plugins' folders. */
async function importAll(world: World, operator: Operator, importPlugin: string): Promise<void> {
  expect((await operator.type('teller import nuvotifier plugins/Votifier')).err).toContain(
    'No listing needs a new key or token',
  );
  await operator.type('touch data/secrets/rcon && chmod 600 data/secrets/rcon');
  world.writePassword();
  operator.edit(importPlugin.includes('--servers') ? isNetwork : isSingle);
  expect(await operator.type(importPlugin)).toMatchObject({ code: 0 });
  const preview = await operator.type('teller preview Steve --ledger none');
  expect(preview.out).toContain('pay Steve for A.example');
}

test('the steps for a single server, with kill -9 at each: every vote is paid at most once across both sides, and those not paid are listed', {
  timeout: 110_000 + ROUNDS * 60_000,
}, async () => {
  const world = await oldWorld();
  const operator = new Operator(world);
  const { senders, game } = world;
  const alone = await world.startOld(world.port);
  await expect.poll(() => game.payments.length, PATIENT).toBeGreaterThan(20);

  await importAll(world, operator, 'teller import votingplugin plugins/VotingPlugin');

  // 2. Take the port
  operator.launch('teller run --wait-port');
  await expect.poll(() => operator.log(), PATIENT).toContain(`waiting for port ${world.port}`);
  const { ready } = await operator.killAndLaunch();
  await expect.poll(() => operator.log(), PATIENT).toContain(`waiting for port ${world.port}`);
  await alone.stop();
  const before = paidBy(world, 'old side');
  await world.startOld(world.movedPort);
  await ready;
  const checked = await operator.type('teller check');
  expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/^warning +shadow/m) });
  senders.plant('Steve');
  const explained = async () => (await operator.type('teller explain Steve')).out;
  await expect.poll(explained, PATIENT).toMatch(/not paid here[\s\S]*forwarded/);
  expect((await operator.type('teller keys')).code).toBe(0);

  // 3. Compare
  for (const name of ['Ann', 'Ben', 'Ben']) senders.plant(missed(name));
  for (const name of ['Cleo', 'Dan']) senders.plant(doubled(name));
  await expect.poll(() => paidBy(world, 'old side').length, PATIENT).toBeGreaterThan(before.length + 100);
  await burst(world, () => operator.killAndLaunch());
  await expectReport(world, operator, before);
  const players = 'teller import players votingplugin plugins/VotingPlugin';
  expect(await operator.type(players)).toMatchObject({ code: 0 });
  // The plugin's file is older than the vote above.
  expect((await operator.type('teller players show Steve')).out).toContain('4121 votes in totals');
  expect((await operator.type('teller grants --server old --state held')).code).toBe(0);

  for (let round = 0; round < ROUNDS; round++) {
    // 4. Hand over
    const from = await handOver(operator);
    await burst(world, () => operator.killAndLaunch());
    await pause(systemClock, Math.max(0, from - Date.now()));
    await burst(world, () => operator.killAndLaunch());
    const enough = paidBy(world, 'Teller').length + 100;
    await expect.poll(() => paidBy(world, 'Teller').length, PATIENT).toBeGreaterThan(enough);
    await burst(world, () => operator.killAndLaunch());
    expect((await operator.type('teller grants --state held')).code).toBe(0);

    const until = Date.now();
    expect(await payersOf(world.look(), from - HAND_OVER_IN_MS, from, until)).toEqual([
      ['old side'],
      ['Teller'],
    ]);

    // Back again
    await goBack(operator);
    await burst(world, () => operator.killAndLaunch());
    const again = paidBy(world, 'old side').length + 50;
    await expect.poll(() => paidBy(world, 'old side').length, PATIENT).toBeGreaterThan(again);
    expect((await operator.type('teller grants --server old --state pending')).code).toBe(0);
    expect((await operator.type('teller shadow report --since 7d')).out).toContain('were paid here');
  }
  // For good, so that what Teller owed meanwhile is paid as well.
  await handOver(operator);
  await senders.stop();
  await expectDone(world);
  await expectPromises(world);
});

test('the steps for a network, with Teller on another machine: listings change their address, and every vote is paid once', {
  timeout: 110_000,
}, async () => {
  const world = await oldWorld();
  const operator = new Operator(world);
  const { game } = world;
  await world.startOld(world.movedPort);
  world.sendTo(world.movedPort);
  await importAll(world, operator, 'teller import votingplugin plugins/VotingPlugin --servers where-online');
  await operator.launch('teller run').ready;
  await expect.poll(() => game.payments.length, PATIENT).toBeGreaterThan(20);
  world.sendTo(world.port);
  const enough = paidBy(world, 'old side').length + 50;
  await expect.poll(() => paidBy(world, 'old side').length, PATIENT).toBeGreaterThan(enough);
  expect((await operator.type('teller sites')).out).toContain('F.example');
  await handOver(operator);
  await operator.killAndLaunch();
  await expect.poll(() => paidBy(world, 'Teller').length, PATIENT).toBeGreaterThan(50);

  // Back again, and without Teller
  await goBack(operator);
  world.sendTo(world.movedPort);
  const forwards = () => votesOf(world.look(), 'pending', 'forward');
  await expect.poll(forwards, PATIENT).toEqual([]);
  expect((await operator.type('teller grants --state waiting')).code).toBe(0);
  expect(await operator.stop()).toBe(0);
  const again = paidBy(world, 'old side').length + 20;
  await expect.poll(() => paidBy(world, 'old side').length, PATIENT).toBeGreaterThan(again);
  await world.senders.stop();
  await expectPromises(world);
});

test('every command of the page was typed', () => {
  expect(neverTyped()).toEqual([]);
});
