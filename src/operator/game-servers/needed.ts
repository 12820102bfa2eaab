import { type Config, namedRewards } from '../../config/config.ts';
import { needs } from '../../core/placeholders.ts';
import type { CheckParts } from '../../delivery/game-server-kind.ts';
import { templatesOf } from '../../rewards/choices.ts';

/** What the rewards of a config ask of one of its game servers. */
export function neededOn(name: string, config: Config): Pick<CheckParts, 'needsUuids'> {
  const paidHere = namedRewards(config).filter((reward) => reward.servers.includes(name));
  return {
    needsUuids: paidHere.some((reward) => templatesOf(reward).some((each) => needs(each, 'uuid'))),
  };
}
