import { createHmac } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { isSameText } from '../same-text.ts';
import type { Passwords } from './passwords.ts';
import { newSecret } from './secrets.ts';
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
  readonly random: Random;
  readonly clock: Clock;
}

/** Checks names and passwords from the network, within `SignInLimits`. */
export class SignIn<Person> {
  private readonly limits: SignInLimits;

  constructor(private readonly parts: SignInParts<Person>) {
    this.limits = new SignInLimits(parts.clock);
  }

  /** @param known what `knownBrowser` left in the browser at an earlier sign-in; null: nothing. */
  async attempt(
    name: string,
    password: string,
    address: string,
    known: string | null,
  ): Promise<SignInResult<Person>> {
    const account = this.parts.find(name);
    const browser = account === null ? null : knownId(known, name, account.passwordHash);
    const allowance = this.limits.take(name, address, browser);
    if (allowance.kind === 'wait') {
      return { kind: 'too-many-attempts', retryAfterSeconds: Math.ceil(allowance.waitMs / 1000) };
    }
    const isRight = await this.parts.passwords.matches(password, account?.passwordHash ?? null);
    // The password may have changed while this one was checked, which ended the sessions made with it.
    const isPresent = this.parts.find(name)?.passwordHash === account?.passwordHash;
    if (account === null || !isRight || !isPresent) return { kind: 'wrong' };
    allowance.succeed();
    return { kind: 'right', person: account.person };
  }

  /** What a browser that signs in keeps, so that the guesses of others on its address do not lock it out; null: no password. */
  knownBrowser(name: string): string | null {
    const account = this.parts.find(name);
    if (account === null) return null;
    const id = newSecret(this.parts.random);
    return `${id}.${proofOf(id, name, account.passwordHash)}`;
  }
}

/** The ID of a browser that has signed in to this account with its present password; null: it has not. */
function knownId(known: string | null, name: string, passwordHash: string): string | null {
  const [id = '', proof = ''] = known?.split('.') ?? [];
  return isSameText(proof, proofOf(id, name, passwordHash)) ? id : null;
}

/** Needs no storage, survives a restart, and ends with the password. Nobody can try passwords on it: the hash has a random salt. */
const proofOf = (id: string, name: string, passwordHash: string): string =>
  createHmac('sha256', passwordHash).update(`${name.toLowerCase()} ${id}`).digest('base64url');
