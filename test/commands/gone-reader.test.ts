import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { desk } from '../kit/place.ts';
import { sendV2 } from '../kit/vote.ts';
import { CLI, compiled, startTeller } from '../support/processes.ts';

test('a command exits silently when the reader of its output is gone', async () => {
  const { folder, config, run } = desk();
  const lines = Array.from({ length: 2_000 }, (_, n) => `P${n},List,2026-05-30T12:00:00Z\n`);
  writeFileSync(join(folder, 'votes.csv'), `player,service,time\n${lines.join('')}`);
  expect((await run('import', 'votes', join(folder, 'votes.csv'))).exit).toBe(0);
  const words = ['votes', '--json', '--limit', '2000', '--config', config];
  const child = spawn(process.execPath, [compiled(CLI), ...words]);
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdout.once('readable', () => {
    child.stdout.read(20);
    child.stdout.destroy();
  });
  const [code] = await once(child, 'close');
  expect([err, code]).toEqual(['', 0]);
});

test('`run` keeps running when the reader of its log is gone', async () => {
  const { folder, config, run } = desk();
  const running = await startTeller(['run', '--config', config], folder);
  running.process.stderr?.destroy();
  // Each vote is a line of the log, and the second comes after the first has failed.
  for (const player of ['Steve', 'Alex', 'Zombie'])
    expect(await sendV2(running.ready.listener.port, { player })).toBe('ok');
  expect((await run('votes', '--json')).json).toHaveLength(3);
  expect(await running.stop()).toBe(0);
});
