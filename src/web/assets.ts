import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { pageScript } from './page-script.ts';
import { stylesheet } from './stylesheet.ts';

const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2a93ad" stroke-width="2.2"
 stroke-linecap="round" stroke-linejoin="round"><path d="M4 12.5V19a1.5 1.5 0 0 0 1.5 1.5h13A1.5 1.5 0 0 0 20 19v-6.5"/>
<path d="M2.5 12.5h19M8 8l3 3 5.5-7"/></svg>`;

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** The path contains a hash of the text, so browsers may cache it forever. */
function asset(name: string, ending: string, type: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return { path: `/assets/${name}.${hash}.${ending}`, type, text };
}

export const assets = {
  style: asset('page', 'css', 'text/css; charset=utf-8', stylesheet),
  script: asset('page', 'js', 'text/javascript; charset=utf-8', pageScript),
  mark: asset('mark', 'svg', 'image/svg+xml', MARK),
} as const;

export function assetRoutes(): Hono {
  const routes = new Hono();
  for (const { path, type, text } of Object.values(assets)) {
    routes.get(path, (c) =>
      c.body(text, 200, { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' }),
    );
  }
  return routes;
}
