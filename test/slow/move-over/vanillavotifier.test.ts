import { expect, test } from 'vitest';
import { Operator } from './operator.ts';
import { Guide } from './page.ts';
import { SERVICES_ON_PAGE, vanillaVotifierFiles } from './plugins.ts';
import { expectOrder, expectPromises } from './promises.ts';
import { compare, handOver, removeOld, takePort, untilDone } from './steps.ts';
import { oldWorld } from './world.ts';

test('the steps with VanillaVotifier, which takes version 1 alone, with kill -9 at each: every vote is paid at most once across both sides, and those not paid are listed', {
  timeout: 180_000,
}, async () => {
  const world = await oldWorld({ files: vanillaVotifierFiles, services: SERVICES_ON_PAGE, isV1Alone: true });
  const operator = new Operator(world, new Guide('vanillaVotifier'));
  await world.startOld(world.port);
  expect(await operator.type('teller import vanillavotifier config.yaml')).toMatchObject({ code: 0 });
  expect(await operator.type('teller sites add My-List.com Other-List.org', '--yes')).toMatchObject({
    code: 0,
  });
  operator.write('With VanillaVotifier');
  await takePort(world, operator);
  await compare(world, operator);
  await handOver(world, operator);
  await removeOld(world, operator, () => operator.takeOut());
  await untilDone(world);
  await expectOrder(world);
  await expectPromises(world);
  expect(operator.guide.left()).toEqual([]);
});
