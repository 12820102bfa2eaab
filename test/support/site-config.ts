import type { SiteConfig } from '../../src/config/config.ts';

/** An entry of `sites` as the loader resolves an empty one, with these values instead. */
export const siteConfig = (values: Partial<SiteConfig> = {}): SiteConfig => ({
  token: null,
  cooldownMs: 86_400_000,
  label: null,
  protocols: null,
  isFrom: null,
  game: 'minecraft',
  api: null,
  webhook: null,
  ...values,
});
