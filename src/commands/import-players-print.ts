import { isoTime } from '../core/instant.ts';
import type { BalanceDifference, BalanceWhat } from '../ledger/ledger.ts';
import type { BalancesReport, NotKept, PartyReport } from '../operator/import-balances.ts';

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
    ...partyLines(report),
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

function partyLines({ partyVotes, parties }: BalancesReport): readonly string[] {
  if (parties.length > 0) return parties.map((each) => `party ${each.party}: ${partyText(each)}`);
  return partyVotes === null || partyVotes === 0
    ? []
    : [
        `votes towards the plugin's next vote party: ${partyVotes}; --party NAME lets one here go on from there`,
      ];
}

function partyText(report: PartyReport): string {
  switch (report.kind) {
    case 'set':
      return `goes on with ${report.counted} of ${report.every} votes, instead of ${report.was}`;
    case 'same':
      return `has ${report.counted} of ${report.every} votes already`;
    case 'reached-since':
      return 'not changed, because a party was reached here after the plugin counted';
    case 'not-known':
      return 'not changed, because the plugin does not say how many votes have counted for its next one';
    case 'over':
      return 'not changed, because the plugin counted in a period that is over';
  }
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

const notKeptLines = ({ undatedRuns, owedRewards }: NotKept): readonly string[] => [
  ...(undatedRuns === 0
    ? []
    : [
        `not kept: days, weeks or months in a row without the time of the last one (players: ${undatedRuns})`,
      ]),
  ...(owedRewards === 0
    ? []
    : [
        `not kept: rewards that the plugin owes (${owedRewards}), because their commands are not known, or --server does not name the game server`,
      ]),
];

const more = (all: number, shown: readonly unknown[]): readonly string[] =>
  all > shown.length ? [`  and ${all - shown.length} more`] : [];
