import { cpSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { slowSyncIn } from '../bench/processes.ts';
import { type CrashReport, crashRun } from '../crash/crash-run.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Of `npm run test:crash`; otherwise six kills, always the same. */
const { kills, seed, fsyncMs, isShown } =
  process.env.CRASH === undefined
    ? { kills: 6, seed: 40, fsyncMs: 0, isShown: false }
    : { ...JSON.parse(process.env.CRASH), isShown: true };
const SHOWN_OF_A_KIND = 10;

const say = (line: string): void => void (isShown && process.stdout.write(`${line}\n`));

test('Teller keeps its promises when it is killed again and again while votes arrive on all channels, players move and the operator adds sites', {
  timeout: 180_000 + kills * 30_000,
}, async () => {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  mkdirSync(home);
  const startedAt = performance.now();
  let reportedAt = 0;
  const report = await crashRun({
    ...{ folder: home, kills, seed, within: slowed(folder) },
    onProgress: (killed, votes) => {
      if (killed % 20 === 0 && killed > reportedAt) say(`${killed} kills, ${votes} votes`);
      reportedAt = killed;
    },
  });
  const { broken, ...figures } = report;
  for (const [name, value] of Object.entries(figures)) say(`${name}: ${JSON.stringify(value)}`);
  say(`${Math.round((performance.now() - startedAt) / 1000)} s`);
  for (const promise of someOfEachKind(broken)) say(`BROKEN: ${promise}`);
  say(broken.length === 0 ? 'every promise was kept' : `${broken.length} promises were broken`);
  if (broken.length > 0 && isShown) {
    const evidence = join(tmpdir(), `teller-crash-${seed}`);
    cpSync(home, evidence, { recursive: true, filter: (from) => !from.endsWith('.sock') });
    say(`config and ledger are kept in ${evidence}`);
  }
  expect(broken.slice(0, SHOWN_OF_A_KIND)).toEqual([]);
  if (!isShown) expectMuch(report);
});

/** A run in which nothing happened would also keep every promise. */
function expectMuch(report: CrashReport): void {
  const { answered, repeats, commandsRun, decisions, happenings, endings, byChannel } = report;
  expect(report.kills).toBe(6);
  for (const [ending, times] of Object.entries(endings)) expect(times, ending).toBeGreaterThan(0);
  for (const [channel, times] of Object.entries(byChannel)) expect(times, channel).toBeGreaterThan(0);
  const { announced, 'won places': won, 'paid on sky': onSky, 'paid for being online': online } = happenings;
  const { rewarded, cooldown } = decisions;
  for (const figure of [answered, repeats, commandsRun, won, onSky, announced, online, rewarded, cooldown])
    expect(figure).toBeGreaterThan(0);
}

/** A prefix that makes every fsync of a command take longer. */
function slowed(folder: string): readonly string[] {
  if (fsyncMs === 0) return [];
  const slow = slowSyncIn(folder);
  if (typeof slow === 'string') throw new Error(`--fsync is not possible: ${slow}`);
  return ['env', ...Object.entries(slow(fsyncMs)).map(([name, value]) => `${name}=${value}`)];
}

/** A kind with many must not hide the others. */
function someOfEachKind(promises: readonly string[]): readonly string[] {
  const kindOf = (promise: string): string => promise.replace(/:.*/s, '');
  return [...new Set(promises.map(kindOf))].flatMap((kind) => {
    const own = promises.filter((promise) => kindOf(promise) === kind);
    const others = own.length - SHOWN_OF_A_KIND;
    return [...own.slice(0, SHOWN_OF_A_KIND), ...(others > 0 ? [`${kind}: and ${others} more`] : [])];
  });
}
