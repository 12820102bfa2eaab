import type { Clock } from '../../core/clock.ts';
import type { Passwords } from './passwords.ts';
import { SignInLimits } from './sign-in-limits.ts';

export type SignInResult<Person> =
  | { readonly kind: 'right'; readonly person: Person }
  /** The name or the password is wrong; the result does not say which. */
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too-many-attempts'; readonly retryAfterSeconds: number };

export interface SignInParts<Person> {
  /** Finds the person with this name. */
  readonly find: (name: string) => { readonly person: Person; readonly passwordHash: string } | null;
  readonly passwords: Passwords;
  readonly clock: Clock;
}

/** Checks names and passwords from the network, within `SignInLimits`. */
export class SignIn<Person> {
  private readonly limits: SignInLimits;

  constructor(private readonly parts: SignInParts<Person>) {
    this.limits = new SignInLimits(parts.clock);
  }

  async attempt(name: string, password: string, address: string): Promise<SignInResult<Person>> {
    const allowance = this.limits.take(name, address);
    if (allowance.kind === 'wait') {
      return { kind: 'too-many-attempts', retryAfterSeconds: Math.ceil(allowance.waitMs / 1000) };
    }
    const known = this.parts.find(name);
    const isRight = await this.parts.passwords.matches(password, known?.passwordHash ?? null);
    if (known === null || !isRight) return { kind: 'wrong' };
    allowance.succeed();
    return { kind: 'right', person: known.person };
  }
}
