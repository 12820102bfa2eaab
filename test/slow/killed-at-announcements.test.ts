import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runDying } from '../support/processes.ts';

const ANNOUNCER = join(import.meta.dirname, '../support/dying-announcer.ts');

type When = 'before' | 'after' | 'sending' | 'never';

function scene() {
  const folder = temporaryFolder();
  const [file, sent] = [join(folder, 'teller.db'), join(folder, 'sent')];
  /** Pays what is open. @returns whether it was killed. */
  const pay = (when: When, step = 0): boolean => runDying(ANNOUNCER, [file, sent, when, step]) === null;
  const sentLines = () => (existsSync(sent) ? readFileSync(sent, 'utf8').trim().split('\n') : []);
  const states = async () =>
    (await lookInto(file).grants({ limit: 9 })).map(({ state }) => state).toReversed();
  return { pay, sentLines, states };
}

const PLAYERS = ['Alex', 'Steve', 'Sasha'];
/** Calls that store something, and commands, if nothing is killed. */
const CALLS = 17;
const COMMANDS = 5;

describe('three grants with an announcement each, of which an hour has two', () => {
  test('send this if nothing is killed', async () => {
    const { pay, sentLines, states } = scene();
    expect(pay('never')).toBe(false);
    expect(sentLines()).toEqual([
      ...['give Alex diamond 1', 'say Alex voted', 'give Steve diamond 1', 'say Steve voted'],
      'give Sasha diamond 1',
    ]);
    expect(await states()).toEqual(['delivered', 'delivered', 'delivered']);
  });

  const steps = (when: When, number: number) =>
    Array.from({ length: number }, (_, at) => [when, at + 1] as const);

  test.each([...steps('before', CALLS), ...steps('after', CALLS), ...steps('sending', COMMANDS)])(
    'send nothing twice, hold no announcement and pay everyone if kill -9 comes %s step %i',
    async (when, step) => {
      const { pay, sentLines, states } = scene();
      expect(pay(when, step)).toBe(true);
      expect(pay('never')).toBe(false);
      const lines = sentLines();
      expect(lines.length).toBe(new Set(lines).size);
      const held = (await states()).filter((state) => state === 'held').length;
      const paid = lines.filter((line) => line.startsWith('give')).length;
      // A payment that was claimed is not run again: the operator decides. Nothing else is held.
      expect(held).toBeLessThanOrEqual(1);
      expect(paid).toBeGreaterThanOrEqual(PLAYERS.length - held);
      expect((await states()).every((state) => state === 'delivered' || state === 'held')).toBe(true);
    },
  );
});
