import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { configFolder, lookInto } from '../support/config-folder.ts';
import { compiled, startTeller } from '../support/processes.ts';
import { VotifierClient } from '../support/votifier-client.ts';

const PRELOAD = pathToFileURL(compiled(join(import.meta.dirname, '../support/ending-thread.ts'))).href;

/** Sends a vote; the client's answer follows. */
async function sent(port: number, username: string): Promise<VotifierClient> {
  const client = await VotifierClient.greeted(port);
  client.write(await client.frame({ username, timestamp: String(Date.now()) }));
  return client;
}

test('when the ledger’s thread ends by itself, the sender of the vote in flight gets an error, the process ends with thread-ended, and no answered vote is lost', async () => {
  const { folder, config, ledger } = configFolder();
  const preloading = ['env', `NODE_OPTIONS=--import ${PRELOAD}`];
  const running = await startTeller(['run', '--config', config], folder, preloading);
  const { port } = running.ready.listener;
  const answered = await sent(port, 'Steve');
  await expect.poll(() => answered.answer).toContain('"ok"');
  const inFlight = await sent(port, 'Doomed');
  await expect.poll(() => inFlight.answer).toContain('"error"');
  await running.ended();
  expect(running.process.exitCode).toBe(1);
  expect(running.log()).toContain('[thread-ended]');
  const votes = await lookInto(ledger).votes({ limit: 9 });
  expect(votes.map(({ player }) => player)).toEqual(['Steve']);
});
