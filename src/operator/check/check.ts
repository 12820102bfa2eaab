import type { Config } from '../../config/config.ts';
import type { ConfigFault } from '../../config/fault.ts';
import { type Examination, examineConfig, readConfigText } from '../../config/load.ts';
import { type Finding, problem, warning } from '../../core/finding.ts';
import { Problem } from '../../core/problem.ts';
import { isLockHeld, lockFileOf } from '../../db/lock.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { runningTeller, withFlags } from '../config-in-use.ts';
import { controlFolder } from '../control/place.ts';
import { notRunningSentence, TO_START, uptimeOf } from '../downtimes.ts';
import { ledgerClock } from '../practice-clock.ts';
import { checkApis } from './apis.ts';
import { checkConfig, secretNotHere } from './config.ts';
import { checkGameServers } from './game-servers.ts';
import { checkPorts } from './port.ts';
import { checkRunningConfig } from './running-config.ts';
import { findingsOf } from './steps.ts';
import type { Subject } from './subject.ts';

export interface CheckParts extends Pick<Subject, 'clock' | 'random' | 'isOffline' | 'deep'> {
  readonly openLedger: (file: string) => Promise<Ledger>;
}

export interface CheckResult {
  readonly findings: readonly Finding[];
  /** Whether `teller run` would start with this config, given the environment variables that it names. */
  readonly isConfigUsable: boolean;
}

/** A running Teller is another process. */
const OUTSIDE = {
  running: checkRunning,
  ports: checkPorts,
  gameServers: checkGameServers,
  apis: checkApis,
};

/** Looks for everything that an operator can get wrong. Changes nothing but wrong counts, and those only in a deep check. */
export async function check(file: string, parts: CheckParts): Promise<CheckResult> {
  const examined = await examine(file);
  if (examined instanceof Problem) {
    return { findings: [problem(examined.code, examined.message)], isConfigUsable: false };
  }
  const { config, configText } = examined;
  const isElsewhere = ({ variable }: ConfigFault): boolean => variable !== undefined;
  const faults = [...examined.faults, ...examined.missingSecrets.filter((fault) => !isElsewhere(fault))];
  const notHere = examined.missingSecrets.filter(isElsewhere);
  const aboutConfig = [...checkConfig(file, config, faults), ...notHere.map(secretNotHere)];
  const rest = config === null ? [] : await checkRest(config, configText, parts);
  return { findings: [...aboutConfig, ...rest], isConfigUsable: faults.length === 0 };
}

async function examine(file: string): Promise<(Examination & { readonly configText: string }) | Problem> {
  try {
    return { ...(await examineConfig(file)), configText: await readConfigText(file) };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

async function checkRest(
  written: Config,
  configText: string,
  parts: CheckParts,
): Promise<readonly Finding[]> {
  const teller = await runningTeller(written.file, [written.ledger], parts.clock);
  const config = await withFlags(written, teller);
  const clock = teller?.clock ?? ledgerClock(config, parts.clock);
  const { isRunning, findings: ofLock } = running(config.ledger);
  const { ledger, findings } = await opened(config.ledger, isRunning, parts);
  try {
    const subject: Subject = {
      ...{ ...parts, config, configText, ledger, isRunning, clock },
      controlFolder: controlFolder(config.ledger),
    };
    return [...findings, ...ofLock, ...(await findingsOf(subject, OUTSIDE))];
  } finally {
    await ledger?.close();
  }
}

async function opened(
  file: string,
  isRunning: boolean,
  { openLedger }: CheckParts,
): Promise<{ ledger: Ledger | null; findings: Finding[] }> {
  try {
    return { ledger: await openLedger(file), findings: [] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ledger: null, findings: [notOpened(error, file, isRunning)] };
  }
}

/** Before the first start there is no ledger, which is not a problem. */
function notOpened({ code, message }: Problem, file: string, isRunning: boolean): Finding {
  if (code !== 'ledger-missing') return problem(code, message);
  if (!isRunning) return warning(code, message);
  const gone = `${file} is gone while Teller is running, and no vote is accepted without it`;
  return problem('ledger-replaced', gone, 'put the file back');
}

/** Whether a running Teller delivers from this ledger. */
function running(ledgerFile: string): { isRunning: boolean; findings: Finding[] } {
  try {
    return { isRunning: isLockHeld(lockFileOf(ledgerFile)), findings: [] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { isRunning: false, findings: [problem(error.code, error.message)] };
  }
}

/** Whether a Teller runs, once one has ever run here, and whether with this config. */
async function checkRunning(subject: Subject): Promise<readonly Finding[]> {
  return [...(await notRunning(subject)), ...(await checkRunningConfig(subject))];
}

async function notRunning({ ledger, clock, isRunning }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const sentence = notRunningSentence(await uptimeOf(ledger, clock, isRunning));
  return sentence === null ? [] : [problem('not-running', sentence, TO_START)];
}
