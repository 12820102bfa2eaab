import { Problem } from '../core/problem.ts';
import { type Config, practiceNames } from './config.ts';

/**
 * Practice never swallows production (rule 9): where time may be moved, nothing is paid for real.
 * @throws Problem `practice-clock-refused`
 */
export function requirePracticeOnly(config: Config): void {
  const practice = practiceNames(config);
  const real = [...config.gameServers.keys()].filter((name) => !practice.includes(name));
  if (real.length === 0) return;
  throw new Problem(
    'practice-clock-refused',
    `${real.join(', ')} in ${config.file} is no practice server; time may be moved only where all of them are`,
  );
}
