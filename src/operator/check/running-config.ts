import { toApply } from '../../config/changes.ts';
import { type Finding, warning } from '../../core/finding.ts';
import { isoTime } from '../../core/instant.ts';
import { type OlderConfig, olderConfigs } from '../running-config.ts';
import type { Subject } from './subject.ts';

/** Rule 15: the other findings are about the file, and a running Teller may have another config. */
export async function checkRunningConfig({ config, controlFolder }: Subject): Promise<readonly Finding[]> {
  return (await olderConfigs(config, controlFolder)).map(findingOf);
}

function findingOf({ pid, loadedAt, configFile, changes, unknown }: OlderConfig): Finding {
  const keys = changes.map(({ key, kind }) => `${key} (${kind})`).join(', ');
  const notCompared =
    unknown.length === 0
      ? ''
      : `; not compared, because the secret is not available here: ${unknown.join(', ')}`;
  const sentence = `the running Teller (process ${pid}, ${configFile}) loaded its config at ${isoTime(loadedAt)}; the file now differs in ${keys}${notCompared}`;
  return warning('config-older', sentence, toApply(changes));
}
