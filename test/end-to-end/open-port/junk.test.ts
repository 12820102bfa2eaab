import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lookInto } from '../../support/config-folder.ts';
import { naming } from '../../support/naming.ts';
import { compiled } from '../../support/processes.ts';
import { expectServed, messagesOf, notAboutVotes, openPort, refusalCounts } from './fixture.ts';

const SENDERS = 3_000;

function sendJunk(port: number): Promise<unknown> {
  const args = [compiled(join(import.meta.dirname, 'junk-sender.ts')), `${port}`, `${SENDERS}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return once(child, 'message');
}

test('random bytes and guessed tokens from 3,000 addresses leave few refusal counts, few log lines and no vote', {
  timeout: 60_000,
}, async () => {
  const target = await openPort();
  await target.genuine.during(['127.0.0.1', '127.69.0.1'], sendJunk(target.port));
  await target.stop();

  expect(await refusalCounts(target)).toEqual({
    incomplete: 1_000,
    'v1-bad-block': 1_000,
    'v2-signature': 1_000,
  });
  expect((await lookInto(target.ledger).refusals(0)).length).toBeLessThan(700);
  const lines = notAboutVotes(target.logLines());
  expect(lines.reduce((sum, { refused = 0 }) => sum + refused, 0)).toBe(SENDERS);
  // In each of the few intervals: a line for each cause that an operator can act on, and a summary.
  expect(lines.length).toBeLessThan(20);
  expect(messagesOf(lines, 'v1-bad-block')[0]).toEqual(naming(/public key/, '`teller keys`'));
  expect(messagesOf(lines, 'v2-signature')[0]).toEqual(naming(/token/, '`teller keys`'));
  await expectServed(target);
});
