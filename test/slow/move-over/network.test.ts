import { expect, test } from 'vitest';
import type { Payer } from './game-servers.ts';
import { Operator } from './operator.ts';
import { Guide } from './page.ts';
import { sharedVotingPluginFiles, VOTES_BEFORE, velocityFiles } from './plugins.ts';
import { expectOrder, expectPromises } from './promises.ts';
import { compare, handOver, importAll, importPlayers, removeOld, takePort, untilDone } from './steps.ts';
import { oldWorld } from './world.ts';

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
  await importAll(world, operator, {
    listener: 'teller import nuvotifier velocity/plugins/nuvotifier',
    plugin: 'teller import votingplugin survival/plugins/VotingPlugin --servers where-online',
    config: 'A proxy network',
    service: 'A.example',
  });
  await takePort(world, operator);
  await compare(world, operator);
  const players = 'teller import players votingplugin survival/plugins/VotingPlugin --data votingplugin.tsv';
  await importPlayers(operator, players, VOTES_BEFORE);
  await handOver(world, operator);
  await removeOld(world, operator, () => operator.takeOut());
  await untilDone(world);
  await expectOrder(world);
  await expectPromises(world);
  const by = (payer: Payer, server: number) =>
    world.games.payments.filter((each) => each.payer === payer && each.server === server).length;
  expect(Math.min(by('Teller', 0), by('Teller', 1))).toBeGreaterThan(0);
  expect(operator.guide.left()).toEqual([]);
});
