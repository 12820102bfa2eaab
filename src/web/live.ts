import { Hono } from 'hono';
import type { Clock } from '../core/clock.ts';
import { clientOf } from './client-network.ts';
import { LIVE_PATH } from './components/layout-parts.ts';
import { type ChangeSource, LiveStreams } from './live-streams.ts';
import { refuse } from './refusal.ts';
import { bindingsOf, clientAddress, type PageContext, type PageEnv } from './site.ts';

export type { ChangeSource } from './live-streams.ts';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // A proxy that collects a response before it passes it on would pass on nothing.
  'X-Accel-Buffering': 'no',
  // The stream is the last response of its connection, so that no idle connection stays when the server closes.
  Connection: 'close',
} as const;

/**
 * Tells open pages that something changed; they then refresh their `live` parts. To be mounted on a `pageApp`, below the
 * guards of the pages that it serves.
 */
export function liveRoute<Person>(source: ChangeSource, clock: Clock): Hono<PageEnv<Person>> {
  const streams = new LiveStreams(source, clock);
  const route = new Hono<PageEnv<Person>>();
  route.get(LIVE_PATH, (c) => {
    if ((c.req.header('sec-fetch-site') ?? 'same-origin') !== 'same-origin')
      return refuse(c, c.var.site, 'cross-site');
    if (c.req.method === 'HEAD') return c.body(null, 200, HEADERS);
    const { outgoing, closing } = bindingsOf(c);
    const cut = (): void => void outgoing?.destroy();
    const stream = streams.streamTo({ visitor: visitorOf(c), cut, closing });
    return stream === null ? refuse(c, c.var.site, 'too-many-streams') : c.body(stream, 200, HEADERS);
  });
  return route;
}

/** Without a session, a client can have a new cookie for each request, so its network counts. */
const visitorOf = <Person>(c: PageContext<Person>): string => {
  const { person, csrf } = c.var.visit;
  return person === null ? clientOf(clientAddress(c)) : csrf;
};
