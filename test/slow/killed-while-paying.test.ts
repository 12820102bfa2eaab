import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GrantState } from '../../src/core/settlement.ts';
import type { PracticeServer } from '../../src/practice/server.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { lookInto } from '../support/config-folder.ts';
import type { KillPoint, Told } from '../support/dying-payer.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PLAIN_REWARD } from '../support/plain-reward.ts';
import { compiled } from '../support/processes.ts';
import { PASSWORD, practice } from '../support/rcon.ts';

const PAYER = join(import.meta.dirname, '../support/dying-payer.ts');

/** Runs the payer until it ends. @returns whether it was killed. */
async function pay(told: Omit<Told, 'password'>): Promise<boolean> {
  const child = spawn(process.execPath, [compiled(PAYER), JSON.stringify({ ...told, password: PASSWORD })], {
    stdio: 'inherit',
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal === null && code !== 0) throw new Error(`the payer exited with ${code}`);
  return signal === 'SIGKILL';
}

const COMMANDS = ['give {player} diamond 1', 'give {player} emerald 2'];
const SENT = ['give Steve diamond 1', 'give Steve emerald 2'];
const ONLINE = { ...PLAIN_REWARD, name: 'daily', when: 'online', commands: COMMANDS } satisfies Reward;

const ranOn = (server: PracticeServer): string[] =>
  server
    .commands()
    .map(({ command }) => command)
    .filter((command) => /^(give|say)/.test(command));

const grantIn = async (file: string) => (await lookInto(file).grants({ limit: 9 }))[0];

const points = (at: KillPoint['at'], ...counts: number[]): KillPoint[] =>
  counts.flatMap((count) => (['before', 'after'] as const).map((when) => ({ at, count, when })));

describe('a grant for the game server that the player is on, after kill -9', () => {
  const ROAMING: Reward = { ...ONLINE, servers: ['sky', 'survival'], whereOnline: true };

  // The second command may be claimed in the commit that settles the first.
  test.each([...points('claim', 1), ...points('run', 1, 2), ...points('settle', 1, 2)])(
    'is paid on one game server, or held there: %j',
    async (kill) => {
      const [sky, survival] = [await practice(), await practice()];
      for (const server of [sky, survival]) server.join('Steve');
      const gameServers = { sky: sky.port, survival: survival.port };
      const told = { ledger: join(temporaryFolder(), 'teller.db'), gameServers, reward: ROAMING };
      expect(await pay({ ...told, kill })).toBe(true);
      const [first, other] = ranOn(survival).length > 0 ? [survival, sky] : [sky, survival];
      const ranBefore = ranOn(first);
      // If it was taken, its player is only on the other game server now.
      if (ranBefore.length > 0) first.leave('Steve');
      expect(await pay({ ...told, kill: null })).toBe(false);
      const grant = await grantIn(told.ledger);
      if (ranBefore.length > 0) expect(ranOn(other)).toEqual([]);
      if (ranBefore.length > 0) expect(grant?.server).toBe(first === sky ? 'sky' : 'survival');
      const ran = [...ranOn(first), ...ranOn(other)];
      const outcomes = grant?.commands.map(({ outcome }) => outcome);
      const expected: Partial<Record<GrantState, readonly unknown[]>> = {
        delivered: [['delivered', 'delivered'], SENT],
        held: [expect.arrayContaining(['unknown']), SENT.slice(0, ran.length)],
        // Its second command waits for the player on the game server that ran the first.
        waiting: [['delivered', null], SENT.slice(0, 1)],
      };
      expect([outcomes, ran]).toEqual(expected[grant?.state ?? 'cancelled']);
    },
  );
});
