import type { Config } from '../config/config.ts';
import type { Rules } from '../core/decide.ts';

/** What the config says about rewards, as `decide` needs it. */
export function rulesOf(config: Config): Rules {
  const labels = [...config.sites].flatMap(([key, { label }]) =>
    label === null ? [] : [[key, label] as const],
  );
  const practice = [...config.gameServers]
    .filter(([, { kind }]) => kind === 'practice')
    .map(([name]) => name);
  return { rewards: config.rewards, practiceServers: new Set(practice), labels: new Map(labels) };
}
