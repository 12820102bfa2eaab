import { isoTime } from '../core/instant.ts';
import type { BalanceDifference, BalanceWhat } from '../ledger/ledger.ts';
import type { BalancesReport, NotKept } from '../operator/import-balances.ts';

/** For scripts; times are ISO 8601. */
export const balancesJson = ({ asOf, ...report }: BalancesReport) => ({ ...report, asOf: isoTime(asOf) });

/** What each figure of a balance is called. */
export const BALANCE_WORDS: Readonly<Record<BalanceWhat, string>> = {
  total: 'votes in all',
  day: 'votes that day',
  week: 'votes that week',
  month: 'votes that month',
  run: 'days in a row',
  'best-run': 'days in a row at most',
};

export function balancesLines(report: BalancesReport): readonly string[] {
  const { source, asOf, players, stored, same, passed, faulty, faults } = report;
  return [
    `players of ${source}, as of ${isoTime(asOf)}: ${players}, of which imported: ${stored}, the same as before: ${same}`,
    ...lastVoteLines(report),
    ...(report.owed === 0
      ? []
      : [
          `owed by the plugin, so held as grants: ${report.owed}; \`teller grants pay --imported ${source}\` pays all of them, \`teller grants cancel --imported ${source}\` none`,
        ]),
    ...(passed === 0
      ? []
      : [
          `reached elsewhere, so not paid here: ${passed} times a reward, as \`teller players show NAME\` lists`,
        ]),
    ...differenceLines(report),
    ...notKeptLines(report.notKept),
    ...(faulty === 0 ? [] : [`not imported: ${faulty === 1 ? '1 entry' : `${faulty} entries`}`]),
    ...faults.map(({ file, key, why }) => `  ${file}: ${key} ${why}`),
    ...more(faulty, faults),
  ];
}

function lastVoteLines({ lastVotes }: BalancesReport): readonly string[] {
  const { counted, uncounted, same, receivedHere } = lastVotes;
  return counted + uncounted + same + receivedHere === 0
    ? []
    : [
        `last votes on a site: ${counted + uncounted} imported, ${same} in the ledger already, ${receivedHere} cast when Teller received votes of their service`,
      ];
}

function differenceLines({ differing, differences }: BalancesReport): readonly string[] {
  if (differing === 0) return [];
  const isKept = differences.some(({ isReplaced }) => !isReplaced);
  const rest = isKept ? '; --replace takes the new values' : '';
  return [
    `other values than in an earlier import: ${differing}${rest}`,
    ...differences.map(differenceLine),
    ...more(differing, differences),
  ];
}

const differenceLine = ({ player, what, was, is, isReplaced }: BalanceDifference): string =>
  `  ${player}: ${was} ${BALANCE_WORDS[what]} before, now ${is}${isReplaced ? ', replaced' : ''}`;

const notKeptLines = ({ weekRuns, monthRuns, undatedRuns, owedRewards }: NotKept): readonly string[] => [
  ...(weekRuns + monthRuns === 0
    ? []
    : [
        `not kept: weeks in a row (players: ${weekRuns}) and months in a row (players: ${monthRuns}), which Teller works out from days`,
      ]),
  ...(undatedRuns === 0 ? [] : [`not kept: days in a row without their last day (players: ${undatedRuns})`]),
  ...(owedRewards === 0
    ? []
    : [
        `not kept: rewards that the plugin owes (${owedRewards}), because their commands are not known, or --server does not name the game server`,
      ]),
];

const more = (all: number, shown: readonly unknown[]): readonly string[] =>
  all > shown.length ? [`  and ${all - shown.length} more`] : [];
