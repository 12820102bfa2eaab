import { apiErrors, type ErrorBody } from '../../../protocol/listing-api/errors.ts';
import { printable } from '../../core/printable.ts';
import {
  type Aborted,
  advice,
  type FaultCode,
  faults,
  type Refused,
  type Unfit,
  type Unreachable,
} from './result.ts';

/** A fault before it becomes a sentence. */
export interface Fault {
  readonly code: FaultCode;
  readonly detail?: string;
  readonly retryAfterSeconds?: number | null;
}

/** Makes text from outside one printable line without these secrets. */
export function redacting(secrets: readonly string[]): (text: string) => string {
  const hidden = secrets.filter((secret) => secret !== '');
  const hide = (text: string): string =>
    hidden.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  // Shortened last, because a cut could leave a part of a secret that is not recognized.
  return (text) => printable(hide(printable(hide(text), Number.POSITIVE_INFINITY)));
}

/**
 * Makes sentences of failures. All text from outside passes `redact`, which makes it one printable line and removes the
 * secrets of the call, because a proxy or a service in debug mode may repeat what it was sent.
 */
export class Wording {
  private readonly where: string;
  private readonly redact: (text: string) => string;

  constructor(where: string, secrets: readonly string[]) {
    this.redact = redacting(secrets);
    this.where = this.redact(where);
  }

  refused({ code, message }: ErrorBody, retryAfterSeconds: number | null): Refused {
    const said = this.redact(message);
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
    const facts = { where: this.where, detail: this.redact(detail) };
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
    const detail = this.redact(fault);
    const sentence = `${this.where} sent an answer that does not match the API’s specification (${detail}), so it is ignored: is this Teller too old for the service, or is it another service?`;
    return { kind: 'unfit', sentence, detail };
  }

  aborted(): Aborted {
    return {
      kind: 'aborted',
      sentence: `The request to ${this.where} was cancelled before it was answered.`,
    };
  }
}
