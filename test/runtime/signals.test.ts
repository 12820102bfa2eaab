import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { compiled } from '../support/processes.ts';

test.skipIf(process.platform !== 'linux')(
  'a process that npm runs does not take its parent for ended while no more files can be opened',
  async () => {
    const script = compiled(join(import.meta.dirname, '../support/full-files.ts'));
    const limited = ['-c', 'ulimit -n 128; exec "$0" "$1"', process.execPath, script];
    const { stdout } = await promisify(execFile)('sh', limited);
    expect(JSON.parse(stdout)).toEqual({ files: true, reason: 'none' });
  },
);
