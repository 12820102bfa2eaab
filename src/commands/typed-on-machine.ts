import { isAbsolute, relative, resolve } from 'node:path';
import { shellWord } from '../core/shell-word.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';

/** These have no --config. */
const WITHOUT_CONFIG = /^(?:practice(?: --|$)|(?:config|dashboard|loop|service|webhook)(?: |$))/;

/**
 * How commands are typed on this machine: `sites` becomes `node dist/cli.js sites --config data/loop/config.json`. The
 * config is left out where it is the one that commands read anyway.
 *
 * @param teller `teller`, or `node dist/cli.js` in a clone
 * @param file the config that Teller runs with
 */
export function typedOnMachine(teller: string, file: string): (words: string) => string {
  const within = relative(process.cwd(), file);
  const shown = within.startsWith('..') || isAbsolute(within) ? file : within;
  const flag = resolve(DEFAULT_CONFIG) === file ? '' : ` --config ${shellWord(shown)}`;
  return (words) => `${teller} ${words}${WITHOUT_CONFIG.test(words) ? '' : flag}`;
}
