import { describe, expect, test } from 'vitest';
import { connectionCaps } from '../../src/core/connection-caps.ts';

const WANTED = { listener: 1024, webhook: 512, gameServers: 2 };

describe('connection caps under the open-file limit', () => {
  test.each([
    [null, { listener: 1024, webhook: 512 }],
    [1_048_576, { listener: 1024, webhook: 512 }],
    [1024, { listener: 729, webhook: 243 }],
    [256, { listener: 153, webhook: 51 }],
    [16, { listener: 6, webhook: 2 }],
  ])('with a limit of %s files are %j', (openFiles, caps) => {
    expect(connectionCaps(openFiles, WANTED)).toEqual(caps);
  });

  test('go to the listener alone if no site has a webhook', () => {
    expect(connectionCaps(256, { ...WANTED, webhook: 0 })).toEqual({ listener: 204, webhook: 0 });
  });
});
