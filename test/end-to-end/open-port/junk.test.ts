import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lookInto } from '../../support/config-folder.ts';
import { naming } from '../../support/naming.ts';
import { compiled } from '../../support/processes.ts';
import { expectServed, notAboutVotes, openPort, refusalCounts, sentencesOf } from './scene.ts';

const SENDERS = 3_000;

function makeNoise(port: number): Promise<unknown> {
  const args = [compiled(join(import.meta.dirname, 'noise.ts')), `${port}`, `${SENDERS}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return once(child, 'message');
}

test('random junk and guessed tokens from 3,000 addresses leave few figures, few lines, and no vote behind', {
  timeout: 60_000,
}, async () => {
  const place = await openPort();
  await place.genuine.during(['127.0.0.1', '127.69.0.1'], makeNoise(place.port));
  await place.stop();

  expect(await refusalCounts(place)).toEqual({
    incomplete: 1_000,
    'v1-bad-block': 1_000,
    'v2-signature': 1_000,
  });
  expect((await lookInto(place.ledger).refusals(0)).length).toBeLessThan(700);
  const lines = notAboutVotes(place.logLines());
  expect(lines.reduce((sum, { refused = 0 }) => sum + refused, 0)).toBe(SENDERS);
  // One line for each cause that an operator can act on and one for all, in each of the few intervals that it takes.
  expect(lines.length).toBeLessThan(20);
  expect(sentencesOf(lines, 'v1-bad-block')[0]).toEqual(naming(/public key/, '`teller keys`'));
  expect(sentencesOf(lines, 'v2-signature')[0]).toEqual(naming(/token/, '`teller keys`'));
  await expectServed(place);
});
