import { expect, test } from 'vitest';
import { freeMib } from '../../src/core/disk-space.ts';
import { diskFinding } from '../../src/operator/check/steps.ts';

const MIB = 1024 * 1024;

test.each([
  ['problem', 'ledger-full', 32 * MIB - 1],
  ['warning', 'disk-low', 32 * MIB],
  ['warning', 'disk-low', 1024 * MIB - 1],
  ['ok', 'disk', 1024 * MIB],
] as const)('%s %s: %i bytes are free', (mark, code, freeBytes) => {
  expect(diskFinding(freeMib({ bavail: freeBytes, bsize: 1 }), '/srv/teller')).toMatchObject({
    mark,
    code,
    sentence: expect.stringContaining('/srv/teller'),
  });
});
