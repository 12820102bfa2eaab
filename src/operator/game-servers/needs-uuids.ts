import { type Config, namedRewards } from '../../config/config.ts';
import { needs } from '../../core/placeholders.ts';
import { templatesOf } from '../../rewards/reward.ts';

/** Whether a reward of the config has {uuid} in a command for this game server. */
export const needsUuidsOn = (name: string, config: Config): boolean =>
  namedRewards(config).some(
    (reward) => reward.servers.includes(name) && templatesOf(reward).some((each) => needs(each, 'uuid')),
  );
