import { kindNamed } from '../delivery/kinds.ts';
import type { FaultAtPath } from './fault.ts';
import type { Outline } from './outline.ts';

/** What each kind says about its own entries. */
export const kindFaults = ({ gameServers, listener, pay }: Outline): FaultAtPath[] =>
  Object.entries(gameServers).flatMap(([name, server]) =>
    (
      kindNamed(server?.kind)?.faultsOf?.(server ?? {}, {
        listener,
        isAllPaidHere: pay.mode === 'real' && pay.from === undefined,
      }) ?? []
    ).map(({ key, sentence }) => ({
      code: 'config-value' as const,
      path: ['gameServers', name, key],
      sentence,
    })),
  );
