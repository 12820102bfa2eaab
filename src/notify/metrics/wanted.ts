import type { Config } from '../../config/config.ts';
import type { Metrics } from './metrics.ts';

/** The counters, if the config allows reading them; null if not. Their package is loaded only if it does. */
export async function metricsFor({ console: settings }: Config): Promise<Metrics | null> {
  if (settings.metrics !== 'open' && settings.metricsToken === null) return null;
  const { Metrics } = await import('./metrics.ts');
  return new Metrics();
}
