import { forwardTargets } from '../../config/config.ts';
import { type Finding, warning } from '../../core/finding.ts';
import type { Subject } from './subject.ts';

/** Whether the listener that pays in shadow gets votes from here. */
export async function checkForwards({ config }: Subject): Promise<readonly Finding[]> {
  if (config.pay.mode !== 'shadow' || forwardTargets(config).length > 0) return [];
  return [
    warning(
      'shadow-alone',
      'in shadow the other listener pays, but no vote is forwarded to it from here',
      'add a game server of kind "votifier", unless the listings send their votes there themselves',
    ),
  ];
}
