import { expect, test } from 'vitest';
import { Operator } from './operator.ts';
import { Guide } from './page.ts';
import { nuVotifierFiles, SERVICES_ON_PAGE, superbVoteFiles, VOTES_BEFORE } from './plugins.ts';
import { expectOrder, expectPromises } from './promises.ts';
import { compare, handOver, importAll, importPlayers, removeOld, takePort, untilDone } from './steps.ts';
import { oldWorld } from './world.ts';

test('the steps with SuperbVote, with kill -9 at each: every vote is paid at most once across both sides, and those not paid are listed', {
  timeout: 180_000,
}, async () => {
  const world = await oldWorld({
    files: (setup) => ({ ...nuVotifierFiles(setup), ...superbVoteFiles() }),
    services: SERVICES_ON_PAGE,
  });
  const operator = new Operator(world, new Guide('superbVote'));
  await world.startOld(world.port);
  await importAll(world, operator, {
    listener: 'teller import nuvotifier plugins/Votifier',
    plugin: [
      'teller import superbvote plugins/SuperbVote/config.yml',
      'teller sites add My-List.com Other-List.org',
    ],
    config: '1. Import',
    service: 'My-List.com',
  });
  await takePort(world, operator);
  await compare(world, operator);
  await importPlayers(operator, 'teller import players superbvote plugins/SuperbVote', VOTES_BEFORE);
  await handOver(world, operator);
  await removeOld(world, operator, () => operator.write('5. Remove the old plugin'));
  await untilDone(world);
  await expectOrder(world);
  await expectPromises(world);
  expect(operator.guide.left()).toEqual([]);
});
