import { isoTime } from '../core/instant.ts';
import { type OlderConfig, olderConfigs } from '../operator/running-config.ts';
import { type Finding, warning } from './finding.ts';
import type { Subject } from './subject.ts';

/** Rule 15: everything after this is about the file, and a running Teller may have another config. */
export async function checkRunningConfig({ config }: Subject): Promise<readonly Finding[]> {
  return (await olderConfigs(config)).map(findingOf);
}

function findingOf({ pid, loadedAt, configFile, changes, unknown }: OlderConfig): Finding {
  const keys = changes.map(({ key, kind }) => `${key} (${kind})`).join(', ');
  const untold =
    unknown.length === 0 ? '' : `; unknown here, because the secret is not: ${unknown.join(', ')}`;
  const sentence = `the Teller that runs (${pid}, ${configFile}) has the config of ${isoTime(loadedAt)}; the file differs in ${keys}${untold}`;
  const atRestart = changes.filter(({ needsRestart }) => needsRestart).map(({ key }) => key);
  if (atRestart.length === changes.length) return warning('config-older', sentence, 'restart it');
  const rest = atRestart.length === 0 ? '' : `, and restart it for ${atRestart.join(', ')}`;
  return warning('config-older', sentence, `run \`teller reload\`${rest}`);
}
