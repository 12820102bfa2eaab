import { type Finding, ok, warning } from '../../core/finding.ts';
import { isoTime } from '../../core/instant.ts';
import { countText, listText } from '../../core/list-text.ts';
import { eventsReport, type ReceiverReport } from '../events/report.ts';
import type { Subject } from './subject.ts';

/** Who is told of what, and whether it reaches them. Nothing is posted. */
export async function checkEvents({ config, ledger }: Subject): Promise<readonly Finding[]> {
  if (config.events.length === 0 || ledger === null) return [];
  const { receivers } = await eventsReport(config, ledger, { kinds: [], limit: 0 });
  const unsent = receivers.flatMap(unsentFinding);
  if (unsent.length > 0) return unsent;
  const told = receivers.map(({ name, on }) => `${name} (${on.join(', ')})`);
  const subject = receivers.length === 1 ? 'the receiver of events is' : 'the receivers of events are';
  return [ok('events', `${subject} ${listText(told, 'and')}`)];
}

/** While the last attempt has failed, or events are not sent again by themselves. */
function unsentFinding({ name, last, waiting, undelivered }: ReceiverReport): readonly Finding[] {
  const failure = last?.failure ?? null;
  if (failure === null && undelivered === 0) return [];
  const left = [
    ...(waiting === 0 ? [] : [`${countText(waiting, 'event')} will be sent again`]),
    ...(undelivered === 0 ? [] : [`${countText(undelivered, 'event')} will not`]),
  ];
  const counts = left.length === 0 ? '' : `; ${listText(left, 'and')}`;
  const what =
    failure === null || last === null
      ? `${name} did not take all events`
      : `the last event for ${name}, at ${isoTime(last.at)}, did not arrive: ${failure.sentence} (${failure.code})`;
  const resend = undelivered === 0 ? '' : '; then `teller events resend`';
  const toDo =
    failure === null || failure.toDo === ''
      ? '`teller events test` tries it'
      : `${failure.toDo}; \`teller events test\` tries it`;
  return [warning('events-unsent', what + counts, toDo + resend)];
}
