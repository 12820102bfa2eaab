import type { Config } from './config/config.ts';
import { wantedConnections } from './config/wanted-connections.ts';
import { connectionCaps } from './core/connection-caps.ts';
import type { Ledger } from './ledger/ledger.ts';
import { receiverSettings, webhookSites } from './parts.ts';
import type { ListeningAddress } from './runtime/listen.ts';
import type { ReceiverParts, ReceiverSettings } from './webhook-in/receiver.ts';
import type { WebhookIn } from './webhook-in/webhook-in.ts';

type WebhookPortParts = Omit<ReceiverParts, keyof ReceiverSettings> & {
  readonly ledger: Ledger;
  readonly openFiles: number | null;
};

/** The port for signed webhooks, which is open only while a site has one. */
export class WebhookPort {
  private open: { readonly server: WebhookIn; readonly address: ListeningAddress } | null = null;

  constructor(private readonly parts: WebhookPortParts) {}

  get address(): ListeningAddress | null {
    return this.open?.address ?? null;
  }

  /**
   * Serves the webhooks of this config. If it throws a Problem (`port-…`, `secret-missing`, `ledger-…`), it still serves
   * the previous config.
   */
  async serve(config: Config): Promise<void> {
    if (webhookSites(config).length === 0) return this.close();
    const settings = await receiverSettings(config, this.parts.ledger, this.parts.clock);
    if (this.open !== null) {
      this.open.server.apply(settings);
      return;
    }
    const { host, port } = config.webhook;
    const { webhook: maxConnections } = connectionCaps(this.parts.openFiles, wantedConnections(config));
    const { WebhookIn } = await import('./webhook-in/webhook-in.ts');
    const server = new WebhookIn({ ...this.parts, ...settings, host, port, maxConnections });
    this.open = { server, address: await server.listen() };
  }

  async close(): Promise<void> {
    const { open } = this;
    this.open = null;
    await open?.server.close();
  }
}
