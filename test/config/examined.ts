import { examineText } from '../../src/config/load.ts';

/** Examines a config as if it were the file /srv/teller/config.json. */
export const examined = async (config: object | string, env: Record<string, string> = {}) =>
  await examineText(typeof config === 'string' ? config : JSON.stringify(config), '/srv/teller/config.json', {
    env,
  });

/** The faults of a config, each as code and path. */
export const faultsOf = async (config: object | string) =>
  (await examined(config)).faults.map(({ code, path }) => `${code} ${path}`);
