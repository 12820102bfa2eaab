import type { Config } from '../config/config.ts';
import type { Metrics } from './metrics.ts';

/** What counts, if the config lets anybody read it; its package is loaded only then. */
export async function metricsFor({ console: settings }: Config): Promise<Metrics | null> {
  if (settings.metrics !== 'open' && settings.metricsToken === null) return null;
  const { Metrics } = await import('./metrics.ts');
  return new Metrics();
}
