import { expect, test } from 'vitest';
import { SERVICES } from './listings.ts';
import { Operator } from './operator.ts';
import { Guide } from './page.ts';
import { nuVotifierFiles, votingPluginFiles } from './plugins.ts';
import { expectOrder, expectPromises } from './promises.ts';
import { burst, compare, handOver, importAll, nothingToForward, untilPaid } from './steps.ts';
import { oldWorld } from './world.ts';

test('the steps with Teller on another machine: listings change their address one after another, and every vote is paid at most once; then Teller is taken out again', {
  timeout: 180_000,
}, async () => {
  const world = await oldWorld({
    files: (setup) => ({ ...nuVotifierFiles(setup), ...votingPluginFiles() }),
    oldHost: '127.0.0.2',
  });
  const operator = new Operator(world, new Guide('otherMachine'));
  await world.startOld(world.movedPort);
  await importAll(world, operator, {
    listener: 'teller import nuvotifier plugins/Votifier',
    plugin: 'teller import votingplugin plugins/VotingPlugin',
    config: 'Teller on another machine',
    service: 'A.example',
  });
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
