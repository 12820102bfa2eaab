import type { Clock } from '../../core/clock.ts';

export const CLIENT_WINDOW_MS = 60_000;

export interface ClientWindow {
  readonly openedAt: number;
  readonly used: number;
}

/** Fixed windows by client. In memory, since they guard this process and promise nothing to anybody. */
export class ClientWindows {
  private readonly byClient = new Map<string, ClientWindow>();

  constructor(private readonly clock: Clock) {}

  /** Of how many clients something is kept: those of one minute. */
  get size(): number {
    return this.byClient.size;
  }

  /** The client's window with this request counted. */
  count(client: string): ClientWindow {
    const now = this.clock.now();
    this.forgetEnded(now);
    const last = this.byClient.get(client);
    const { openedAt, used } = last !== undefined && isOpen(last, now) ? last : { openedAt: now, used: 0 };
    const counted = { openedAt, used: used + 1 };
    this.byClient.set(client, counted);
    return counted;
  }

  /** A Map keeps the order in which its keys came, so the ended ones are in front. */
  private forgetEnded(now: number): void {
    for (const [client, window] of this.byClient) {
      if (isOpen(window, now)) return;
      this.byClient.delete(client);
    }
  }
}

/** One from the future is none: the clock was set back, and nobody waits for it. */
const isOpen = ({ openedAt }: ClientWindow, now: number): boolean =>
  openedAt <= now && now < openedAt + CLIENT_WINDOW_MS;
