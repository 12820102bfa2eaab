import type { Finding } from '../../core/finding.ts';
import { checkAlarms } from './alarms.ts';
import { checkChannels } from './channels.ts';
import { checkClock } from './clock.ts';
import { checkCounts } from './counts.ts';
import { checkEvents } from './events.ts';
import { checkForwards } from './forwards.ts';
import { checkGrants } from './grants.ts';
import { checkPracticeVotes } from './practice-votes.ts';
import { checkOpenFiles } from './open-files.ts';
import { checkPauses } from './pauses.ts';
import { checkPay } from './pay.ts';
import { checkReplies } from './replies.ts';
import { checkRewards } from './rewards.ts';
import { checkKeys, checkOwnFiles, checkTokens } from './secrets.ts';
import { checkSharedWindows } from './shared-windows.ts';
import { checkSites } from './sites.ts';
import { checkDisk, checkLedger } from './storage.ts';
import type { Step, Subject } from './subject.ts';
import { checkTimeZone } from './time-zone.ts';

/** What is seen in another way from outside than in the running Teller itself, which knows it already. */
export interface Views {
  /** Whether what runs is what the file says. */
  readonly running: Step;
  readonly ports: Step;
  readonly gameServers: Step;
  readonly apis: Step;
}

/** The checks that run once the config can be read, in the order of the report. */
const stepsWith = ({ running, ports, gameServers, apis }: Views): readonly Step[] => [
  running,
  checkOwnFiles,
  checkTokens,
  checkKeys,
  ports,
  checkClock,
  checkTimeZone,
  checkOpenFiles,
  checkDisk,
  checkLedger,
  checkCounts,
  gameServers,
  checkReplies,
  checkPay,
  checkForwards,
  checkPauses,
  checkAlarms,
  checkEvents,
  checkGrants,
  checkPracticeVotes,
  checkRewards,
  checkChannels,
  apis,
  checkSites,
  checkSharedWindows,
];

/** One after another, so that a large ledger is not asked everything at once. */
export async function findingsOf(subject: Subject, views: Views): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const step of stepsWith(views)) found.push(...(await step(subject)));
  return found;
}
