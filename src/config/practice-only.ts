import { Problem } from '../core/problem.ts';
import { type Config, practiceNames } from './config.ts';

/**
 * Time may be moved only if every game server is a practice server, so that nothing is paid for real (rule 9).
 * @throws Problem `practice-clock-refused`
 */
export function requirePracticeOnly(config: Config): void {
  const real = realNames(config);
  if (real.length === 0) return;
  throw new Problem(
    'practice-clock-refused',
    `${real.join(', ')} in ${config.file} is not a practice server; time can be moved only if all game servers are practice servers`,
  );
}

/** The game servers whose players are paid for real. */
export function realNames(config: Config): readonly string[] {
  const practice = practiceNames(config);
  return [...config.gameServers.keys()].filter((name) => !practice.includes(name));
}
