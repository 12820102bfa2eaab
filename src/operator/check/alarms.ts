import { type Finding, ok, warning } from '../../core/finding.ts';
import { isoTime } from '../../core/instant.ts';
import { alarmsReport } from '../alarms/report.ts';
import type { Subject } from './subject.ts';

/** Whether the operator would be notified. */
export async function checkAlarms({ config, clock }: Subject): Promise<readonly Finding[]> {
  const { isConfigured, lastPost, alarms } = await alarmsReport(config, clock);
  if (!isConfigured) return [];
  if (lastPost?.failure) {
    const { sentence, code, toDo } = lastPost.failure;
    const failed = `the last message about alarms, at ${isoTime(lastPost.at)}, did not arrive: ${sentence} (${code})`;
    return [warning('alarms-unsent', failed, `${toDo}; \`teller alarms test\` tries it`)];
  }
  const last =
    lastPost === null ? 'no message was sent yet' : `the last message arrived at ${isoTime(lastPost.at)}`;
  const holding = alarms.filter(({ alarm }) => alarm.end === null).length;
  return [ok('alarms', `${last}; ${holding === 1 ? '1 alarm holds' : `${holding} alarms hold`}`)];
}
