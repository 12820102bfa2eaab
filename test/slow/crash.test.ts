import { expect, test } from 'vitest';
import { crashRun } from '../crash/crash-run.ts';
import { temporaryFolder } from '../support/folder.ts';
import { CLI, compiled } from '../support/processes.ts';

/** `npm run test:crash` does the same with 200 kills and a random seed. */
test('Teller keeps its promises when it is killed six times while votes arrive on all channels, players move and the operator adds sites', {
  timeout: 180_000,
}, async () => {
  const command = [process.execPath, compiled(CLI)];
  const report = await crashRun({ command, cli: command, folder: temporaryFolder(), kills: 6, seed: 40 });
  expect(report.broken).toEqual([]);
  expect(report.kills).toBe(6);
  // A run in which nothing happened would also keep every promise.
  for (const [ending, times] of Object.entries(report.endings)) expect(times, ending).toBeGreaterThan(0);
  for (const [channel, times] of Object.entries(report.byChannel)) expect(times, channel).toBeGreaterThan(0);
  const { answered, repeats, commandsRun, decisions, happenings } = report;
  const happened = [happenings['won places'], happenings['paid on sky'], happenings.announced];
  const { 'paid for being online': online } = happenings;
  for (const figure of [answered, repeats, commandsRun, ...happened, online])
    expect(figure).toBeGreaterThan(0);
  expect(decisions.rewarded).toBeGreaterThan(0);
  expect(decisions.cooldown).toBeGreaterThan(0);
});
