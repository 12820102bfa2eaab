import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configFolder, lookInto } from '../support/config-folder.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { CLI, compiled, startTeller, teller } from '../support/processes.ts';
import { arrival } from '../support/votes.ts';

test('a command exits silently when the reader of its output is gone', async () => {
  const { folder, config } = configFolder({ ledger: 'teller.db' });
  const { ledger } = freshLedger(join(folder, 'teller.db'));
  const votes = Array.from({ length: 5_000 }, (_, number) => arrival({ player: `P${number}` }));
  await record(ledger, votes, rulesFor());
  const words = ['votes', '--json', '--limit', '5000', '--config', config];
  const child = spawn(process.execPath, [compiled(CLI), ...words]);
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdout.once('readable', () => {
    child.stdout.read(20);
    child.stdout.destroy();
  });
  const [code] = await once(child, 'close');
  expect(err).toBe('');
  expect(code).toBe(0);
});

test('`run` keeps running when the reader of its log is gone', async () => {
  const { folder, config } = configFolder({ ledger: 'teller.db' });
  const running = await startTeller(['run', '--config', config], folder);
  running.process.stderr?.destroy();
  const send = (player: string) =>
    teller(
      ['send', '--config', config, '--port', String(running.ready.listener.port), '--player', player],
      folder,
    );
  // Each vote is a line of the log, and the second comes after the first has failed.
  for (const player of ['Steve', 'Alex', 'Zombie']) expect((await send(player)).code).toBe(0);
  expect(await lookInto(join(folder, 'teller.db')).votes({ limit: 9 })).toHaveLength(3);
  expect(await running.stop()).toBe(0);
});
