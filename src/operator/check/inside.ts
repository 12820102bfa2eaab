import { toApply } from '../../config/changes.ts';
import type { Config } from '../../config/config.ts';
import { ConfigProblem } from '../../config/fault.ts';
import { readConfigText } from '../../config/load.ts';
import { placeText } from '../../core/address.ts';
import type { Clock } from '../../core/clock.ts';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';
import { Problem } from '../../core/problem.ts';
import type { Random } from '../../core/random.ts';
import { shownService } from '../../core/service-name.ts';
import type { ServedGameServer } from '../../delivery/queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ListeningAddress } from '../../platform/listen.ts';
import type { RecoveryStatus } from '../../votes/catch-up.ts';
import type { Comparison } from '../control/comparison.ts';
import type { Control } from '../control/control.ts';
import type { GameServerWatch } from '../now/game-server-watch.ts';
import { answers, apisIn, checkTls, unusable } from './apis.ts';
import { checkConfig, faultFinding } from './config.ts';
import { type FirstTries, gameServersInside } from './game-servers-inside.ts';
import { checkRunningConfig } from './running-config.ts';
import { findingsOf, type Views } from './steps.ts';
import type { Subject } from './subject.ts';

/** The running Teller in this process. */
export interface RunningTeller {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly listener: ListeningAddress;
  readonly webhook: ListeningAddress | null;
  readonly gameServers: readonly ServedGameServer[];
  readonly recovery: { status(): readonly RecoveryStatus[] };
}

export interface InsideParts {
  readonly teller: RunningTeller;
  readonly watch: GameServerWatch;
  readonly tries: FirstTries;
  readonly control: Pick<Control, 'compare' | 'file' | 'folder'>;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * What `check` finds, from inside the running Teller: about the config in effect, on the open ledger, without a disk call on
 * this thread. What Teller knows already is not tried again: no second login at a game server, no request to a
 * listing. What a deep check and an attempt from outside would find is not found here. Never rejects with a Problem.
 */
export async function checkInside(parts: InsideParts): Promise<readonly Finding[]> {
  const { teller, control, clock, random } = parts;
  const { config, ledger } = teller;
  const configText = await readConfigText(config.file).catch(() => '');
  const subject: Subject = {
    ...{ config, configText, ledger, clock, random },
    ...{ isRunning: true, controlFolder: control.folder, isOffline: false, deep: null },
  };
  try {
    return await findingsOf(subject, inside(parts));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [problem(error.code, error.message)];
  }
}

const inside = ({ teller, watch, tries, control }: InsideParts): Views => ({
  running: async (subject) => {
    const found = await ofFile(teller.config, control);
    const isKnown = found.some(({ code }) => code === 'config-older');
    return isKnown ? found : [...found, ...(await checkRunningConfig(subject))];
  },
  ports: async () => listening(teller),
  gameServers: (subject) => gameServersInside({ served: teller.gameServers, watch, tries }, subject),
  apis: async () => apis(teller),
});

const KEPT = 'correct the file; until then the previous config stays in effect';

/** The file is read again only if it has changed: Teller watches it. */
async function ofFile(config: Config, control: InsideParts['control']): Promise<readonly Finding[]> {
  const { file } = config;
  if (control.file.kind === 'same') return checkConfig(file, config, []);
  const compared: Comparison = await control.compare();
  if (compared.kind === 'refused') {
    const { problem: why } = compared;
    return why instanceof ConfigProblem
      ? why.faults.map((fault) => faultFinding(file, fault, KEPT))
      : [problem(why.code, why.message)];
  }
  const { changes } = compared;
  if (changes.length === 0) return checkConfig(file, config, []);
  const keys = changes.map(({ key, kind }) => `${key} (${kind})`).join(', ');
  const isReloadable = changes.some(({ needsRestart }) => !needsRestart);
  const sentence = `the config file is newer than what runs; it differs in ${keys}`;
  return [warning('config-older', sentence, toApply(changes), isReloadable ? { kind: 'reload' } : null)];
}

function listening({ config, listener, webhook }: RunningTeller): readonly Finding[] {
  const at = ({ host, port }: ListeningAddress): string => placeText(host, port);
  const isAnyPort = config.listener.port === 0;
  return [
    isAnyPort
      ? warning('port', 'the listener listens on any free port, a new one at each start', 'set listener.port')
      : ok('port', `Teller listens on ${at(listener)}`),
    ...(webhook === null ? [] : [ok('port', `Teller listens on ${at(webhook)} for webhooks`)]),
  ];
}

/** What the search for missed votes knows already. A listing that was not asked yet says nothing. */
const apis = ({ config, recovery }: RunningTeller): readonly Finding[] =>
  apisIn({ config }).flatMap(([site, api]) => {
    const status = recovery.status().find((each) => each.site === site);
    const name = shownService(site, 64);
    const known = status === undefined ? [] : ofStatus(name, status);
    return [...known, ...checkTls(site, api)];
  });

function ofStatus(name: string, { lastFault, lookedUntil }: RecoveryStatus): readonly Finding[] {
  if (lastFault !== null) return [unusable(name, lastFault)];
  return lookedUntil === null ? [] : [answers(name)];
}
