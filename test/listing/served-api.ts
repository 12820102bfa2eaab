import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { servePages } from '../../src/web/server.ts';
import { type Answer, judged, ROOT } from '../kit/listing-program.ts';
import { silentLog } from '../support/log.ts';
import type { ListingService } from './listing-service.ts';

/** The API on a real socket, until the test ends. `ask` checks responses like the client without a socket. */
export async function serveApi({ api, client, clock }: ListingService, log = silentLog) {
  const server = await servePages((request, bindings) => api.fetch(request, bindings), {
    host: '127.0.0.1',
    port: 0,
    key: 'listing.port',
    likelyHolder: 'another listing service',
    visitors: 'local',
    ...{ clock: systemClock, log },
  });
  onTestFinished(() => server.close());
  const reference = await client.reference();
  const base = `http://127.0.0.1:${server.address.port}${ROOT}`;
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Answer> => {
    const url = `${base}${path}`;
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    return judged(reference, clock, method, url, response);
  };
  return { ask, url: base, close: () => server.close() };
}
