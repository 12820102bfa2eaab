import type { Clock } from '../../core/clock.ts';
import { FixedWindows } from '../../core/fixed-windows.ts';
import { clientOf } from '../client-network.ts';

const WINDOW_MS = 15 * 60 * 1000;
/**
 * Ten wrong passwords lock an account only for the address they came from; otherwise anyone could lock its owner out. The
 * limit of an address is higher, because a household shares one. The limit of an account, against guesses from many
 * addresses, is higher still, and does not apply to an address from which its owner signed in before. A browser that has
 * signed in to the account before has tries of its own: on loopback, every user of the machine has its owner's address.
 */
const LIMITS = {
  accountFromBrowser: 10,
  accountFromAddress: 10,
  address: 30,
  account: 300,
} as const;

/** Bounds the memory that a flood of invented names can use. */
const KEYS_MAX = 10_000;
/** Beyond this number, the least recently used address is dropped. */
const OWN_ADDRESSES_MAX = 10_000;

export type Allowance =
  /** `succeed` refunds the attempt and remembers the address as one that the owner signs in from. */
  { readonly kind: 'allowed'; succeed(): void } | { readonly kind: 'wait'; readonly waitMs: number };

/** Limits how often passwords can be tried. Uses monotonic time, so that moving the wall clock does not reset it. */
export class SignInLimits {
  private readonly windows = {
    byBrowser: new FixedWindows({ windowMs: WINDOW_MS, keysMax: KEYS_MAX }),
    byAddress: new FixedWindows({ windowMs: WINDOW_MS, keysMax: KEYS_MAX }),
    byPair: new FixedWindows({ windowMs: WINDOW_MS, keysMax: KEYS_MAX }),
    byAccount: new FixedWindows({ windowMs: WINDOW_MS, keysMax: KEYS_MAX }),
  };
  private readonly ownAddresses = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /**
   * Charges an attempt to the limits; `succeed` refunds it.
   *
   * @param browser the ID of a browser that has signed in to this account before; null: it has not.
   */
  take(name: string, address: string, browser: string | null): Allowance {
    return browser === null ? this.takeFrom(name, address) : this.takeKnown(browser);
  }

  private takeKnown(browser: string): Allowance {
    const { byBrowser } = this.windows;
    const waitMs = this.waitFor(byBrowser, browser, LIMITS.accountFromBrowser);
    if (waitMs > 0) return { kind: 'wait', waitMs };
    return { kind: 'allowed', succeed: () => byBrowser.giveBack(browser, 1) };
  }

  private takeFrom(name: string, address: string): Allowance {
    const { byAddress, byPair, byAccount } = this.windows;
    const client = clientOf(address);
    const account = name.toLowerCase();
    const pair = `${client} ${account}`;
    const isOwn = this.ownAddresses.has(pair);
    const waitMs =
      this.waitFor(byAddress, client, LIMITS.address) ||
      this.waitFor(byPair, pair, LIMITS.accountFromAddress) ||
      (isOwn ? 0 : this.waitFor(byAccount, account, LIMITS.account));
    if (waitMs > 0) return { kind: 'wait', waitMs };
    return {
      kind: 'allowed',
      succeed: () => {
        byAddress.giveBack(client, 1);
        byPair.giveBack(pair, 1);
        if (!isOwn) byAccount.giveBack(account, 1);
        this.remember(pair);
      },
    };
  }

  /** The milliseconds to wait; 0 if an attempt is left. */
  private waitFor(windows: FixedWindows, key: string, most: number): number {
    const { kind, resetMs } = windows.charge(key, 1, most, this.clock.monotonic());
    return kind === 'over' ? resetMs : 0;
  }

  private remember(pair: string): void {
    this.ownAddresses.delete(pair);
    this.ownAddresses.add(pair);
    const [oldest] = this.ownAddresses;
    if (this.ownAddresses.size > OWN_ADDRESSES_MAX && oldest !== undefined) this.ownAddresses.delete(oldest);
  }
}
