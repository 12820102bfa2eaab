import type { Clock } from '../../core/clock.ts';
import { FixedWindows } from '../../core/fixed-windows.ts';
import { clientOf } from '../client-network.ts';

const WINDOW_MS = 15 * 60 * 1000;
/**
 * Ten wrong passwords lock an account for the address they came from, and for no other: otherwise anyone could lock
 * its owner out. An address has more, because a household is one address. An account has many more, against guesses
 * from many addresses; an address that its owner signed in from is not held up by those.
 */
const LIMITS = {
  accountFromAddress: 10,
  address: 30,
  account: 300,
} as const;

/** A flood of invented names must not fill the memory. */
const KEYS_MAX = 10_000;
/** Beyond this many the one that was used longest ago is forgotten. */
const OWN_ADDRESSES_MAX = 10_000;

export type Allowance =
  /** `succeed` gives the attempt back, and remembers the address as the owner's. */
  { readonly kind: 'allowed'; succeed(): void } | { readonly kind: 'wait'; readonly waitMs: number };

/** How often a password may be tried. Monotonic time counts, so that moving the wall clock opens no window. */
export class SignInLimits {
  private readonly windows = {
    byAddress: new FixedWindows({ windowMs: WINDOW_MS, keysMax: KEYS_MAX }),
    byPair: new FixedWindows({ windowMs: WINDOW_MS, keysMax: KEYS_MAX }),
    byAccount: new FixedWindows({ windowMs: WINDOW_MS, keysMax: KEYS_MAX }),
  };
  private readonly ownAddresses = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /** Counts an attempt that begins; `succeed` gives it back. */
  take(name: string, address: string): Allowance {
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

  /** 0, or the milliseconds to wait where no attempt is left. */
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
