import type { ConsoleConfig } from './config.ts';
import type { ConfigEntries } from './schema.ts';
import type { Secrets } from './secret.ts';

export const resolveConsole = (
  { publicUrl, public: page, ...console }: ConfigEntries['console'],
  { consoleSecrets }: Secrets,
): ConsoleConfig => ({
  ...console,
  password: consoleSecrets.get('password') ?? null,
  publicUrl: publicUrl ?? null,
  metricsToken: consoleSecrets.get('metricsToken') ?? null,
  public: page === undefined ? null : { ...page, publicUrl: page.publicUrl ?? null, name: page.name ?? null },
});
