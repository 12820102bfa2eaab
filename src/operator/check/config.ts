import type { Config } from '../../config/config.ts';
import { type ConfigFault, faultLine } from '../../config/fault.ts';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

export function checkConfig(
  file: string,
  config: Config | null,
  faults: readonly ConfigFault[],
): readonly Finding[] {
  if (config === null || faults.length > 0) {
    return faults.map((fault) => faultFinding(file, fault));
  }
  const sites = counted(config.sites.size - 1, 'listed site');
  const servers = counted(config.gameServers.size, 'game server');
  const rewards = counted(config.rewards.length, 'reward');
  return [ok('config', `${file}: ${sites}, ${servers}, ${rewards}`)];
}

/** Only a warning: the variable may be set in another shell or in the service that runs Teller. */
export const secretNotHere = ({ path, variable }: ConfigFault): Finding =>
  warning(
    'secret-not-here',
    `${path}: ${variable} is not set in this shell, so nothing that needs it was checked`,
    `check where ${variable} is set, or keep the secret in a file of mode 0600 ("file:data/secrets/NAME"), which is the same for every shell`,
  );

/** A fault of the file, as a finding. */
export const faultFinding = (file: string, fault: ConfigFault, toDo: string | null = null): Finding =>
  problem(fault.code, withoutCode(faultLine(file, fault)), toDo);

/** The finding already shows the code. */
const withoutCode = (line: string): string => line.replace(/ \[[a-z-]+\]$/, '');
