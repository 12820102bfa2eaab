import { type EventPayload, encodeEventPayload } from '../../protocol/webhook/events.ts';
import { zoneOf } from '../config/config.ts';
import { realNames } from '../config/practice-only.ts';
import type { EventKind } from '../core/event-kind.ts';
import { listText } from '../core/list-text.ts';
import { uuid4 } from '../core/uuid.ts';
import { followEvents, RESTART_MS } from '../operator/events/follow.ts';
import { ledgerClock } from '../operator/practice-clock.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { ExitCode } from './command.ts';
import { sentenceOf } from './events-print.ts';
import type { EventsTools } from './events-send.ts';
import { changeLedger } from './with-ledger.ts';

interface FollowWanted {
  readonly config: string;
  readonly json: boolean;
  readonly kinds: readonly EventKind[];
  /** An event ID; null: from now on. */
  readonly after: string | null;
}

/** Shows each event as it happens, until it is stopped or its reader is gone. */
export async function follow(
  { config: file, json, kinds, after }: FollowWanted,
  terminal: Terminal,
  { clock, random, stopped }: EventsTools,
): Promise<ExitCode> {
  const stop = new AbortController();
  void stopped().then(() => stop.abort());
  return changeLedger(file, clock, async (ledger, config): Promise<ExitCode> => {
    const line = json ? jsonLine : textLine(zoneOf(config, clock));
    await followEvents({
      ...{ ledger, clock, kinds, after, stop: stop.signal },
      now: () => ledgerClock(config, clock).now(),
      isPractice: realNames(config).length === 0,
      follower: `follow ${process.pid} ${uuid4(random)}`,
      keptAfterMs: json ? RESTART_MS : 0,
      // Not on standard output, where every line is an event. It also tells a program from when on it misses nothing.
      onFollowing: () => terminal.err(`waiting for ${listText(kinds, 'and')}; Ctrl-C stops`),
      show: async (payload) => {
        terminal.out(line(payload));
        return (await terminal.written?.()) ?? true;
      },
    });
    return 0;
  });
}

/** The body that receivers get. */
const jsonLine = (payload: EventPayload): string => encodeEventPayload(payload).toString();

/** Swedish writes dates as ISO 8601 does: `2026-06-01 14:05:00`. */
function textLine(zone: string): (payload: EventPayload) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (payload) =>
    `${format.format(Date.parse(payload.timestamp))}  ${payload.event}  ${sentenceOf(payload)}`;
}
