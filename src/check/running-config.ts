import { toApply } from '../config/changes.ts';
import { isoTime } from '../core/instant.ts';
import { type OlderConfig, olderConfigs } from '../operator/running-config.ts';
import { type Finding, warning } from '../core/finding.ts';
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
  return warning('config-older', sentence, toApply(changes));
}
