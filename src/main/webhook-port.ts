import type { Config } from '../config/config.ts';
import { wantedConnections } from '../config/wanted-connections.ts';
import { connectionCaps } from '../core/connection-caps.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ListeningAddress } from '../platform/listen.ts';
import type { WebhookIn, WebhookParts } from '../votes/webhook-in.ts';
import { webhookSettings, webhookSites } from './parts.ts';

interface WebhookPortParts extends WebhookParts {
  readonly ledger: Ledger;
  readonly openFiles: number | null;
}

/** One of the two is called, once. */
export interface Prepared {
  commit(): Promise<void>;
  undo(): Promise<void>;
}

/** The port for signed webhooks, which is open only while a site has one. */
export class WebhookPort {
  private open: { readonly server: WebhookIn; readonly address: ListeningAddress } | null = null;

  constructor(private readonly parts: WebhookPortParts) {}

  get address(): ListeningAddress | null {
    return this.open?.address ?? null;
  }

  /**
   * Gets ready to serve the webhooks of this config, and still serves those of the previous one. Throws a Problem (`port-…`) if that
   * fails. `commit` puts it into effect and cannot fail; `undo` leaves everything as it was.
   */
  async prepare(config: Config): Promise<Prepared> {
    if (webhookSites(config).length === 0) return { commit: () => this.close(), undo: async () => {} };
    const settings = webhookSettings(config, this.parts.ledger, this.parts.clock);
    const { open } = this;
    if (open !== null) return { commit: async () => open.server.apply(settings), undo: async () => {} };
    const { host, port } = config.webhook;
    const { webhook: maxConnections } = connectionCaps(this.parts.openFiles, wantedConnections(config));
    const { WebhookIn } = await import('../votes/webhook-in.ts');
    const server = new WebhookIn(settings, this.parts, maxConnections);
    const address = await server.listen(host, port);
    return {
      commit: async () => {
        this.open = { server, address };
      },
      undo: () => server.close(),
    };
  }

  async close(): Promise<void> {
    const { open } = this;
    this.open = null;
    await open?.server.close();
  }
}
