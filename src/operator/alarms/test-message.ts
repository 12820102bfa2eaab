import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { type Form, formOf } from '../../core/receiver-form.ts';
import { uuid4 } from '../../core/uuid.ts';
import { postingOf, testMessage } from '../../notify/alarms/body.ts';
import { postAnywhere } from '../../notify/webhook/post.ts';
import { postTest, type TestPost } from '../test-post.ts';

/** What came back of a test message. */
export type AlarmsTest =
  /** The config has no `alarms`. */
  { readonly kind: 'not-configured' } | (TestPost & { readonly form: Form });

/** Posts a test message once. Throws the Problem `secret-missing`. */
export async function testAlarms(
  { alarms }: Pick<Config, 'alarms'>,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<AlarmsTest> {
  if (alarms === null) return { kind: 'not-configured' };
  const attempt = { deliveryId: uuid4(random), number: 1 };
  const posting = postingOf(testMessage(clock.now(), alarms.name), alarms, attempt);
  const result = await postTest(posting, 'alarms', postAnywhere(clock), clock);
  return { form: formOf(posting.url, alarms.format), ...result };
}
