import { examineText } from '../../src/config/load.ts';

/** A config that is not in a file, examined as if it were /srv/teller/config.json. */
export const examined = async (config: object | string, env: Record<string, string> = {}) =>
  await examineText(
    typeof config === 'string' ? config : JSON.stringify(config),
    '/srv/teller/config.json',
    env,
  );

/** Its faults, each as code and path. */
export const faultsOf = async (config: object | string) =>
  (await examined(config)).faults.map(({ code, path }) => `${code} ${path}`);
