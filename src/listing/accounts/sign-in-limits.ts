import type { Clock } from '../../core/clock.ts';
import { clientOf } from '../api/peer-address.ts';
import { Attempts } from './attempts.ts';

const WINDOW_MS = 15 * 60 * 1000;
/**
 * Ten wrong passwords lock an account for the address they came from, and for no other: otherwise anyone could lock
 * its owner out. An address has more, because a household is one address. An account has many more, against guesses
 * from many addresses; an address that its owner signed in from is not held up by those.
 */
const LIMITS = {
  accountFromAddress: { most: 10, windowMs: WINDOW_MS },
  address: { most: 30, windowMs: WINDOW_MS },
  account: { most: 300, windowMs: WINDOW_MS },
} as const;

/** Beyond this many the one that was used longest ago is forgotten. */
const OWN_ADDRESSES_MAX = 10_000;

export type Allowance =
  /** `succeed` gives the attempt back, and remembers the address as the owner's. */
  { readonly kind: 'allowed'; succeed(): void } | { readonly kind: 'wait'; readonly waitMs: number };

/** How often a password may be tried. */
export class SignInLimits {
  private readonly byAddress: Attempts;
  private readonly byPair: Attempts;
  private readonly byAccount: Attempts;
  private readonly ownAddresses = new Set<string>();

  constructor(clock: Clock) {
    this.byAddress = new Attempts(clock, LIMITS.address);
    this.byPair = new Attempts(clock, LIMITS.accountFromAddress);
    this.byAccount = new Attempts(clock, LIMITS.account);
  }

  take(name: string, address: string): Allowance {
    const client = clientOf(address);
    const account = name.toLowerCase();
    const pair = `${client} ${account}`;
    const isOwn = this.ownAddresses.has(pair);
    const waitMs =
      this.byAddress.take(client) || this.byPair.take(pair) || (isOwn ? 0 : this.byAccount.take(account));
    if (waitMs > 0) return { kind: 'wait', waitMs };
    return {
      kind: 'allowed',
      succeed: () => {
        this.byAddress.giveBack(client);
        this.byPair.giveBack(pair);
        if (!isOwn) this.byAccount.giveBack(account);
        this.remember(pair);
      },
    };
  }

  private remember(pair: string): void {
    this.ownAddresses.delete(pair);
    this.ownAddresses.add(pair);
    const [oldest] = this.ownAddresses;
    if (this.ownAddresses.size > OWN_ADDRESSES_MAX && oldest !== undefined) this.ownAddresses.delete(oldest);
  }
}
