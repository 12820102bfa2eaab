import type { EventReceiver } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import type { Form } from '../../core/receiver-form.ts';
import { uuid4 } from '../../core/uuid.ts';
import { testPosting } from '../../notify/events/body.ts';
import { receiversOf } from '../../notify/events/receiver.ts';
import { postAnywhere } from '../../notify/webhook/post.ts';
import { postTest, type TestPost } from '../test-post.ts';

/** What came back of a test event. */
export type EventTest = TestPost & {
  /** The name of the receiver. */
  readonly receiver: string;
  /** Its place in the config, such as `events[0]`. */
  readonly place: string;
  readonly form: Form;
};

/** Posts a test event once to each receiver, to all at one time. Throws the Problem `secret-missing`. */
export async function testEvents(
  entries: readonly EventReceiver[],
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<readonly EventTest[]> {
  const post = postAnywhere(clock);
  const postings = receiversOf(entries).map((receiver) => ({
    receiver,
    posting: testPosting(receiver, clock.now(), uuid4(random)),
  }));
  return Promise.all(
    postings.map(async ({ receiver: { name, at, form }, posting }) => ({
      ...{ receiver: name, place: at, form },
      ...(await postTest(posting, at, post, clock)),
    })),
  );
}
