import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { examineText } from '../../../src/config/load.ts';
import { wrongCountsOf } from '../../../src/ledger/deep-check.ts';
import { chosenWrites } from '../../kit/each-write.ts';
import { lookInto } from '../../support/config-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compiled, type Finished, teller } from '../../support/processes.ts';

const PRELOAD = pathToFileURL(compiled(join(import.meta.dirname, '../../kit/dies-at.ts'))).href;
/** So many processes run at one time. */
const AT_ONCE = 2;

/** Where a command is typed, and what it is to bring about besides the files and the ledger. */
export interface Place {
  readonly folder: string;
  readonly more?: () => Promise<unknown>;
}

/** A command of the guide that writes. */
export interface Typed {
  /** After `teller`. */
  readonly words: readonly string[];
  /** A new folder in which all was done that comes before. */
  readonly prepare: () => Promise<Place>;
  /** Its exit code; 0 by default. */
  readonly code?: number;
  /** Its exit code if all of it was done before; by default the same. */
  readonly again?: number;
}

/** Runs a command that dies at its n-th write; 0: it lives. @returns its writes too if it lives. */
async function run(
  { words }: Typed,
  { folder }: Place,
  diesAt: number,
): Promise<Finished & { writes: number }> {
  const count = join(temporaryFolder(), 'writes');
  const within = ['env', `NODE_OPTIONS=--import ${PRELOAD}`, `DIES_AT=${diesAt}`, `WRITES=${count}`];
  const finished = await teller(words, folder, within);
  return { ...finished, writes: existsSync(count) ? statSync(count).size : 0 };
}

/**
 * Kills a command at its writes (see `chosenWrites`), and types it again: every time, what it brings about is the same as without a kill, the
 * config can be read, and what holds secrets is the owner's alone.
 *
 * @returns how often it was killed.
 */
export async function killAtEachWrite(typed: Typed): Promise<number> {
  const whole = await typed.prepare();
  const { writes, ...first } = await run(typed, whole, 0);
  const done = typed.code ?? 0;
  const again = typed.again ?? done;
  expect(first).toMatchObject({ code: done });
  const expected = await stateOf(whole);
  const { code } = await run(typed, whole, 0);
  expect([code, await stateOf(whole)]).toEqual([again, expected]);

  const left = chosenWrites(writes);
  const work = async (): Promise<void> => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) {
      const place = await typed.prepare();
      expect((await run(typed, place, at)).code, `killed at write ${at}`).toBeNull();
      await expectReadable(place);
      const { code: exit, err } = await run(typed, place, 0);
      expect([done, again], `typed again after write ${at}: ${err}`).toContain(exit);
      expect(await stateOf(place), `after a kill at write ${at}`).toEqual(expected);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return writes;
}

/** Files next to those that they replace: what a kill leaves behind, and copies that are kept. */
const isLeftOver = (file: string): boolean => /\.(draft|old)$|\.\d{4}-\d\d-\d\dT/.test(file);
const isSecret = (file: string): boolean => /^data\/(secrets\/|keys\/private)/.test(file);

const filesIn = (folder: string): string[] =>
  ['', 'data/keys', 'data/secrets'].flatMap((below) => {
    const at = join(folder, below);
    return existsSync(at)
      ? readdirSync(at, { withFileTypes: true }).flatMap((each) =>
          each.isFile() ? [join(below, each.name)] : [],
        )
      : [];
  });

async function expectReadable({ folder }: Place): Promise<void> {
  const config = join(folder, 'config.json');
  if (existsSync(config))
    expect((await examineText(readFileSync(config, 'utf8'), config)).faults).toEqual([]);
  const open = filesIn(folder).filter(
    (file) => isSecret(file) && (statSync(join(folder, file)).mode & 0o077) !== 0,
  );
  expect(open, 'secrets that others can read').toEqual([]);
}

async function stateOf({ folder, more }: Place): Promise<object> {
  // First, because a running Teller may still be paying.
  const told = await more?.();
  const files = filesIn(folder).filter((file) => !isLeftOver(file));
  return {
    files: Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')])),
    ledger: await ledgerIn(join(folder, 'data/teller.db')),
    more: told,
  };
}

async function ledgerIn(file: string): Promise<object | null> {
  if (!existsSync(file)) return null;
  const ledger = lookInto(file);
  const votes = await ledger.votes({ limit: 99 });
  const names = new Set(votes.flatMap(({ player }) => player ?? []));
  const players = await Promise.all([...names, 'Steve', 'Alex'].map((name) => ledger.players(name as never)));
  const grants = await ledger.grants({ limit: 99 });
  return {
    votes: votes.map(({ player, service, decision }) => [player, service, decision]).toSorted(),
    grants: grants.map(({ state, commands }) => [state, commands.map(({ command }) => command)]).toSorted(),
    players: players
      .flat()
      .map(({ paidAs, votes: total, passed, balances }) => [paidAs, total, passed.length, balances.length])
      .toSorted(),
    wrong: await wrongCountsOf(ledger),
  };
}
