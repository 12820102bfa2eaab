import path from 'node:path';
import { examineText } from '../../src/config/load.ts';
import type { Fragment } from '../../src/plugins/conversion.ts';
import { temporaryFolder } from '../support/folder.ts';

/** The faults of a config that has the converted entries and one game server. */
export async function faultsOf(fragment: Fragment): Promise<readonly string[]> {
  const text = JSON.stringify({ gameServers: { main: { kind: 'practice' } }, ...fragment });
  const { faults } = await examineText(text, path.join(temporaryFolder({}), 'config.json'));
  return faults.map(({ path: at, sentence }) => `${at} ${sentence}`);
}
