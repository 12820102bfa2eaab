import type { PublicPageConfig } from '../../config/config.ts';
import { type Finding, ok, problem } from '../../core/finding.ts';
import { Problem } from '../../core/problem.ts';
import { UnnamedProxies } from '../../operator/public/unnamed-proxy.ts';
import type { OnEnd } from '../../platform/started.ts';
import { originOf } from '../../web/own-address.ts';
import { servePages } from '../../web/server.ts';
import { loadedLater } from '../loaded-later.ts';
import type { PublicParts } from './site.ts';

type StartParts = Omit<PublicParts, 'proxies'> & { readonly control: { readonly folder: string } };

/** The public page of a running Teller, or why there is none. */
export interface PublicPage {
  /** Its URL, without a slash at the end; null if its port could not be opened. */
  readonly url: string | null;
  /** What the console says about it. */
  readonly finding: Finding;
}

/**
 * Serves the public page on a port of its own. If that port cannot be opened, the error is logged, and Teller and its
 * console go on without the page. Its code is loaded with the first request.
 */
export async function startPublicPage(
  { control, ...parts }: StartParts,
  settings: PublicPageConfig,
  onEnd: OnEnd,
): Promise<PublicPage> {
  const { log } = parts;
  try {
    const proxies = new UnnamedProxies(control.folder, parts.clock);
    onEnd(() => proxies.forget());
    const url = await serve({ ...parts, proxies }, settings, onEnd);
    log.info({ code: 'public-page', url }, `the public page is at ${url}`);
    return { url, finding: ok('port', `the public page is at ${url}`) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message } = error;
    log.error({ code }, `there is no public page: ${message}`);
    const sentence = `there is no public page: ${message}`;
    return { url: null, finding: problem(code, sentence, 'then restart Teller') };
  }
}

async function serve(parts: PublicParts, settings: PublicPageConfig, onEnd: OnEnd): Promise<string> {
  const { console: operators } = parts.teller.config;
  const server = await servePages(
    loadedLater(async () => (await import('./site.ts')).publicSite(parts, settings)),
    {
      host: settings.host,
      port: settings.port,
      key: 'the port of `console.public` in the config',
      likelyHolder: 'another Teller',
      visitors: 'anyone',
      ...{ clock: parts.clock, log: parts.log },
      trustedProxies: operators.trustedProxies,
    },
  );
  onEnd(() => server.close());
  return originOf(settings, server.address);
}
