import { percent } from '../core/percent.ts';
import { periodName } from '../core/period.ts';
import type { Figures } from '../operator/simulation/month/figures.ts';
import type { JointFigures } from '../operator/simulation/month/joint-figures.ts';
import type { ChoiceFigures, RewardFigures } from '../operator/simulation/month/reward-figures.ts';
import type { Sum } from '../operator/simulation/month/sums.ts';
import type { Terminal } from '../platform/terminal.ts';
import { printTable } from './command.ts';

export interface MonthFigures extends Figures {
  readonly days: number;
  /** The first day, as days since 1970-01-01. */
  readonly from: number;
  readonly seed: number;
  readonly sites: number;
}

/** Of the commands, at most so many are shown. */
const SUMS_SHOWN = 25;

export function printMonth(terminal: Terminal, month: MonthFigures): void {
  const { votes, players, sites, days, from, seed } = month;
  terminal.out(
    `${counted(votes, 'vote')} by ${counted(players, 'player')} on ${counted(sites, 'site')} in ${counted(days, 'day')} from ${periodName('day', from)}, seed ${seed}`,
  );
  terminal.out(rewardedText(month));
  terminal.out('');
  printFigureTables(terminal, month);
}

export const rewardedText = ({ votes, rewarded }: Pick<Figures, 'votes' | 'rewarded'>): string =>
  `${number(rewarded)} were rewarded, ${number(votes - rewarded)} were within a cooldown`;

/** How often each reward, party and top is granted, and what it adds up to. */
export function printFigureTables(terminal: Terminal, { rewards, together, sums }: Figures): void {
  printRewardFigures(terminal, rewards);
  terminal.out('');
  if (together.length > 0) {
    printJointFigures(terminal, together);
    terminal.out('');
  }
  printSums(terminal, sums);
}

/** A bar of this many characters means every rewarded vote. */
const BAR = 20;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A share from 0 to 1; the smallest one can be seen too. */
export function bar(share: number): string {
  const eighths = Math.min(BAR * 8, Math.round(share * BAR * 8));
  const shown = share > 0 ? Math.max(1, eighths) : 0;
  return '█'.repeat(Math.floor(shown / 8)) + (EIGHTHS[shown % 8] ?? '');
}

function printRewardFigures(terminal: Terminal, rewards: readonly RewardFigures[]): void {
  const heading = ['REWARD', 'GRANTS', 'MEDIAN', 'MOST', 'SHARE', 'EXPECTED', ''];
  const rows = rewards.flatMap((each) => [rewardCells(each), ...each.choices.map(choiceCells)]);
  printTable(terminal, rightAligned([heading, ...rows], [1, 2, 3, 4, 5]));
  terminal.out(
    'median and most: grants per player. share: of the rewarded votes; indented: of what was drawn or paid',
  );
}

const rewardCells = ({ reward, grants, median, most, share }: RewardFigures): readonly string[] => [
  ...[reward, number(grants), number(median), number(most), short(share), '', bar(share)],
];

const choiceCells = ({ name, times, share, expected }: ChoiceFigures): readonly string[] => [
  ...[`  ${name}`, number(times), '', '', short(share), expected === null ? '' : short(expected), ''],
];

function printJointFigures(terminal: Terminal, together: readonly JointFigures[]): void {
  const heading = ['TOGETHER', 'REACHED', 'GRANTS', 'MEDIAN', 'MOST', 'SHARE', ''];
  const rows = together.flatMap((each) => [
    jointCells(each),
    ...each.choices.map(({ name, times, share }) => [
      `  ${name}`,
      '',
      number(times),
      '',
      '',
      short(share),
      '',
    ]),
  ]);
  printTable(terminal, rightAligned([heading, ...rows], [1, 2, 3, 4, 5]));
  terminal.out('median and most: grants per player. share: of the players, how many are paid each time');
  for (const { name, assumes } of together) if (assumes !== null) terminal.out(`${name}: ${assumes}`);
}

const jointCells = ({ name, reached, grants, median, most, share }: JointFigures): readonly string[] => [
  ...[name, number(reached), number(grants)],
  ...(median === null || most === null || share === null
    ? ['', '', '', '']
    : [number(median), number(most), short(share), bar(share)]),
];

/** Pads the cells of these columns on the left. */
export function rightAligned(rows: readonly (readonly string[])[], columns: readonly number[]): string[][] {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = new Map(columns.map((column) => [column, widthOf(column)]));
  return rows.map((row) => row.map((cell, column) => cell.padStart(widths.get(column) ?? 0)));
}

function printSums(terminal: Terminal, sums: readonly Sum[]): void {
  terminal.out('What it adds up to:');
  const shown = sums.slice(0, SUMS_SHOWN);
  printTable(
    terminal,
    rightAligned(
      [
        ['AMOUNT', 'RUNS', 'COMMAND'],
        ...shown.map(({ command, runs, amount }) => [
          amount === null ? '' : number(amount),
          number(runs),
          command,
        ]),
      ],
      [0, 1],
    ),
  );
  if (sums.length > shown.length) {
    terminal.out(`and ${counted(sums.length - shown.length, 'other command')}; --json shows all`);
  }
}

export const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });

export const counted = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun}` : `${number(count)} ${noun}s`;

/** Two decimals are enough for a share that was drawn. */
const short = (share: number): string => percent(Number(share.toFixed(4)));

/** One row for the votes, one for each reward, party and top, and one for each kind of command. */
export const monthJson = ({ rewards, together, sums, from, ...facts }: MonthFigures): readonly object[] => [
  { kind: 'votes', ...facts, from: periodName('day', from) },
  ...figureRows({ rewards, together, sums }),
];

export const figureRows = ({
  rewards,
  together,
  sums,
}: Pick<Figures, 'rewards' | 'together' | 'sums'>): readonly object[] => [
  ...rewards.map((each) => ({ kind: 'reward', ...each })),
  ...together,
  ...sums.map((each) => ({ kind: 'command', ...each })),
];
