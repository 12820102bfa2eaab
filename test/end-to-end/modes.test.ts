import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createFirstConfig } from '../../src/config/first-start.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openToOthersIn } from '../support/modes.ts';
import { type Running, startTeller, type TellerReady } from '../support/processes.ts';

const REWARDS = [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }];

async function vote({ ready }: Running<TellerReady>): Promise<string> {
  const wire = { serviceName: 'List', username: 'Alex', address: '192.0.2.1', timestamp: String(Date.now()) };
  const auth = { version: 'v2', token: TOKEN } as const;
  return (await sendVote(wire, { ...ready.listener, auth }, { clock: systemClock })).kind;
}

test.skipIf(process.platform === 'win32')(
  'other users have no right to what Teller makes, except config, schema and public key, also when the -wal is made again',
  { timeout: 60_000 },
  async () => {
    const folder = temporaryFolder();
    const { file } = await createFirstConfig(folder, systemRandom);
    writeConfig(file, { rewards: REWARDS });
    const ledger = path.join(folder, 'data/teller.db');
    for (const _ of [1, 2]) {
      const running = await startTeller(['run', '--config', file], folder);
      expect(await vote(running)).toBe('accepted');
      await expect.poll(() => existsSync(`${ledger}.mark`)).toBe(true);
      expect(['-wal', '-shm', '.lock'].filter((end) => !existsSync(ledger + end))).toEqual([]);
      expect(openToOthersIn(folder)).toEqual(['config.json', 'config.schema.json', 'data/keys/public.key']);
      await running.stop();
      expect(existsSync(`${ledger}-wal`)).toBe(false);
    }
  },
);

test.skipIf(process.platform === 'win32')(
  'nor to the database of the listing service and the passwords of its sample accounts',
  { timeout: 60_000 },
  async () => {
    const folder = temporaryFolder();
    await startTeller(['loop', '--port', '0', '--listener-port', '0', '--console-port', '0'], folder);
    expect(readdirSync(path.join(folder, 'data/loop/data'))).toContain('listing.db-wal');
    const made = ['config.json', 'config.schema.json', 'data/keys/public.key'];
    expect(openToOthersIn(path.join(folder, 'data/loop'))).toEqual(made);
  },
);
