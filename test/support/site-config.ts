import type { SiteConfig } from '../../src/config/config.ts';

/** A resolved entry of `sites` with these values and defaults for the rest. */
export const siteConfig = (values: Partial<SiteConfig> = {}): SiteConfig => ({
  token: null,
  cooldown: { kind: 'span', ms: 86_400_000 },
  countsAll: false,
  label: null,
  url: null,
  protocols: null,
  isFrom: null,
  game: 'minecraft',
  api: null,
  webhook: null,
  ...values,
});
