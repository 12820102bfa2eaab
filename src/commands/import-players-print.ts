import { isoTime } from '../core/instant.ts';
import type { BalanceWhat } from '../ledger/ledger.ts';
import type { BalancesReport } from '../operator/import-balances.ts';

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
  'week-run': 'weeks in a row',
  'month-run': 'months in a row',
};

export function balancesLines(report: BalancesReport): readonly string[] {
  const { source, asOf, players, stored, same, passed, notKept, faulty, faults } = report;
  return [
    `players of ${source}, as of ${isoTime(asOf)}: ${players}, of which imported: ${stored}, the same as before: ${same}`,
    ...lastVoteLines(report),
    ...(passed === 0
      ? []
      : [
          `reached elsewhere, so not paid here: ${passed} times a reward, as \`teller players show NAME\` lists`,
        ]),
    ...differenceLines(report),
    ...(notKept.undatedRuns === 0
      ? []
      : [
          `not kept: days, weeks or months in a row without the time of the last one (players: ${notKept.undatedRuns})`,
        ]),
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
  return [
    `other values than in an earlier import: ${differing}; those of the earlier one stay`,
    ...differences.map(
      ({ player, what, was, is }) => `  ${player}: ${was} ${BALANCE_WORDS[what]} before, now ${is}`,
    ),
    ...more(differing, differences),
  ];
}

const more = (all: number, shown: readonly unknown[]): readonly string[] =>
  all > shown.length ? [`  and ${all - shown.length} more`] : [];
