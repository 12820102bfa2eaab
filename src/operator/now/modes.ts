import { type Config, practiceNames } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { durationText } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import { listText } from '../../core/list-text.ts';
import { type Pause, pauseText } from '../../core/pause.ts';

/** Why votes that arrive now are not all paid to real players, here and at once. */
export type Mode =
  /** `isOnly`: there is no real game server. */
  | { readonly kind: 'practice'; readonly servers: readonly string[]; readonly isOnly: boolean }
  /** The time of all pages is so far ahead of real time. */
  | { readonly kind: 'practice-clock'; readonly aheadMs: number }
  | { readonly kind: 'shadow' }
  /** `from`: in ms since the Unix epoch, and still to come. */
  | { readonly kind: 'hand-over'; readonly from: number }
  | { readonly kind: 'paused'; readonly pause: Pause };

/** All that apply now; empty if every vote is paid. */
export function modesOf(
  config: Config,
  pauses: readonly Pause[],
  clock: Pick<Clock, 'now' | 'practice'>,
): readonly Mode[] {
  const { pay, gameServers } = config;
  const servers = practiceNames(config);
  const aheadMs = clock.practice?.offsetMs ?? 0;
  return [
    ...(pay.mode === 'shadow' ? [{ kind: 'shadow' } as const] : []),
    ...(pay.mode === 'real' && pay.from !== null && clock.now() < pay.from
      ? [{ kind: 'hand-over', from: pay.from } as const]
      : []),
    ...pauses.map((pause) => ({ kind: 'paused', pause }) as const),
    ...(servers.length > 0
      ? [{ kind: 'practice', servers, isOnly: servers.length === gameServers.size } as const]
      : []),
    ...(aheadMs > 0 ? [{ kind: 'practice-clock', aheadMs } as const] : []),
  ];
}

/** What a mode means, in one or two sentences. */
export function modeText(mode: Mode): string {
  switch (mode.kind) {
    case 'shadow':
      return 'Shadow: votes are stored and decided, but nothing is paid here, because pay.mode is "shadow".';
    case 'hand-over':
      return `Hand-over: votes that arrive before ${isoTime(mode.from)} are paid by the other listener, and later ones here.`;
    case 'paused':
      return `Paused: ${pauseText(mode.pause)}.`;
    case 'practice':
      return practiceText(mode);
    case 'practice-clock':
      return `Practice clock: the time on these pages, in the log and in commands is ${durationText(mode.aheadMs)} ahead of real time.`;
  }
}

const practiceText = ({ servers, isOnly }: Extract<Mode, { kind: 'practice' }>): string =>
  isOnly
    ? 'Practice: rewards go to a practice server inside Teller, and no real player is paid.'
    : `Practice: rewards on ${listText(servers, 'and')} go to a practice server inside Teller, and not to real players.`;
