import { createHash } from 'node:crypto';
import { Hono } from 'hono';

/** A file that pages link to. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** The path contains a hash of the text, so browsers may cache it forever. */
export function asset(name: string, ending: string, type: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return { path: `/assets/${name}.${hash}.${ending}`, type, text };
}

export function assetRoutes(assets: readonly Asset[]): Hono {
  const routes = new Hono();
  for (const { path, type, text } of assets) {
    routes.get(path, (c) =>
      c.body(text, 200, { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' }),
    );
  }
  return routes;
}
