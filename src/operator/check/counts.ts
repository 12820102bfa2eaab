import { type Finding, ok, warning } from '../../core/finding.ts';
import { wrongCountsOf } from '../../ledger/deep-check.ts';
import type { Subject } from './subject.ts';

/** Compares the counts that rewards depend on with the votes, and counts again where they differ (rule 14). */
export async function checkCounts(subject: Subject): Promise<readonly Finding[]> {
  const { ledger, deep } = subject;
  if (ledger === null || deep === null || (await ledger.missing()) !== null) return [];
  const wrong = await wrongCountsOf(ledger, deep.onPart);
  const { recipients, network, parties } = wrong;
  if (recipients.length === 0 && !network && parties.length === 0) {
    return [ok('counts', 'totals, streaks and parties are those of the votes')];
  }
  await deep.recount(subject.config.ledger, wrong);
  const of = [
    ...(recipients.length > 0 ? [`${recipients.length} player${recipients.length === 1 ? '' : 's'}`] : []),
    ...(network ? ['the network'] : []),
    ...(parties.length > 0 ? [`${parties.length} part${parties.length === 1 ? 'y' : 'ies'}`] : []),
  ].join(' and of ');
  const sentence = `the stored counts of ${of} were not those of the votes, and were counted again`;
  return [
    warning('counts-rebuilt', sentence, 'report it: rewards for totals or streaks may have been missed'),
  ];
}
