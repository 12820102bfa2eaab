import { type Finding, ok, warning } from '../../core/finding.ts';
import { RAISE_LIMIT } from '../../platform/open-files.ts';
import { openFiles } from '../open-files.ts';
import type { Subject } from './subject.ts';

/** Whether the open-file limit leaves room for the connections that the config asks for. */
export async function checkOpenFiles({ config, controlFolder }: Subject): Promise<readonly Finding[]> {
  const found = await openFiles(config, controlFolder);
  if (found === null) return [];
  const { most, isOfRunning, wanted, taken } = found;
  const whose = isOfRunning ? 'the running Teller' : 'a Teller started from this shell';
  const limit = `${whose} can open ${most.toLocaleString('en')} files`;
  return taken === wanted
    ? [ok('files', `${limit}, which is enough for ${wanted} connections`)]
    : [
        warning(
          'files-few',
          `${limit}, so it accepts ${taken} connections instead of ${wanted}`,
          RAISE_LIMIT,
        ),
      ];
}
