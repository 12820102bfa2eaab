import { type Finding, problem } from '../../core/finding.ts';
import { notRunningSentence, TO_START, uptimeOf } from '../downtimes.ts';
import { checkRunningConfig } from './running-config.ts';
import type { Subject } from './subject.ts';

/** Whether a Teller runs, once one has ever run here, and whether with this config. */
export const checkRunning = async (subject: Subject): Promise<readonly Finding[]> => [
  ...(await notRunning(subject)),
  ...(await checkRunningConfig(subject)),
];

async function notRunning({ ledger, clock, isRunning }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const sentence = notRunningSentence(await uptimeOf(ledger, clock, isRunning));
  return sentence === null ? [] : [problem('not-running', sentence, TO_START)];
}
