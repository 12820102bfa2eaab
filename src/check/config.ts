import type { Config } from '../config/config.ts';
import { type ConfigFault, faultLine } from '../config/fault.ts';
import { type Finding, ok, problem } from './finding.ts';

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

export function checkConfig(
  file: string,
  config: Config | null,
  faults: readonly ConfigFault[],
): readonly Finding[] {
  if (config === null || faults.length > 0) {
    return faults.map((fault) => problem(fault.code, withoutCode(faultLine(file, fault))));
  }
  const sites = counted(config.sites.size - 1, 'listed site');
  const servers = counted(config.gameServers.size, 'game server');
  const rewards = counted(config.rewards.length, 'reward');
  return [ok('config', `${file}: ${sites}, ${servers}, ${rewards}`)];
}

/** The finding has the code already. */
const withoutCode = (line: string): string => line.replace(/ \[[a-z-]+\]$/, '');
