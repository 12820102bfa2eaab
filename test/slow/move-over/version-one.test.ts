import { expect, test } from 'vitest';
import { Operator } from './operator.ts';
import { Guide } from './page.ts';
import { nuVotifierFiles, votingPluginFiles } from './plugins.ts';
import { expectOrder, expectPromises } from './promises.ts';
import { compare, handOver, importAll, removeOld, takePort, untilDone } from './steps.ts';
import { oldWorld } from './world.ts';

test('the steps with an old Votifier, which takes version 1 alone, with kill -9 at each: every vote is paid at most once across both sides, and those not paid are listed', {
  timeout: 180_000,
}, async () => {
  const world = await oldWorld({
    files: (setup) => ({ ...nuVotifierFiles(setup), ...votingPluginFiles() }),
    isV1Alone: true,
  });
  const operator = new Operator(world, new Guide('versionOne'));
  await world.startOld(world.port);
  await importAll(world, operator, {
    listener: 'teller import nuvotifier plugins/Votifier',
    plugin: 'teller import votingplugin plugins/VotingPlugin',
    config: 'A listener of version 1 alone',
    service: 'A.example',
  });
  await takePort(world, operator);
  await compare(world, operator);
  await handOver(world, operator);
  await removeOld(world, operator, () => operator.takeOut());
  await untilDone(world);
  await expectOrder(world);
  await expectPromises(world);
  expect(operator.guide.left()).toEqual([]);
});
