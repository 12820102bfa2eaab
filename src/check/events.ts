import { receiverName } from '../config/config.ts';
import { type Finding, ok } from '../core/finding.ts';
import { listText } from '../core/list-text.ts';
import type { Subject } from './subject.ts';

/** Who is told of what. Nothing is posted. */
export async function checkEvents({ config: { events } }: Subject): Promise<readonly Finding[]> {
  if (events.length === 0) return [];
  const told = events.map((receiver, at) => `${receiverName(receiver, at)} (${receiver.on.join(', ')})`);
  const subject = events.length === 1 ? 'the receiver of events is' : 'the receivers of events are';
  return [ok('events', `${subject} ${listText(told, 'and')}`)];
}
