/** Other ways to move over than on a single server: a network, another machine, and a listener of version 1 alone. */
import { expect, test } from 'vitest';
import { Guide, Operator } from './operator.ts';
import {
  burst,
  compare,
  expectOrder,
  expectPromises,
  handOver,
  importAll,
  importPlayers,
  nothingToForward,
  removeOld,
  takePort,
  untilDone,
  untilPaid,
} from './steps.ts';
import {
  oldWorld,
  oneServerFiles,
  type Payer,
  SERVICES,
  sharedVotingPluginFiles,
  VOTES_BEFORE,
  velocityFiles,
  type World,
} from './world.ts';

/** Step 5, and what has to hold then. */
async function finish(world: World, operator: Operator): Promise<void> {
  await removeOld(world, operator, () => operator.takeOut());
  await untilDone(world);
  await expectOrder(world);
  await expectPromises(world);
}

test('the steps for a network, with kill -9 at each: each vote is paid where its player is, at most once across both sides, and those not paid are listed', {
  timeout: 180_000,
}, async () => {
  const world = await oldWorld({
    files: (setup) => ({ ...velocityFiles(setup), ...sharedVotingPluginFiles() }),
    gameServers: 2,
    hasOwnToken: true,
  });
  const operator = new Operator(world, new Guide('network'));
  await world.startOld(world.port);
  await importAll(world, operator, 'A proxy network', {
    listener: 'teller import nuvotifier velocity/plugins/nuvotifier',
    plugin: 'teller import votingplugin survival/plugins/VotingPlugin --servers where-online',
  });
  await takePort(world, operator);
  await compare(world, operator);
  const players = 'teller import players votingplugin survival/plugins/VotingPlugin --data votingplugin.tsv';
  await importPlayers(operator, players, VOTES_BEFORE);
  await handOver(world, operator);
  await finish(world, operator);
  const by = (payer: Payer, server: number) =>
    world.games.payments.filter((each) => each.payer === payer && each.server === server).length;
  expect(Math.min(by('Teller', 0), by('Teller', 1))).toBeGreaterThan(0);
  expect(operator.guide.left()).toEqual([]);
});

test('the steps with Teller on another machine: listings change their address one after another, and every vote is paid at most once; then Teller is taken out again', {
  timeout: 180_000,
}, async () => {
  const world = await oldWorld({ files: oneServerFiles, oldHost: '127.0.0.2' });
  const operator = new Operator(world, new Guide('otherMachine'));
  await world.startOld(world.movedPort);
  await importAll(world, operator, 'Teller on another machine');
  await operator.launch('teller run').ready;
  await untilPaid(world, 'old side', 20);
  for (const service of SERVICES) {
    world.sendTo('Teller', [service]);
    await untilPaid(world, 'old side', 6);
  }
  expect((await operator.type('teller sites')).out).toContain('F.example');
  await compare(world, operator);
  await handOver(world, operator);

  operator.write('Back again');
  expect((await operator.type('teller reload')).out).toContain('pay');
  await burst(world, () => operator.killAndLaunch());
  world.sendTo('old side');
  await nothingToForward(world, operator);
  expect((await operator.type('teller grants --state waiting')).code).toBe(0);
  expect(await operator.stop()).toBe(0);
  await untilPaid(world, 'old side', 20);
  await world.listings.stop();
  await expectOrder(world);
  await expectPromises(world);
  expect(operator.guide.left()).toEqual([]);
});

test('the steps with an old Votifier, which takes version 1 alone, with kill -9 at each: every vote is paid at most once across both sides, and those not paid are listed', {
  timeout: 180_000,
}, async () => {
  const world = await oldWorld({ files: oneServerFiles, isV1Alone: true });
  const operator = new Operator(world, new Guide('versionOne'));
  await world.startOld(world.port);
  await importAll(world, operator, 'A listener of version 1 alone');
  await takePort(world, operator);
  await compare(world, operator);
  await handOver(world, operator);
  await finish(world, operator);
  expect(operator.guide.left()).toEqual([]);
});
