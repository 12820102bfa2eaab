import { spawnSync } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { configFolder, lookInto } from '../../support/config-folder.ts';
import { startTeller, teller } from '../../support/processes.ts';
import { VotifierClient } from '../../support/votifier-client.ts';

const LIMIT = ['prlimit', '--nofile=224'];
const hasLimit = spawnSync('prlimit', ['--version']).status === 0;

describe.skipIf(!hasLimit)('a process that may have 224 files open', () => {
  test('accepts genuine votes while 300 idle connections are opened, and logs files-few', async () => {
    const { folder, config, ledger } = configFolder({ rewards: [] });
    const running = await startTeller(['run', '--config', config], folder, LIMIT);
    const { port } = running.ready.listener;
    await Promise.all(
      Array.from({ length: 300 }, (_, n) => VotifierClient.open(port, `127.64.0.${(n % 20) + 1}`)),
    );
    const answers: string[] = [];
    for (let n = 0; n < 30; n++) {
      const client = await VotifierClient.greeted(port, '127.65.0.1');
      client.write(await client.frame({ username: `Voter_${n}` }));
      answers.push(await client.untilClosed());
    }
    expect(answers).toEqual(Array(30).fill('{"status":"ok"}\r\n'));
    expect(await lookInto(ledger).votes({ limit: 100 })).toHaveLength(30);
    expect(running.log()).toContain('"code":"files-few"');
  });

  test('is reported by `teller check`, which reads the limit of the running process', async () => {
    const { folder, config } = configFolder({ rewards: [] });
    const running = await startTeller(['run', '--config', config], folder, LIMIT);
    onTestFinished(() => running.kill());
    const findings = async () =>
      JSON.parse((await teller(['check', '--offline', '--json', '--config', config], folder)).out);
    expect(await findings()).toContainEqual(expect.objectContaining({ code: 'files-few', mark: 'warning' }));
    await running.stop();
    expect(await findings()).toContainEqual(expect.objectContaining({ code: 'files', mark: 'ok' }));
  });
});
