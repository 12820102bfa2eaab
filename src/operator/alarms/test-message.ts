import { postAnywhere } from '../../alarms/alarms.ts';
import { testMessage } from '../../alarms/body.ts';
import { postOnce } from '../../alarms/sending.ts';
import type { AlarmsConfig, Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { type Form, formOf } from '../../core/receiver-form.ts';
import { failureText, type PostFailure, postFailures } from '../../webhook-send/post-result.ts';
import { withoutUrl } from '../../webhook-send/without-url.ts';

/** What came back of a test message. */
export type AlarmsTest =
  /** The config has no `alarms`. */
  | { readonly kind: 'not-configured' }
  | (Posted & { readonly kind: 'arrived' })
  | (Posted & {
      readonly kind: 'failed';
      readonly code: PostFailure;
      readonly sentence: string;
      readonly toDo: string;
    });

interface Posted {
  readonly form: Form;
  /** null: no complete answer came. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The beginning of the answer's body, without the URL; empty if there was none. */
  readonly response: string;
}

/** Posts a test message once. Throws the Problem `secret-missing`. */
export async function testAlarms(
  { alarms }: Pick<Config, 'alarms'>,
  parts: { readonly clock: Clock; readonly random: Random },
): Promise<AlarmsTest> {
  return alarms === null ? { kind: 'not-configured' } : post(alarms, parts);
}

async function post(
  alarms: AlarmsConfig,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<AlarmsTest> {
  const url = new URL(alarms.url.reveal());
  const startedAt = clock.monotonic();
  const parts = { post: postAnywhere(clock), random };
  const message = testMessage(clock.now(), alarms.name);
  const result = await postOnce(message, alarms, 1, parts, new AbortController().signal);
  const posted = {
    form: formOf(url, alarms.format),
    status: result.status,
    durationMs: Math.round(clock.monotonic() - startedAt),
    response: withoutUrl(result.response, url),
  };
  if (result.kind === 'arrived') return { kind: 'arrived', ...posted };
  const { code } = result;
  return {
    kind: 'failed',
    ...posted,
    code,
    sentence: failureText(result),
    toDo: postFailures[code].toDo('alarms'),
  };
}
