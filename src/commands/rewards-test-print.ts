import { isoTime } from '../core/instant.ts';
import type { Row } from '../operator/simulation/compare.ts';
import type { ExampleResult, Mismatch, RunCommand } from '../operator/simulation/run-examples.ts';
import type { SimulatedVote } from '../operator/simulation/simulate.ts';
import type { Terminal } from '../platform/terminal.ts';
import { explainRewards } from '../rewards/words.ts';

const INDENT = '          ';

/** How many lines that are the same are shown before and after a difference. */
const AROUND = 2;

export function printExample(terminal: Terminal, { example, mismatches }: ExampleResult): void {
  if (mismatches.length === 0) {
    terminal.out(`  passed  ${example.name}`);
    return;
  }
  terminal.out(`  FAILED  ${example.name} (line ${example.line})`);
  for (const mismatch of mismatches) printMismatch(terminal, mismatch, example.only.reward);
}

function printMismatch(
  terminal: Terminal,
  { entry, rows, vote }: Mismatch,
  about: readonly string[] | undefined,
): void {
  const near = nearDifferences(rows);
  const width = Math.max(...rows.map(({ text }, at) => (near.has(at) ? text.length : 0)));
  const subject = entry === null ? 'all votes' : `votes[${entry}]`;
  terminal.out(`${INDENT}${subject}: - was expected, + was run`);
  rows.forEach((row, at) => {
    if (near.has(at)) terminal.out(`${INDENT}${lineOf(row, width)}`);
    else if (at === 0 || near.has(at - 1)) terminal.out(`${INDENT}  …`);
  });
  if (vote !== null) for (const line of whyLines(vote, about)) terminal.out(`${INDENT}${line}`);
}

/** The places of the differences and of the lines around them. */
function nearDifferences(rows: readonly Row<unknown>[]): ReadonlySet<number> {
  const around = Array.from({ length: 2 * AROUND + 1 }, (_, at) => at - AROUND);
  return new Set(rows.flatMap(({ kind }, at) => (kind === 'same' ? [] : around.map((by) => at + by))));
}

const SIGNS: Readonly<Record<Row<unknown>['kind'], string>> = { same: ' ', missing: '-', extra: '+' };

function lineOf({ kind, text, item }: Row<RunCommand>, width: number): string {
  const why = kind === 'extra' && item !== null ? `  ${causeOf(item)}` : '';
  return `${SIGNS[kind]} ${why === '' ? text : text.padEnd(width)}${why}`;
}

function causeOf({ reward, occasion, player, site, castAt }: RunCommand): string {
  const granted = occasion === '' ? reward : `${reward} for ${occasion}`;
  const who = [...(player === null ? [] : [player]), ...(site === null ? [] : [`on ${site}`])].join(' ');
  return `(${granted}: ${who === '' ? '' : `${who}, `}${isoTime(castAt)})`;
}

/** Why the vote did not earn a reward. @param about the rewards that the example is about; undefined: all. */
function whyLines(
  { decision, reasons }: SimulatedVote,
  about: readonly string[] | undefined,
): readonly string[] {
  if (decision === 'same') return ['the same vote was cast before, so it was not recorded again'];
  const lost = explainRewards(reasons).filter(
    ({ reward, granted }) => !granted && (about?.includes(reward) ?? true),
  );
  return [
    ...(decision === 'rewarded' ? [] : [`the vote was not rewarded: ${decision}`]),
    ...lost.map(({ reward, sentence }) => `${reward}: ${sentence}`),
  ];
}

export const exampleJson = (file: string, { example, mismatches }: ExampleResult) => ({
  file,
  line: example.line,
  example: example.name,
  passed: mismatches.length === 0,
  mismatches: mismatches.map(({ entry, rows }) => ({
    votes: entry,
    rows: rows.map(({ kind, text, item }) => ({
      kind,
      command: text,
      reward: item?.reward ?? null,
      occasion: item?.occasion ?? null,
      server: item?.server ?? null,
      player: item?.player ?? null,
      site: item?.site ?? null,
      castAt: item === null ? null : isoTime(item.castAt),
    })),
  })),
});
