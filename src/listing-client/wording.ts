import { apiErrors, type ErrorBody } from '../../protocol/listing-api/errors.ts';
import { printable } from '../core/printable.ts';
import {
  type Aborted,
  advice,
  type FaultCode,
  faults,
  type Refused,
  type Unfit,
  type Unreachable,
} from './result.ts';

/** A fault before it is put in words. */
export interface Fault {
  readonly code: FaultCode;
  readonly detail?: string;
  readonly retryAfterSeconds?: number | null;
}

/** One printable line of what comes from outside, without these. */
export function hiding(secrets: readonly string[]): (text: string) => string {
  const hidden = secrets.filter((secret) => secret !== '');
  const hide = (text: string): string =>
    hidden.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  // Shortened last, so that no cut leaves a part of a secret that is then not found.
  return (text) => printable(hide(printable(hide(text), Number.POSITIVE_INFINITY)));
}

/**
 * Puts failures in words. Everything that comes from outside passes `told` on its way: one printable line, from which
 * the secrets of the call are taken, because a service in debug mode or a proxy may repeat what it was sent.
 */
export class Wording {
  private readonly where: string;
  private readonly told: (text: string) => string;

  constructor(where: string, secrets: readonly string[]) {
    this.told = hiding(secrets);
    this.where = this.told(where);
  }

  refused({ code, message }: ErrorBody, retryAfterSeconds: number | null): Refused {
    const said = this.told(message);
    const sentence = `${this.where} refused this: ${advice[code]}. It said: ${said}`;
    return {
      kind: 'refused',
      code,
      status: apiErrors[code].status,
      message: said,
      sentence,
      retryAfterSeconds,
    };
  }

  unreachable({ code, detail = '', retryAfterSeconds = null }: Fault): Unreachable {
    const { reached, sentence } = faults[code];
    const facts = { where: this.where, detail: this.told(detail) };
    return {
      kind: 'unreachable',
      code,
      reached,
      sentence: sentence(facts),
      detail: facts.detail,
      retryAfterSeconds,
    };
  }

  unfit(fault: string): Unfit {
    const detail = this.told(fault);
    const sentence = `${this.where} answered with a success that is not what the API states (${detail}), so it is not used: is this Teller too old for the service, or is it another service?`;
    return { kind: 'unfit', sentence, detail };
  }

  aborted(): Aborted {
    return {
      kind: 'aborted',
      sentence: `What was asked of ${this.where} was given up before it was answered.`,
    };
  }
}
