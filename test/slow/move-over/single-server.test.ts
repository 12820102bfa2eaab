import { expect, test } from 'vitest';
import { Guide, headingsWithCode, Operator, PATHS } from './operator.ts';
import {
  burst,
  chooseTime,
  compare,
  decide,
  expectOrder,
  expectPromises,
  handOver,
  importAll,
  importPlayers,
  removeOld,
  takePort,
  untilDone,
  untilPaid,
  votesOf,
} from './steps.ts';
import { oldWorld, oneServerFiles, PATIENT, VOTES_BEFORE, type World, writeUsersDb } from './world.ts';

/** How often the operator hands over and goes back; each time Teller is killed three times. TELLER_MOVE_OVER_ROUNDS=20 takes seven minutes. */
const ROUNDS = Number(process.env.TELLER_MOVE_OVER_ROUNDS ?? 1);

test('the steps for a single server, with kill -9 at each and back again: every vote is paid at most once across both sides, those not paid are listed, and once decided about all are paid', {
  timeout: 1_180_000 + ROUNDS * 45_000,
}, async () => {
  const world = await oldWorld({ files: oneServerFiles, hasOwnToken: true });
  writeUsersDb(world.folder);
  const operator = new Operator(world, new Guide('singleServer'));
  await world.startOld(world.port);
  await importAll(world, operator, '1. Import');
  expect(
    await operator.type('teller import nuvotifier plugins/Votifier --keep-existing'),
    'what is the same is no conflict',
  ).toMatchObject({ code: 0 });
  await takePort(world, operator);
  expect((await operator.type('teller keys')).code).toBe(0);
  await compare(world, operator);
  await importPlayers(operator, 'teller import players votingplugin plugins/VotingPlugin', VOTES_BEFORE);
  await expectLists(world, operator);

  for (let round = 0; round < ROUNDS; round++) {
    await handOver(world, operator);
    operator.write('Back again');
    expect((await operator.type('teller reload')).out).toContain('pay');
    await burst(world, () => operator.killAndLaunch());
    await untilPaid(world, 'old side', 50);
    expect((await operator.type('teller shadow report --since 7d')).out).toContain('were paid here');
  }
  await expectOrder(world);

  await chooseTime(operator);
  await untilPaid(world, 'Teller', 20);
  await decide(world, operator);
  await removeOld(world, operator, () => operator.write('5. Remove the old plugin'));
  await untilDone(world);
  await decide(world, operator);
  await untilDone(world);
  await expectPromises(world);
  expect(await votesOf(world, 'held', 'forward')).toEqual([]);
  expect(await operator.type('teller check')).toMatchObject({ code: 0 });
  // What only those who take Teller out again need; the test of another machine does so.
  expect((await operator.type('teller grants --state waiting')).code).toBe(0);
  expect(operator.guide.left()).toEqual([]);
});

/** The votes of two players are of those that may have arrived, of which one did. */
async function expectLists(world: World, operator: Operator): Promise<void> {
  const players = ['UnheardGus', 'UnconfirmedHal'];
  for (const player of players) world.listings.plant(player);
  const held = async () => (await votesOf(world, 'held', 'forward')).map((vote) => vote.split(' ')[0]);
  await expect.poll(held, PATIENT).toEqual(expect.arrayContaining(players));
  const { out } = await operator.type('teller grants --server old --state held');
  for (const player of players) expect(out).toContain(player);
  for (const state of ['refused', 'cancelled'])
    expect(await operator.type(`teller grants --server old --state ${state}`)).toMatchObject({ out: '' });
}

test('every section of the page with commands is on the path of a test', () => {
  expect(Object.values(PATHS).flat().toSorted()).toEqual(headingsWithCode().toSorted());
});
