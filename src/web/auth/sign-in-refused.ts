import type { Refused } from '../components/error-summary.ts';

/** Why nobody was signed in, with its code. */
export interface SignInRefused extends Refused {
  readonly code: string;
  readonly advice: string;
}

/** `SignInLimits` decides when. */
export const TOO_MANY_ATTEMPTS = {
  code: 'too-many-attempts',
  title: 'Too many attempts',
  advice: 'Try again in 15 minutes. Open sessions are not affected.',
  faults: {},
} as const satisfies SignInRefused;

/** @param what was wrong: `password`, or `name or password`. */
export const wrongSignIn = (what: string): SignInRefused => ({
  code: 'sign-in-wrong',
  title: `Wrong ${what}`,
  advice: 'Check how it is spelled. Passwords are case-sensitive.',
  faults: {},
});
